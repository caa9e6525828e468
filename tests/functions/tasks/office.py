"""A run with one manual step: what the machine calls, what people do, what the run is told."""

from __future__ import annotations

import itertools
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

from functions.domain.arrivals import Came
from functions.domain.people import Directory
from functions.domain.task import Actor, Answer, Place, task_id
from functions.domain.task_links import Signer
from functions.handlers import tasks as tasks_function
from functions.ports import NotSent
from functions.usecases.close_tasks import close_tasks
from functions.usecases.decide import decide
from functions.usecases.desk import Desk, Office, Waker
from local.people import Stream

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
ALICE, BOB, CAROL, LEAD = (f"{name}@example.com" for name in ("alice", "bob", "carol", "lead"))
PEOPLE = Directory(
    groups={"developers": (ALICE, BOB)},
    identities={"github:alice": ALICE, "al@example.com": ALICE},
    approvers=(LEAD,),
)
_runs = itertools.count(1)


class SetClock:
    """A clock that is set by hand."""

    def __init__(self):
        self.at = START

    def now(self):
        return self.at

    def sleep(self, seconds):
        self.forward(seconds=seconds)

    def forward(self, **duration):
        self.at += timedelta(**duration)


class Executions:
    """Task tokens: the ones that wait take one answer, others are told that nothing waits."""

    def __init__(self):
        self.waiting: set[str] = set()
        self.taken: dict[str, object] = {}
        self.sent = 0
        self._lock = threading.Lock()

    def succeed(self, token, output):
        return self._take(token, output)

    def fail(self, token, error, cause):
        return self._take(token, (error, cause))

    def _take(self, token, answer):
        with self._lock:
            self.sent += 1
            if token not in self.waiting:
                return False
            self.waiting.discard(token)
            self.taken[token] = answer
            return True


class Mails:
    """What people are told; `broken` names those whom no mail reaches."""

    has_chat = False

    def __init__(self):
        self.sent = []
        self.broken: set[str | None] = set()

    def send(self, message):
        if message.recipient in self.broken:
            raise NotSent("SES: MessageRejected")
        self.sent.append(message)

    def to(self, recipient):
        return [one for one in self.sent if one.recipient == recipient]


def came(scene, event):
    """Return an event that comes now."""
    return Came("any", "e1", scene.clock.now(), event)


class Scene:
    """A run of its own with everything around it."""

    stream: Stream  # of the real tables; `read()` wakes the run

    def __init__(self, tasks, tokens, *, starter=None, answers=None):
        self.clock = SetClock()
        self.mails = Mails()
        self.executions = Executions()
        self.run = {
            "id": f"run-{next(_runs)}", "attempt": 1, "started_at": "2026-11-30T09:00:00Z",
            "started_by": starter, "workflow": "release", "version": "1", "contract": 1,
        }  # fmt: skip
        self.tasks = tasks
        self.signer = Signer(b"a key of thirty-two bytes, or so", "https://api.example.com")
        self.desk = Desk(self.clock, tasks, PEOPLE, self.signer)
        self.office = Office(self.desk, tokens, self.mails)
        self.waker = Waker(tasks, tokens, answers or self.executions)
        self._handle = tasks_function.handler_with(lambda: self.office)
        self._numbers = itertools.count(1)

    # --- the machine

    def call(self, op, *, waits=True, **fields):
        """Call `tasks` as the machine does; return the token that waits, or what it gives."""
        call: Any = {"op": op, "run": self.run, "step": "review", **fields}
        if not waits:
            return self._handle(call, None)
        token = call.setdefault("token", f"token-{self.run['id']}-{next(self._numbers)}")
        self.executions.waiting.add(token)
        self._handle(call, None)
        return token

    def open(self, assignees=(ALICE, BOB), **fields):
        """Enter the step; it times out after 72 hours."""
        defaults = {
            "title": "Review staging", "description": "Look at it", "assignees": list(assignees),
            "timeout": 259_200, "auth": "link", "quorum": 1, "self_approval": False,
        }  # fmt: skip
        return self.call("open", **(defaults | fields))

    def escalate(self, level=1, **fields):
        defaults = {"level": level, "notify": [LEAD], "message": "Overdue"}
        return self.call("escalate", **(defaults | fields))

    def expire(self, **fields):
        return self.call("expire", waits=False, **fields)

    def times_out(self, token):
        """The state that waits with a token is left by its timeout."""
        self.executions.waiting.discard(token)

    # --- people

    @property
    def id(self):
        return task_id("manual", Place(self.run["id"], self.run["attempt"], "review"))

    @property
    def task(self):
        return self.tasks.get(self.id)

    def decide(self, status="approved", by=ALICE, via="login", **fields):
        return decide(self.id, Actor(by, via), Answer(status, **fields), self.desk)

    def stop(self):
        """The run is stopped: nothing waits any more, and its tasks are closed."""
        self.executions.waiting.clear()
        return close_tasks(self.run["id"], self.run["attempt"], "the run was stopped", self.desk)

    def audited(self):
        return [entry.what for entry in self.tasks.audited(self.id)]
