"""What the compiler promises of its speed and of its machines' size, in a short form.

`make bench` measures the same up to 5,000 steps, with more rounds.
"""

from __future__ import annotations

import gc

import pytest

from bench import limits
from bench.compile import told
from bench.limits import Limit
from bench.passes import PASSES, Refused, best_of, compiled
from bench.workflows import LINES, SHAPES, SURROUNDINGS, chain, workflow
from compiler.pipeline import compile_source
from compiler.source import Source

SHARED = 1.25
"""What a limit of time is stretched by: tests run beside each other, and for a few rounds only."""


@pytest.mark.parametrize("shape", SHAPES)
def test_a_thousand_steps_take_few_loads_of_libyaml_and_grow_evenly(shape: str):
    texts = {steps: workflow(SHAPES[shape](steps)) for steps in (100, 1_000)}
    small = best_of(3, texts[100], SURROUNDINGS)

    large = best_of(2, texts[1_000], SURROUNDINGS)

    grown = limits.growth(shape, small.total / 100, large.total / 1_000)
    for limit in (limits.loads(shape, large), grown, limits.planning(large)):
        assert limit.measured <= limit.limit * SHARED, limit


def test_plain_steps_take_few_bytes_and_eight_hundred_fit():
    assert [str(limit) for limit in limits.sizes() if not limit.is_kept] == []


def test_a_definition_too_large_is_told_which_steps_to_move():
    assert limits.advice(400).is_kept


def test_every_step_to_measure_with_has_twelve_lines():
    lines = workflow(chain(5)).splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("  - id:")]

    assert [end - start for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)] == [
        LINES
    ] * 5


def test_all_passes_run_also_above_a_limit():
    made = compiled(workflow(chain(600)), SURROUNDINGS)

    assert [error.code for error in made.errors] == ["definition-too-large"]
    assert tuple(made.seconds) == PASSES
    assert all(seconds > 0 for seconds in made.seconds.values())


def test_a_workflow_with_a_mistake_of_its_own_is_not_measured():
    with pytest.raises(Refused, match="unknown-key"):
        compiled("name: x\nsteps: [{id: a, run: echo, conditon: always()}]\n", SURROUNDINGS)


def test_a_missed_limit_is_named_and_ends_with_one(capsys: pytest.CaptureFixture[str]):
    kept, missed = Limit("bytes", 10, 10), Limit("seconds", 2.5, 1)

    assert told([kept]) == 0
    assert told([kept, missed]) == 1
    assert "MISSED: seconds: 2.50, at most 1.00" in capsys.readouterr().out


def test_a_limit_may_ask_for_a_least_figure():
    assert Limit("advice", 1, 1, is_least=True).is_kept
    assert not Limit("advice", 0, 1, is_least=True).is_kept


@pytest.mark.parametrize("text", ["name: x\nsteps: [{id: a, run: echo}]\n", "- no\n- workflow\n"])
def test_the_collector_of_cycles_runs_again_after_a_compilation(text: str):
    compile_source(Source("a.yaml", text), SURROUNDINGS)

    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        compile_source(Source("a.yaml", "name: x\n"), SURROUNDINGS)
        assert not gc.isenabled()
    finally:
        gc.enable()
