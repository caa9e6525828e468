"""Which steps are skipped with one that a condition keeps from running."""

from __future__ import annotations

from textwrap import dedent

from compiler.plan.together import skipped_together
from tests.emitted import compiled


def together(steps: str) -> tuple[tuple[str, ...], ...]:
    """Return the groups of a workflow with these steps."""
    text = "inputs: {x: string}\nsteps:\n" + dedent(steps)
    program = compiled(text, runner_programs=frozenset({"echo"})).program
    assert program is not None
    return skipped_together(program)


def test_what_needs_only_skipped_steps_is_skipped_with_them():
    assert together("""\
        - {id: a, run: echo, condition: inputs.x == 'y'}
        - {id: b, run: echo, depends_on: [a]}
        - {id: c, run: echo, depends_on: [b]}
        """) == (("a", "b", "c"),)


def test_a_step_that_another_way_leads_to_is_not():
    assert (
        together("""\
        - {id: o, run: echo, depends_on: []}
        - {id: a, run: echo, condition: inputs.x == 'y', depends_on: [o]}
        - {id: b, run: echo, depends_on: [a, o]}
        """)
        == ()
    )


def test_a_left_out_depends_on_only_orders():
    assert (
        together("""\
        - {id: a, run: echo, condition: inputs.x == 'y'}
        - {id: b, run: echo}
        """)
        == ()
    )


def test_a_status_function_has_its_own_say():
    assert (
        together("""\
        - {id: a, run: echo, condition: inputs.x == 'y'}
        - {id: b, run: echo, depends_on: [a], condition: always()}
        """)
        == ()
    )


def test_a_step_that_always_runs_is_never_skipped_with_others():
    for condition in ("always()", "success()", "'!failure()'"):
        steps = f"""\
        - {{id: a, run: echo, condition: {condition}}}
        - {{id: b, run: echo, depends_on: [a]}}
        """
        assert together(steps) == ()


def test_the_children_of_a_block_are_skipped_with_it():
    assert together("""\
        - id: a
          type: parallel
          condition: inputs.x == 'y'
          steps:
            - {id: b, run: echo}
            - {id: c, run: echo}
        - {id: d, run: echo, depends_on: [a]}
        """) == (("a", "b", "c", "d"),)
