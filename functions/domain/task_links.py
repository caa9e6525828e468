"""Links for people without a login, and for outside systems: signed, expiring, kept as a hash.

A token is the HMAC of what it stands for, so that it can be made again for a second mail and
need never be stored; the task keeps its hash, its number and its end. A higher number makes
every link before it void.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from functions.domain.task import Actor, Entry, Link, Task

CALLBACK = "callback"
"""Whose link a callback's is: that of the outside system."""


@dataclass(frozen=True, slots=True)
class Signer:
    """Makes and reads links; `base` is the address of the API, `key` a secret of the stage."""

    key: bytes
    base: str

    def with_link(self, task: Task, person: str, number: int, expires_at: datetime) -> Task:
        """Return the task with a person's link of that number."""
        token = self._token(task.task_id, person, number, expires_at)
        link = Link(_hash(token), number, expires_at)
        return replace(task, links={**task.links, person: link})

    def token(self, task: Task, person: str) -> str | None:
        """Return a person's token, None where they have no link."""
        link = task.links.get(person)
        if link is None:
            return None
        return self._token(task.task_id, person, link.number, link.expires_at)

    def url(self, task: Task, person: str) -> str | None:
        """Return the address of the page on which a person decides; None without a link."""
        token = self.token(task, person)
        return None if token is None else f"{self.page(task)}?t={quote(token, safe='')}"

    def page(self, task: Task) -> str:
        """Return the address of a task's page, for people who are logged in."""
        return f"{self.base}/tasks/{task.task_id}"

    def callback_url(self, task: Task) -> str:
        """Return the address to which an outside system posts its answer."""
        return f"{self.base}/api/callbacks/{task.task_id}.{self.token(task, CALLBACK)}"

    def holder(self, task: Task, token: str, now: datetime) -> tuple[str, bool] | None:
        """Return whose link a token is and whether it still holds; None where it is nobody's.

        All links are looked at, whichever fits, so that the time tells nothing.
        """
        found: tuple[str, bool] | None = None
        for person, link in task.links.items():
            made = self._token(task.task_id, person, link.number, link.expires_at)
            signed = hmac.compare_digest(made.encode(), token.encode())
            kept = hmac.compare_digest(link.hash.encode(), _hash(token).encode())
            if signed and kept:
                found = (person, now <= link.expires_at)
        return found

    def form_token(self, task: Task, actor: Actor) -> str:
        """Return what the form of a task's page carries, so that no other page can send it."""
        link = task.links.get(actor.name)
        number = 0 if link is None or actor.via != "link" else link.number
        return self._signed(["form", task.task_id, actor.name, actor.via, number])

    def _token(self, task: str, person: str, number: int, expires_at: datetime) -> str:
        return self._signed([task, person, number, expires_at.isoformat()])

    def _signed(self, parts: list[str | int]) -> str:
        mac = hmac.new(self.key, json.dumps(parts).encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(mac).decode().rstrip("=")


def fresh(signer: Signer, task: Task, person: str, actor: Actor, now: datetime) -> Task:
    """Return the task with a new link for an assignee; the ones before it are void."""
    entry = Entry(now, "link_made", actor.name, actor.via, f"for {person}")
    linked = signer.with_link(task, person, next_number(task), task.expires_at)
    return replace(linked, history=(*linked.history, entry))


def next_number(task: Task) -> int:
    """Return a number that no link of a task had: also none of a person who was asked before."""
    return task.version + 1


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
