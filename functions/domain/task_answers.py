"""What a task that has ended answers the state that waits for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from functions.domain.moments import stamp
from functions.domain.task import (
    CANCELLED,
    FAIL,
    FAILED,
    TIMED_OUT,
    Decision,
    Task,
)
from protocol.names import STEP_TIMED_OUT, TASK_CANCELLED
from protocol.payloads import Json

__all__ = ["Fails", "StateAnswer", "Succeeds", "answer_of", "stamp"]


@dataclass(frozen=True, slots=True)
class Succeeds:
    """The state goes on with an output."""

    output: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Fails:
    """The state fails."""

    error: str
    cause: str


_LONGEST_NAMES = 200
StateAnswer: TypeAlias = Succeeds | Fails


def answer_of(task: Task) -> StateAnswer | None:
    """Return what a task answers; None while it is open."""
    decision = task.decision
    if decision is None:
        return None
    if task.status == CANCELLED:
        return Fails(TASK_CANCELLED, decision.comments or "the task was cancelled")
    if task.kind == "manual":
        return Succeeds(_outputs(decision))
    if task.kind == "pause":
        choice = FAIL if task.status == TIMED_OUT else task.status
        return Succeeds({"choice": choice, "outputs": decision.form})
    if task.status == TIMED_OUT:
        return Fails(STEP_TIMED_OUT, _missed(task))
    if task.kind == "event":
        return Succeeds({"event": decision.form})
    if task.status == FAILED:
        return _failure(decision)
    return Succeeds({"outputs": decision.form})


def _missed(task: Task) -> str:
    """Return what did not come: an event by its name, whether a `match` was asked of it, when."""
    if task.kind != "event":  # a callback is open for a while longer than its step
        return "no answer came in time"
    subject = task.subject if isinstance(task.subject, dict) else {}
    pattern = subject.get("pattern")
    types = pattern.get("detail-type") if isinstance(pattern, dict) else None
    names = [one for one in types if isinstance(one, str)] if isinstance(types, list) else []
    named = f"no event '{' or '.join(names)[:_LONGEST_NAMES]}'" if names else "no event"
    if subject.get("match") is not None:
        named += " that fits `match`"
    return f"{named} came until {stamp(task.expires_at)}"


def _outputs(decision: Decision) -> dict[str, Json]:
    return {
        "status": decision.status,
        "comments": decision.comments,
        "decided_by": decision.decided_by,
        "decided_at": stamp(decision.decided_at),
        "form": decision.form,
        "timeout_reason": decision.timeout_reason,
    }


def _failure(decision: Decision) -> Fails:
    told = decision.form if isinstance(decision.form, dict) else {}
    kind, message = told.get("type"), told.get("message")
    return Fails(
        kind if isinstance(kind, str) and kind else "CallbackFailed",
        message if isinstance(message, str) else "the outside system reported a failure",
    )
