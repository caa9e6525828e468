"""How long a run may take: the longest way, with every attempt and pause in full."""

from __future__ import annotations

from textwrap import dedent

import pytest

from compiler.plan.durations import Longest, longest_run
from tests.emitted import compiled

HOUR = 3600


def longest(steps: str, root: str = "") -> Longest:
    """Return the bound of a workflow with these steps; `wait` steps last as long as they say."""
    text = f"{root}steps:\n" + dedent(steps)
    program = compiled(text, runner_programs=frozenset({"echo"})).program
    assert program is not None
    return longest_run(program)


@pytest.mark.parametrize(
    ("steps", "seconds"),
    [
        ("- {id: a, run: echo}", 900),
        ("- {id: a, run: echo, runner: codebuild}", HOUR),
        ("- {id: a, run: echo, timeout: 30s}", 30),
        ("- {id: a, run: echo, timeout: 30s, retry: {count: 2, delay: 10s, backoff: 2}}", 120),
        ("- {id: a, run: echo, timeout: 1m, on_error: pause}", 60 + 14 * 86_400),
        ("- {id: a, type: wait, for: 2h}\n- {id: b, type: wait, for: 1h}", 3 * HOUR),
        (
            """\
            - {id: a, type: wait, for: 2h, depends_on: []}
            - {id: b, type: wait, for: 1h, depends_on: []}
            """,
            2 * HOUR,
        ),
        (
            "- id: a\n  type: parallel\n  timeout: 1h\n  steps:\n  - {id: b, type: wait, for: 5h}",
            HOUR,
        ),
        ("- {id: a, run: echo, for_each: '${{ inputs.x }}', max_items: 90}", 3 * 900),
        ("- {id: a, run: echo, for_each: [1, 2, 3], max_concurrency: 1}", 3 * 900),
        ("- {id: a, run: echo, for_each: [1, '${{ run.id }}'], max_concurrency: 1}", 2 * 900),
        (
            """\
            - id: a
              run: echo
              timeout: 1m
              outputs: {s: x}
              repeat: {until: steps.a.outputs.s == 'y', delay: 1m, max_attempts: 5}
            """,
            600,
        ),
    ],
)
def test_the_longest_way_is_counted(steps: str, seconds: int):
    assert longest(steps) == Longest(seconds)


def test_a_deadline_ends_what_has_no_end_of_its_own():
    steps = "- {id: a, type: wait, until: '${{ inputs.when }}'}"

    assert longest(steps) == Longest(0, ("a",))
    assert longest(steps, "timeout: 2h\n") == Longest(2 * HOUR)


def test_handlers_and_undos_come_on_top():
    root = "on_failure:\n  - {id: tell, run: echo, timeout: 1m}\n"
    steps = """\
        - {id: a, type: wait, for: 1h}
        - {id: b, run: echo, timeout: 1m, compensate: {run: echo, timeout: 2m}}
        """

    assert longest(steps, root) == Longest(HOUR + 60 + 60 + 120)


def test_a_run_lasts_a_year_at_most():
    steps = "\n".join(f"- {{id: a{n}, type: wait, for: 300d}}" for n in range(3))

    assert longest(steps) == Longest(365 * 86_400)
