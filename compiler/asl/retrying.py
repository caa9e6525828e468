"""Retriers and catchers of a Task."""

from __future__ import annotations

from compiler.check.program import Action, AwsCall, Publish, Retry, Script, Step, SubWorkflow
from compiler.check.retries import pauses
from compiler.document.nodes import Json
from protocol.names import DEADLINE_PASSED, LAMBDA_TRANSIENT, NEVER_RETRIED, STEP_IN_PROGRESS

# What equals AWS's default is left out, for every step carries its retriers: the first pause is a
# second, and each is twice the one before.
# https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html

LAMBDA_LIMIT = 890
"""Seconds a wrapper gives an attempt at most: Lambda's 15 minutes less its own book-keeping."""

TRANSIENT: dict[str, Json] = {
    "ErrorEquals": [*LAMBDA_TRANSIENT],
    "MaxAttempts": 7,
    "JitterStrategy": "FULL",
}
"""Lambda's own passing errors: retried for up to two minutes whatever the author says."""

SERVICE: dict[str, Json] = {
    "ErrorEquals": [
        "StepFunctions.SdkClientException",
        "StepFunctions.SfnException",
        "StepFunctions.ThrottlingException",
    ],
    "MaxAttempts": 7,
    "JitterStrategy": "FULL",
}
"""Step Functions' own passing errors when it starts a child, whose name is fixed."""

HEARTBEAT = "States.HeartbeatTimeout"
"""Matched under States.Timeout, too, and no Task of ours has a heartbeat."""

EVERY_ERROR = ["States.TaskFailed", "States.Timeout"]
"""Not `States.ALL`: that would repeat what fails in an expression, too."""


LATE = 60
"""Seconds that the pauses of a retrier may pass a deadline by."""


def is_looped(step: Step, *, limited: bool = False) -> bool:
    """Whether the author's retries are a loop around the Task rather than retriers of it.

    Conditions are asked in a Choice. What runs on CodeBuild fails as `States.TaskFailed` whatever
    went wrong; its own error is known only when the stored result has been fetched. A child
    execution has a name of its own for each attempt, and one name for Step Functions' retries.
    An outside system that answered badly has to be asked again.

    Where there is a deadline (`limited`) a retrier does not know of it: it waits out its pause
    whatever the time. So it is one where that is short, and our function refuses what comes late.
    """
    if step.retry is None or step.retry.attempts <= 1:
        return False
    is_outside = isinstance(step.kind, Action) and step.kind.callback
    is_own = step.is_build or is_outside or isinstance(step.kind, SubWorkflow)
    return is_own or bool(step.retry.conditions) or (limited and _may_be_late(step, step.retry))


def _may_be_late(step: Step, retry: Retry) -> bool:
    """Whether retriers could go on for more than a moment behind a deadline.

    Nothing refuses another try of a direct AWS call or of an event: all of their pauses count.
    """
    if isinstance(step.kind, AwsCall | Publish):
        return pauses(retry) + retry.attempts > LATE
    longest = retry.delay * retry.rate ** min(retry.attempts - 2, 100)
    if retry.max_delay is not None:
        longest = min(longest, retry.max_delay)
    return isinstance(step.kind, Action | Script) and longest > LATE


def is_kept(step: Step) -> bool:
    """Whether what the machine itself carries out is stored as a result, in a state of its own."""
    return step.checkpoint and isinstance(step.kind, AwsCall | SubWorkflow | Publish)


def never_retried(*, limited: bool) -> tuple[str, ...]:
    """Return the errors that no attempt can mend, of a step with a deadline or of one without."""
    return tuple(name for name in NEVER_RETRIED if limited or name != DEADLINE_PASSED)


def retriers(step: Step, *, on_lambda: bool, limited: bool) -> list[Json]:
    """Return a Task's retriers, the first that matches decides.

    What is a loop around the Task is no retrier. `limited`: there is a deadline.
    """
    found: list[Json] = []
    retry = step.retry
    looped = is_looped(step, limited=limited)
    author = _authors(retry) if retry is not None and not looped else None
    if on_lambda:
        found.append(_until_free(step))
    if author is not None:
        if not retry_names(retry):
            found.append({"ErrorEquals": [*never_retried(limited=limited)], "MaxAttempts": 0})
        found.append(author)
    return found


def _until_free(step: Step) -> dict[str, Json]:
    """Return the retrier of a call that failed on the way, or found another attempt at work.

    The one leads to the other: Lambda may well carry out a call whose answer was lost. That
    attempt holds the step's lease until its own time is over, so there are tries for so long:
    pauses of half a minute on average, once they have grown.
    """
    lease = step.timeout or LAMBDA_LIMIT
    return {
        "ErrorEquals": [STEP_IN_PROGRESS, *LAMBDA_TRANSIENT],
        "MaxAttempts": 7 + -(-lease // 20),
        "MaxDelaySeconds": 60,
        "JitterStrategy": "FULL",
    }


def retry_names(retry: Retry | None) -> tuple[str, ...]:
    """Return the errors a retry names; none means every error."""
    return () if retry is None else retry.errors


def _authors(retry: Retry) -> dict[str, Json] | None:
    if retry.attempts <= 1:
        return None
    found: dict[str, Json] = {
        "ErrorEquals": [name for name in retry.errors if name != HEARTBEAT] or [*EVERY_ERROR],
        "MaxAttempts": retry.attempts - 1,
    }
    if retry.delay > 1:
        found["IntervalSeconds"] = retry.delay
    if retry.rate != 2:
        found["BackoffRate"] = float(retry.rate)
    if retry.max_delay is not None and retry.max_delay > max(1, retry.delay):
        found["MaxDelaySeconds"] = retry.max_delay
    if retry.jitter:
        found["JitterStrategy"] = "FULL"
    return found
