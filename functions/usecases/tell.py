"""Tell people about a task: each of them once per occasion, whatever is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from functions.domain.task import PENDING, TIMED_OUT, Actor, Notice, Task
from functions.domain.task_messages import Occasion, message
from functions.domain.task_rules import assignee, deciders
from functions.ports import NotSent
from functions.usecases.desk import Teller, change

CHAT = "chat"


@dataclass(frozen=True, slots=True)
class News:
    """What is told: the occasion, which one of its kind (the level), and the author's text."""

    occasion: Occasion
    level: str
    note: str | None = None


def tell(task: Task, recipients: Sequence[str], news: News, office: Teller) -> Task:
    """Tell each recipient, and the stage's chat; return the task with what came of it.

    A notice is claimed in the task before it is sent, by a write that also makes sure that the
    task has not ended in between. A message that cannot be sent is noted and stops nobody.
    """
    wanted: list[str | None] = [*dict.fromkeys(recipients)]
    if office.notifications.has_chat:
        wanted.append(None)
    for recipient in wanted:
        key = f"{news.level}/{recipient or CHAT}"
        task, is_ours = _claim(task, key, news, office)
        if is_ours:
            task = _noted(task, key, _sent(task, key, recipient, news, office), office)
    return task


def _claim(task: Task, key: str, news: News, office: Teller) -> tuple[Task, bool]:
    """Return the task, and whether it is this call that is to send the notice."""
    wanted = TIMED_OUT if news.occasion == "timed_out" else PENDING
    while key not in task.notices and task.status == wanted:
        notice = Notice(office.desk.clock.now())
        claimed = replace(task, notices={**task.notices, key: notice})
        stored = office.desk.tasks.replace(claimed)
        if stored is None:
            return replace(claimed, version=claimed.version + 1), True
        task = stored
    return task, False


def _noted(task: Task, key: str, notice: Notice, office: Teller) -> Task:
    def wish(one: Task) -> Task:
        return replace(one, notices={**one.notices, key: notice})

    return change(office.desk.tasks, task, wish)


def _sent(task: Task, key: str, recipient: str | None, news: News, office: Teller) -> Notice:
    desk = office.desk
    page = desk.signer.page(task)
    link = None
    if recipient is not None and task.is_open and task.auth == "link":
        own = assignee(task, Actor(recipient, "system"), desk.directory)
        if own in deciders(task, desk.directory):
            link = desk.signer.url(task, own or "")
    told = message(task, news.occasion, recipient, page=page, link=link, note=news.note)
    claimed = task.notices[key]
    try:
        office.notifications.send(told)
    except NotSent as error:
        return replace(claimed, outcome="failed", error=str(error)[:300])
    return replace(claimed, outcome="sent")
