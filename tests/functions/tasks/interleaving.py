"""Calls that run at the same moment, in every order of their reads and writes.

Each call is a thread that stops before each use of a port; one goes on at a time, and which one
is chosen in turn for all schedules (with a bound on how often a call is cut off that could have
gone on). What wakes the run is a call of its own, begun by the write that asks for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from functions.domain.task import Entry, Kind, Task


class Crash(BaseException):
    """The process is gone."""


@dataclass
class _Call:
    work: Callable[[], object]
    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    ended: bool = False
    result: object = None
    writes: int = 0
    crash_after: int | None = None


class Schedule:
    """Runs calls by a list of choices; beyond it, whoever runs goes on. Used once."""

    def __init__(self, choices: list[int]):
        self._choices = choices
        self._calls: list[_Call] = []
        self._stopped = threading.Semaphore(0)
        self._here = threading.local()
        self.taken: list[tuple[list[int], int, int | None]] = []

    def add(self, work: Callable[[], object], crash_after: int | None = None) -> _Call:
        """Add a call; with `crash_after` it is gone after that many of its writes."""
        call = _Call(work, crash_after=crash_after)
        self._calls.append(call)
        threading.Thread(target=self._run, args=(call,), daemon=True).start()
        return call

    def point(self) -> None:
        """Stop until it is this call's turn; nothing outside of calls."""
        call: _Call | None = getattr(self._here, "call", None)
        if call is not None:
            self._stopped.release()
            call.go.acquire()

    def written(self) -> None:
        """Take note of a write, after which the call may crash."""
        call: _Call | None = getattr(self._here, "call", None)
        if call is not None:
            call.writes += 1
            if call.crash_after == call.writes:
                raise Crash

    def play(self) -> None:
        """Run all calls to their ends."""
        last: int | None = None
        while True:
            able = [at for at, call in enumerate(self._calls) if not call.ended]
            if not able:
                return
            step = len(self.taken)
            default = last if last in able else able[0]
            chosen = self._choices[step] if step < len(self._choices) else default
            self.taken.append((able, chosen, last if last in able else None))
            last = chosen
            self._calls[chosen].go.release()
            self._stopped.acquire()

    def _run(self, call: _Call) -> None:
        call.go.acquire()
        self._here.call = call
        try:
            call.result = call.work()
        except (Crash, Exception) as error:  # noqa: BLE001 (looked at by the test)
            call.result = error
        call.ended = True
        self._stopped.release()


def schedules(play: Callable[[Schedule], None], bound: int) -> Iterator[list[int]]:
    """Play every schedule with at most `bound` cuts; yields each one after it was played."""
    pending: list[list[int]] = [[]]
    while pending:
        choices = pending.pop()
        schedule = Schedule(choices)
        play(schedule)
        yield [chosen for _, chosen, _ in schedule.taken]
        cuts = 0
        path: list[int] = []
        for step, (able, chosen, last) in enumerate(schedule.taken):
            if step >= len(choices):
                for other in able:
                    cut = last is not None and other != last
                    if other != chosen and cuts + cut <= bound:
                        pending.append([*path, other])
            cuts += last is not None and chosen != last
            path.append(chosen)


class MemoryTasks:
    """`functions.ports.Tasks` in memory; each call is one step of a schedule.

    `wakes` is called for each write that the handler `wake` would take up. `statuses` are all
    that were ever written, by task.
    """

    def __init__(self, schedule: Schedule, wakes: Callable[[str], object]):
        self.schedule = schedule
        self._wakes = wakes
        self.rows: dict[str, Task] = {}
        self.ended: set[tuple[str, int]] = set()
        self.members: list[str] = []
        self.lines: list[Entry] = []
        self.statuses: dict[str, list[str]] = {}

    def create(self, task: Task) -> Task:
        self.schedule.point()
        if task.task_id not in self.members:
            self.members.append(task.task_id)
        self.schedule.written()
        self.schedule.point()
        if task.task_id in self.rows:
            return self.rows[task.task_id]
        self._put(task)
        return task

    def get(self, task_id: str) -> Task | None:
        self.schedule.point()
        return self.rows.get(task_id)

    def replace(self, task: Task) -> Task | None:
        self.schedule.point()
        stored = self.rows[task.task_id]
        if stored.version != task.version:
            return stored
        self._put(replace(task, version=task.version + 1))
        return None

    def nudge(self, task_id: str) -> None:
        self.schedule.point()
        self._wakes(task_id)
        self.schedule.written()

    def audit(self, task_id: str, entry: Entry) -> None:
        del task_id
        self.schedule.point()
        self.lines.append(entry)
        self.schedule.written()

    def audited(self, task_id: str) -> list[Entry]:
        del task_id
        return self.lines

    def end(self, run_id: str, run_attempt: int) -> None:
        self.schedule.point()
        self.ended.add((run_id, run_attempt))
        self.schedule.written()

    def has_ended(self, run_id: str, run_attempt: int) -> bool:
        self.schedule.point()
        return (run_id, run_attempt) in self.ended

    def of_run(self, run_id: str) -> list[Task]:
        self.schedule.point()
        members = [*self.members]
        found = [self.get(one) for one in members]
        return [task for task in found if task is not None and task.place.run_id == run_id]

    def listed(self, kind: Kind, *, is_open: bool) -> list[Task]:
        return [t for t in self.rows.values() if t.kind == kind and t.is_open == is_open]

    def _put(self, task: Task) -> None:
        before = self.rows.get(task.task_id)
        self.rows[task.task_id] = task
        if before is None or before.status != task.status:
            self.statuses.setdefault(task.task_id, []).append(task.status)
            if not task.is_open:
                self._wakes(task.task_id)
        self.schedule.written()


class MemoryTokens:
    """`functions.ports.TaskTokens` in memory; each call is one step of a schedule."""

    def __init__(self, schedule: Schedule):
        self.schedule = schedule
        self.rows: dict[str, tuple[int, str]] = {}

    def keep(self, task_id: str, token: str, order: int) -> None:
        self.schedule.point()
        if task_id not in self.rows or self.rows[task_id][0] <= order:
            self.rows[task_id] = (order, token)
        self.schedule.written()

    def get(self, task_id: str) -> str | None:
        self.schedule.point()
        row = self.rows.get(task_id)
        return None if row is None else row[1]


def stepping(schedule: Schedule, answers: Any) -> Any:
    """Return answers to executions, each of which is a step of a schedule."""

    class Stepping:
        def succeed(self, token: str, output: Any) -> bool:
            schedule.point()
            return bool(answers.succeed(token, output))

        def fail(self, token: str, error: str, cause: str) -> bool:
            schedule.point()
            return bool(answers.fail(token, error, cause))

    return Stepping()
