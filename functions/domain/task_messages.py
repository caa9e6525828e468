"""What people are told about a task: a subject, a text, and the link that is theirs alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from functions.domain.task import Task
from functions.domain.task_answers import stamp

Occasion: TypeAlias = Literal["opened", "escalated", "timed_out", "reassigned"]

_LONGEST_SUBJECT = 200
_HEADS: dict[Occasion, str] = {
    "opened": "Please decide",
    "escalated": "Still open",
    "timed_out": "Timed out",
    "reassigned": "Now yours",
}


@dataclass(frozen=True, slots=True)
class Message:
    """A message to one recipient (None: the stage's chat).

    `text` holds no link. `link` is the recipient's own and lets its holder decide: it goes
    into what is sent, and nowhere else. `page` needs a login. `asks`: the recipient is to decide.
    """

    task_id: str
    recipient: str | None
    subject: str
    text: str
    page: str
    link: str | None = None
    asks: bool = True

    def body(self) -> str:
        """Return the whole text to be sent."""
        where = f"Decide here (the link is yours alone): {self.link}" if self.link else self.page
        return f"{self.text}\n\n{where}\n"


def message(
    task: Task,
    occasion: Occasion,
    recipient: str | None,
    *,
    page: str,
    link: str | None = None,
    note: str | None = None,
) -> Message:
    """Return what a recipient is told on an occasion; `note` is the author's own text."""
    subject = " ".join(f"{_HEADS[occasion]}: {task.title}".split())[:_LONGEST_SUBJECT]
    return Message(task.task_id, recipient, subject, _text(task, note), page, link)


def _text(task: Task, note: str | None) -> str:
    place = task.place
    facts = [
        f"Workflow: {task.workflow_id}",
        f"Run: {place.run_id}, step {place.step_id}",
        f"Started by: {task.started_by or 'unknown'}",
        f"Asked: {', '.join(task.people) or 'nobody'}",
        *([f"Due: {stamp(task.due_at)}"] if task.due_at else []),
        f"Open until: {stamp(task.expires_at)}",
    ]
    parts = [note, task.title, task.description, "\n".join(facts)]
    return "\n\n".join(part for part in parts if part)
