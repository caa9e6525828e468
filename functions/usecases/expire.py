"""The last wait is over: the task times out, unless a decision was first."""

from __future__ import annotations

from functions.domain import task_rules
from functions.domain.errors import ValidationError, named_error
from functions.domain.task import TIMED_OUT, Kind, Place, Task, task_id
from functions.domain.task_answers import Fails, answer_of
from functions.usecases.desk import Office, change
from functions.usecases.escalate import note_of, recipients
from functions.usecases.tell import News, tell
from protocol.payloads import ExpireTask, Json


def expire(call: ExpireTask, office: Office) -> dict[str, Json]:
    """Return what the task answers: that of a decision, or that nobody came.

    Raises StepTimedOut where an event or a callback did not come, and what a callback failed
    with.
    """
    desk = office.desk
    kind: Kind = call.get("kind", "manual")
    place = Place.of(call["run"], call["step"], call.get("items"))
    task = desk.tasks.get(task_id(kind, place, call.get("entered")))
    if task is None:
        raise ValidationError(f"nothing of '{call['step']}' was waited for")
    now = desk.clock.now()
    task = change(desk.tasks, task, lambda one: task_rules.expire(one, now))
    if task.status == TIMED_OUT and "notify" in call:
        _tell(task, call, office)
    answer = answer_of(task)
    assert answer is not None  # it has ended: expired, if by nobody else
    if isinstance(answer, Fails):
        raise named_error(answer.error, answer.cause, None)
    return answer.output


def _tell(task: Task, call: ExpireTask, office: Office) -> None:
    news = News("timed_out", "end", note_of(call.get("message")))
    tell(task, recipients(call.get("notify"), task, office), news, office)
