"""Diagnostic codes of the `plan` pass."""

from __future__ import annotations

from compiler.codes import Code


def _chain(steps: int) -> str:
    written = (f"  - id: step_{n}\n    run: echo {n}\n" for n in range(1, steps + 1))
    return "name: Long\nsteps:\n" + "".join(written)


def _poll(attempts: int) -> str:
    return (
        "name: Poll\nsteps:\n  - id: poll\n    run: ./ask >> $GITHUB_OUTPUT\n"
        "    outputs: {state: '${{ steps.poll.outputs.state }}'}\n    repeat:\n"
        "      until: steps.poll.outputs.state == 'ready'\n"
        f"      delay: 30s\n      max_attempts: {attempts}\n"
    )


CODES: tuple[Code, ...] = (
    Code(
        "definition-too-large",
        "The compiled workflow is larger than AWS takes",
        "A state machine is created by one request, of 1,000,000 bytes at most. A plain step takes "
        "about a thousand bytes of it, long scripts and inputs more. Move steps that belong "
        "together to a workflow of their own, and call it by `type: subworkflow`; `stepsmith plan` "
        "shows what a definition takes.",
        _chain(2000),
        _chain(20),
    ),
    Code(
        "too-many-events",
        "A run may write more events than AWS keeps",
        "AWS ends a run at 25,000 events of its history. What a run may write at most is counted "
        "with every retry, every item of a `for_each` and every round of a `repeat` in full, and "
        "has to stay below 20,000: AWS's own retries need room too. Move steps to a sub-workflow, "
        "which has a history of its own, or lower `max_items` or `max_attempts`.",
        _poll(5000),
        _poll(120),
    ),
)
