"""Durations that contradict each other, or that AWS does not have."""

from __future__ import annotations

from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.check.program import Action, Kind, Script, Step
from compiler.check.retries import pauses
from compiler.spec import ManualStep, WaitStep
from compiler.spec.durations import shown
from compiler.spec.model import StepPart

LAMBDA_SECONDS = 15 * 60
"""https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html"""
YEAR = 365 * 24 * 3600
"""An execution lives a year: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html"""


def is_deadline(checker: Checker, step: StepPart) -> bool:
    """Whether a step's `timeout` is for all items of its for_each together.

    One from `defaults` is for an attempt.
    """
    if step.for_each is None or isinstance(step, ManualStep):
        return False
    if isinstance(step, WaitStep) and step.pattern is not None:
        return False  # it says how long the event is waited for
    return checker.context.node((*step.path, "timeout")) is not None


def check_step(checker: Checker, entry: Entry, step: Step) -> None:
    """Report what is wrong with the times of a step."""
    path = (*entry.step.path, "timeout")
    is_written = checker.context.node(path) is not None
    deadline = None if step.for_each is None else step.for_each.deadline
    if deadline is not None:
        _against_deadlines(checker, entry, deadline)
    elif step.timeout is not None and is_written:
        if step.timeout > LAMBDA_SECONDS and _on_lambda(step.kind):
            _lambda(checker, entry, step, path)
        else:
            _against_deadlines(checker, entry, step.timeout)
    repeat = entry.step.repeat
    if repeat is not None and repeat.delay * repeat.max_attempts > YEAR:
        _too_long(checker, "the time of all repeats", (*entry.step.path, "repeat"))
    if step.retry is not None:
        _worst_case(checker, entry, step)


def _too_long(checker: Checker, what: str, path: tuple[str | int, ...]) -> None:
    checker.error(
        "longer-than-a-year",
        checker.context.key_span(path),
        f"{what} is longer than a year, which is as long as a run can last",
        "write fewer attempts or shorter pauses",
    )


def _on_lambda(kind: Kind) -> bool:
    if isinstance(kind, Action) and kind.callback:
        return False
    return isinstance(kind, Action | Script) and kind.runner == "lambda"


def _lambda(checker: Checker, entry: Entry, step: Step, path: tuple[str | int, ...]) -> None:
    assert step.timeout is not None
    if isinstance(step.kind, Script) or (isinstance(step.kind, Action) and step.kind.why):
        advice = "write `runner: codebuild`, or a timeout of at most `15m`"
    else:
        advice = "write at most `15m`, or do the work in a `run` step with `runner: codebuild`"
    checker.error(
        "longer-than-lambda",
        checker.context.span(path),
        f"'{entry.id}' runs on Lambda, which stops after 15 minutes, "
        f"and may take {shown(step.timeout)}",
        advice,
    )


def _against_deadlines(checker: Checker, entry: Entry, timeout: int) -> None:
    for name, seconds in _deadlines(checker, entry):
        if timeout > seconds:
            checker.warn(
                "timeout-beyond-deadline",
                checker.context.span((*entry.step.path, "timeout")),
                f"'{entry.id}' may take {shown(timeout)}, {name} only {shown(seconds)}",
                f"write at most `{shown(seconds)}`, or give {name} more time",
            )
            return


def _deadlines(checker: Checker, entry: Entry) -> list[tuple[str, int]]:
    if entry.group.is_of_handlers or entry.undoes is not None:
        return []
    blocks = (outer for outer in entry.enclosing() if outer is not entry)
    found = [
        (f"the block '{outer.id}'", outer.step.timeout)
        for outer in blocks
        if outer.step.timeout is not None
    ]
    if checker.context.workflow.timeout is not None:
        found.append(("the run", checker.context.workflow.timeout))
    return found


def _worst_case(checker: Checker, entry: Entry, step: Step) -> None:
    """Warn where the attempts and the pauses between them cannot all happen in time."""
    assert step.retry is not None
    assert entry.step.retry is not None
    attempts = step.retry.attempts * (step.timeout or 0)
    total = attempts + pauses(step.retry)
    if total > YEAR:
        _too_long(checker, "the time of all attempts", entry.step.retry.path)
        return
    for name, seconds in _deadlines(checker, entry):
        if total > seconds:
            checker.warn(
                "retry-beyond-deadline",
                checker.context.key_span(entry.step.retry.path),
                f"the {step.retry.attempts} attempts of '{entry.id}' and their pauses may take "
                f"{shown(total)}, {name} only {shown(seconds)}",
                "write fewer attempts, shorter pauses or a shorter timeout",
            )
            return
