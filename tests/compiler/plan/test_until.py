"""A workflow cut down to one step and what it depends on."""

from __future__ import annotations

from textwrap import dedent

import pytest

from compiler.check import Surroundings
from compiler.pipeline import Compilation, compile_source, cut_after
from compiler.source import Source


def compiled(text: str) -> Compilation:
    """Return a workflow without mistakes, compiled."""
    compilation = compile_source(Source("w.yaml", dedent(text)), Surroundings())
    assert compilation.ok, compilation.diagnostics
    return compilation


def steps(text: str, until: str) -> list[str]:
    """Return the ids of the steps that are left of a workflow, in file order."""
    cut = cut_after(compiled(text), until)
    assert cut.program is not None
    return list(cut.program.by_id)


DIAMOND = """
    name: Diamond
    steps:
      - {id: a, depends_on: [], run: 'true'}
      - {id: b, depends_on: [a], run: 'true'}
      - {id: c, depends_on: [a], run: 'true'}
      - {id: d, depends_on: [b, c], run: 'true'}
      - {id: e, depends_on: [c], run: 'true'}
"""


@pytest.mark.parametrize(
    ("until", "left"), [("a", "a"), ("b", "ab"), ("c", "ac"), ("d", "abcd"), ("e", "ace")]
)
def test_a_step_keeps_what_it_depends_on_through_however_many_steps(until, left):
    assert steps(DIAMOND, until) == list(left)


def test_a_left_out_dependency_is_one():
    """Steps without `depends_on` come after the one above, and need its files."""
    text = "name: W\nsteps:\n" + "".join(f"  - {{id: {n}, run: 'true'}}\n" for n in "abc")

    assert steps(text, "b") == ["a", "b"]


BLOCK = """
    name: Block
    steps:
      - {id: before, run: 'true'}
      - {id: beside, depends_on: [], run: 'true'}
      - id: both
        depends_on: [before]
        type: parallel
        steps:
          - {id: left, run: 'true'}
          - {id: right, run: 'true'}
          - {id: last, depends_on: [right], run: 'true'}
      - {id: after, run: 'true'}
"""


def test_of_a_block_only_what_its_child_depends_on_is_left():
    assert steps(BLOCK, "last") == ["before", "both", "right", "last"]


def test_a_block_as_the_last_step_is_whole():
    assert steps(BLOCK, "both") == ["before", "both", "left", "right", "last"]


def test_outputs_that_read_a_step_that_is_gone_are_gone():
    text = """
        name: Outputs
        outputs:
          plain: {value: one}
          of_a: {value: "${{ steps.a.outputs.x }}"}
          of_both: {value: "${{ steps.a.outputs.x }}, ${{ steps.b.status }}"}
        steps:
          - {id: a, run: 'true', outputs: {x: 1}}
          - {id: b, run: 'true'}
    """

    cut = cut_after(compiled(text), "a")

    assert cut.program is not None
    assert [name for name, _ in cut.program.outputs] == ["plain", "of_a"]


def test_handlers_are_gone_and_undos_stay():
    """The close machine of what is left undoes, and tells nobody."""
    text = """
        name: Closing
        steps:
          - {id: a, run: 'true', compensate: {run: 'true'}}
          - {id: b, run: 'true'}
        on_failure: {id: herald, run: 'true'}
    """

    whole = compiled(text)
    cut = cut_after(whole, "b")

    assert [machine.id for machine in cut.machines] == [machine.id for machine in whole.machines]
    assert "herald" not in str(cut.machines)
    assert "herald" in str(whole.machines)


def test_the_machine_has_no_state_of_a_step_that_is_gone():
    states = cut_after(compiled(DIAMOND), "e").machines[0].definition["States"]

    assert set(states) & set("abcde") == {"a", "c", "e"}


def test_a_step_that_is_not_there_is_a_key_error():
    with pytest.raises(KeyError, match="f"):
        cut_after(compiled(DIAMOND), "f")
