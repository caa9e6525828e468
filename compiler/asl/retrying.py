"""Retriers and catchers of a Task."""

from __future__ import annotations

from compiler.check.program import Json, Retry, Step
from protocol.names import LAMBDA_TRANSIENT, NEVER_RETRIED, STEP_IN_PROGRESS

TRANSIENT: dict[str, Json] = {
    "ErrorEquals": [*LAMBDA_TRANSIENT],
    "IntervalSeconds": 2,
    "MaxAttempts": 6,
    "BackoffRate": 2,
    "MaxDelaySeconds": 60,
    "JitterStrategy": "FULL",
}
"""Lambda's own passing errors: retried for about two minutes whatever the author says."""

IN_PROGRESS: dict[str, Json] = {
    "ErrorEquals": [STEP_IN_PROGRESS],
    "IntervalSeconds": 5,
    "MaxAttempts": 200,
    "BackoffRate": 1,
}
"""Another attempt holds the step's lease, which ends with that attempt's timeout."""

SERVICE: dict[str, Json] = {
    "ErrorEquals": [
        "StepFunctions.SdkClientException",
        "StepFunctions.SfnException",
        "StepFunctions.ThrottlingException",
    ],
    "IntervalSeconds": 2,
    "MaxAttempts": 6,
    "BackoffRate": 2,
    "JitterStrategy": "FULL",
}
"""Step Functions' own passing errors when it starts a child, whose name is fixed."""

EVERY_ERROR = ["States.TaskFailed", "States.Timeout"]
"""Not `States.ALL`: that would repeat what fails in an expression, too."""


def retriers(step: Step, *, on_lambda: bool) -> list[Json]:
    """Return a Task's retriers, the first that matches decides.

    Conditions are no retriers: they are asked in a loop around the Task.
    """
    found: list[Json] = []
    retry = step.retry
    author = _authors(retry) if retry is not None and not retry.conditions else None
    if on_lambda:
        found.append(IN_PROGRESS | {} if _leases(step) else TRANSIENT)
        if _leases(step):
            found.append(TRANSIENT)
    if author is not None:
        if not retry_names(retry):
            found.append({"ErrorEquals": [*NEVER_RETRIED], "MaxAttempts": 0})
        found.append(author)
    return found


def _leases(step: Step) -> bool:
    return step.retry is not None and step.retry.attempts > 1


def retry_names(retry: Retry | None) -> tuple[str, ...]:
    """Return the errors a retry names; none means every error."""
    return () if retry is None else retry.errors


def _authors(retry: Retry) -> dict[str, Json] | None:
    if retry.attempts <= 1:
        return None
    found: dict[str, Json] = {
        "ErrorEquals": list(retry.errors) or list(EVERY_ERROR),
        "IntervalSeconds": max(1, retry.delay),
        "MaxAttempts": retry.attempts - 1,
        "BackoffRate": retry.rate,
    }
    if retry.max_delay is not None and retry.max_delay > max(1, retry.delay):
        found["MaxDelaySeconds"] = retry.max_delay
    if retry.jitter:
        found["JitterStrategy"] = "FULL"
    return found
