"""Go up a level: tell whom it names, unless somebody has decided."""

from __future__ import annotations

from datetime import timedelta

from functions.domain import task_rules
from functions.domain.errors import ValidationError
from functions.domain.task import Place, Task, order_of, task_id
from functions.usecases.desk import Office, change
from functions.usecases.tell import News, tell
from protocol.payloads import EscalateTask, Json

_EARLY = timedelta(minutes=1)


def escalate(call: EscalateTask, office: Office) -> Task:
    """Keep the level's token and send its notices, at most once to each recipient.

    A level that is not the newest any more, or that a deadline reached before its time, sends
    nothing.
    """
    desk = office.desk
    identifier = task_id("manual", Place.of(call["run"], call["step"], call.get("items")))
    level = call["level"]
    # Before the task is looked at: a decision then is either seen here, or sees the token.
    order = order_of(call["run"], call.get("entry", 0), level)
    office.tokens.keep(identifier, call["token"], order)
    task = desk.tasks.get(identifier)
    if task is None:
        raise ValidationError(f"no task of '{call['step']}' was opened")
    now = desk.clock.now()
    is_due = now + _EARLY >= task.opened_at + timedelta(seconds=call.get("after", 0))
    if is_due:
        task = change(desk.tasks, task, lambda one: task_rules.escalate(one, level, now))
    if not task.is_open:
        desk.tasks.nudge(identifier)
        return task
    if not is_due or task.level != level:
        return task
    news = News("escalated", str(level), note_of(call.get("message")))
    return tell(task, recipients(call.get("notify"), task, office), news, office)


def recipients(notify: Json, task: Task, office: Office) -> tuple[str, ...]:
    """Return whom a level tells; where that is nobody who can be told, the assignees."""
    try:
        return office.desk.directory.resolve(notify)
    except ValidationError:
        return task.people


def note_of(message: Json) -> str | None:
    """Return the author's text of a level."""
    return message.strip()[:2000] or None if isinstance(message, str) else None
