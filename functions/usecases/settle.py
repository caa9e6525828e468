"""End what no person decides: a wait for an event, and the callback of an outside system."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Protocol, TypeAlias

from functions.domain import task_rules
from functions.domain.arrivals import LARGEST, Came, TooLarge, Wait, counts
from functions.domain.task import DELIVERED, FAILED, SUCCEEDED, Actor, Answer, Task
from functions.domain.task_forms import form_problems
from functions.domain.task_links import CALLBACK
from functions.domain.task_rules import Verdict
from functions.ports import Clock, Tasks
from functions.usecases.desk import Desk
from protocol.payloads import Json

Reads: TypeAlias = Callable[[Json, Json], tuple[Json] | None]
"""What a wait gets of an event, by its subject (`pattern`, `match`); None if it fits not."""


class Waits(Protocol):
    """Where waits are; the desk is such a place."""

    @property
    def clock(self) -> Clock:
        """Return the clock."""

    @property
    def tasks(self) -> Tasks:
        """Return the tasks."""


def deliver(event: Came, reads: Reads, waits: Waits) -> list[str]:
    """Give an event to every open wait that it fits; return the ids of those it ended.

    It is kept before anybody is asked, so that a wait which is just being opened finds it. One that
    came before a wait is for the first of its run that asks: however late or often it is delivered,
    it ends no later one. A wait that cannot be ended holds up no other; then the first error is
    raised. That is TooLarge for what no step can be told.
    """
    waits.tasks.waits.keep(event)
    ended, errors = [], []
    for wait in waits.tasks.waits.announced():
        try:
            if _delivered(event, wait, reads, waits):
                ended.append(wait.task_id)
        except Exception as error:  # noqa: BLE001 (whatever it is, the others wait as well)
            errors.append(error)
    if errors:
        raise errors[0]
    return ended


def _delivered(event: Came, wait: Wait, reads: Reads, waits: Waits) -> bool:
    tasks = waits.tasks
    read = _read(event, wait.subject, reads)
    if read is None:
        return False
    task = tasks.get(wait.task_id)
    if task is None:
        return False  # it is just being written, and then finds the event itself
    if not task.is_open:
        tasks.waits.over(wait.task_id, task.history[-1].at)
        return False
    if any(at < task.opened_at for at in _ended_at(event.event_id, task, tasks)):
        return False
    return _ends(task, event, read, waits)


def deliver_kept(
    task: Task, types: Iterable[str], since: datetime, reads: Reads, waits: Waits
) -> bool:
    """End a wait with the first event that came before it; return whether one did.

    Of several waits of a run the first that asks gets it. A later attempt asks anew: what a step
    had in an earlier one is there for it again.
    """
    came = [one for name in types for one in waits.tasks.waits.kept(name, since)]
    fits = [
        (event, read)
        for event in sorted(came, key=lambda one: one.at)
        if (read := _read(event, task.subject, reads)) is not None
    ]
    if not fits:
        return False
    others = [
        one.decision.comments
        for one in waits.tasks.of_run(task.place.run_id)
        if one.kind == "event" and one.decision is not None and not _is_earlier(one, task)
    ]
    return any(
        event.event_id not in others and _ends(task, event, read, waits) for event, read in fits
    )


def _is_earlier(one: Task, task: Task) -> bool:
    """Return whether a task is another's in an earlier attempt of the run."""
    mine = replace(task.place, run_attempt=one.place.run_attempt)
    return one.place == mine and one.place.run_attempt < task.place.run_attempt


def _read(event: Came, subject: Json, reads: Reads) -> tuple[Json] | None:
    if not counts(subject, event.at, event.event_id):
        return None
    return reads(subject, dict(event.event))


def _ends(task: Task, event: Came, read: tuple[Json], waits: Waits) -> bool:
    size = len(json.dumps(read[0], ensure_ascii=False).encode(errors="surrogatepass"))
    if size > LARGEST:
        raise TooLarge(
            f"the step '{task.place.step_id}' of '{task.place.run_id}' cannot be told of an event "
            f"of {size:,} bytes; at most {LARGEST:,}"
        )
    answer = Answer(DELIVERED, comments=event.event_id, form=read[0])
    return _settle(task, answer, "event", waits).name == "decided"


def _ended_at(event_id: str, task: Task, tasks: Tasks) -> Iterator[datetime]:
    """Yield when an event ended waits of a task's run."""
    for one in tasks.of_run(task.place.run_id):
        decision = one.decision
        if one.kind == "event" and decision is not None and decision.comments == event_id:
            yield decision.decided_at


def answer_callback(token: str, outputs: Json, desk: Desk, *, failure: Json = None) -> Verdict:
    """Take the answer of an outside system that knows the token of its URL.

    `failure` (`type`, `message`) says that it did not do it. `unknown` stands for a token that
    is no one's, whatever is wrong with it.
    """
    task_id, _, secret = token.partition(".")
    task = desk.tasks.get(task_id)
    holder = task and desk.signer.holder(task, secret, desk.clock.now())
    if task is None or not holder or holder[0] != CALLBACK:
        return Verdict("unknown")
    if outputs is not None and not isinstance(outputs, dict):
        return Verdict("invalid", task, ("/: must be an object of outputs",))
    problems = form_problems(None, failure or outputs)
    if problems:
        return Verdict("invalid", task, problems)
    done = Answer(SUCCEEDED, form=outputs or {})
    answer = done if failure is None else Answer(FAILED, form=failure)
    return _settle(task, answer, CALLBACK, desk)


def _settle(task: Task, answer: Answer, by: str, desk: Waits) -> Verdict:
    while True:
        now = desk.clock.now()
        verdict, changed = task_rules.settle(task, answer, Actor(by, "system"), now)
        stored = None if changed is None else desk.tasks.replace(changed)
        if stored is None:
            return verdict
        task = stored
