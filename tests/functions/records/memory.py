"""What keeps records, with everything around it in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from functions.domain.lock import Group
from functions.domain.people import Directory
from functions.domain.records.executions import Execution, machine_of
from functions.domain.records.item import RunItem
from functions.domain.records.rows import ResultRow
from functions.record_ports import Kept, Known, RunsPage, Sought
from functions.usecases.archive import Archive, Keeper
from functions.usecases.lock import release
from protocol.names import machine_name
from protocol.payloads import Release
from tests.functions.tasks.interleaving import MemoryTasks, Schedule
from tests.functions.tasks.office import Mails

STAGE = "local"
PREFIX = "arn:aws:states:eu-central-1:123456789012"
START = datetime(2026, 1, 1, tzinfo=UTC)


def execution_arn(machine: str, name: str) -> str:
    return f"{PREFIX}:execution:{machine}:{name}"


class MemoryRuns:
    """`functions.record_ports.Runs` in memory; what is put in goes through JSON, as in a table."""

    def __init__(self):
        self.items: dict[str, RunItem] = {}
        self.starts: dict[tuple[str, int], Any] = {}
        self.records: dict[tuple[str, int], Kept] = {}
        self.of_runs: dict[str, dict[str, Known]] = {}
        self.notes: dict[str, dict[str, str]] = {}
        self.crashes: Iterator[bool] | None = None

    def _written(self) -> None:
        if self.crashes is not None and next(self.crashes, False):
            raise ConnectionError("the process is gone")

    def get(self, run_id: str) -> RunItem | None:
        return self.items.get(run_id)

    def add(self, item: RunItem) -> None:
        self.change(item.run_id, lambda stored: item if stored is None else None)

    def change(self, run_id: str, wish: Callable[[RunItem | None], RunItem | None]) -> Any:
        stored = self.items.get(run_id)
        wanted = wish(stored)
        if wanted is None or wanted == stored:
            return stored
        self.items[run_id] = replace(wanted, version=wanted.version + 1)
        self._written()
        return self.items[run_id]

    def listed(self, sought: Sought, limit: int, after: Mapping[str, str] | None) -> RunsPage:
        found = [
            one.summary()
            for one in self.items.values()
            if one.parent is None
            and sought.workflow in (None, one.workflow_id)
            and sought.status in (None, one.status)
            and sought.starter in (None, one.started_by)
            and one.run_id.startswith(sought.prefix or "")
        ]
        found.sort(key=lambda one: one["started_at"], reverse=True)
        begin = int((after or {"at": "0"})["at"])
        more = begin + limit < len(found)
        return RunsPage(found[begin : begin + limit], {"at": str(begin + limit)} if more else None)

    def unsettled(self, limit: int) -> list[RunItem]:
        found = [item for item in self.items.values() if not item.settled]
        return sorted(found, key=lambda item: item.looked_at or item.started_at)[:limit]

    def give(self, run_id: str, attempt: int, given: Mapping[str, Any]) -> None:
        self.starts.setdefault((run_id, attempt), json.loads(json.dumps(given)))
        self._written()

    def given(self, run_id: str, attempt: int) -> Any:
        return self.starts.get((run_id, attempt))

    def keep(self, kept: Kept) -> None:
        key = (kept.record["run_id"], kept.record["run_attempt"])
        if key not in self.records or self.records[key].over <= kept.over:
            self.records[key] = replace(kept, record=json.loads(json.dumps(kept.record)))
        self._written()

    def kept(self, run_id: str, attempt: int) -> Kept | None:
        return self.records.get((run_id, attempt))

    def know(self, run_id: str, known: Known) -> None:
        self.of_runs.setdefault(run_id, {}).setdefault(known.name, known)
        self._written()

    def known(self, run_id: str) -> list[Known]:
        return [*self.of_runs.get(run_id, {}).values()]

    def claim(self, run_id: str, what: str) -> bool:
        notes = self.notes.setdefault(run_id, {})
        is_new = what not in notes
        notes.setdefault(what, "")
        self._written()
        return is_new

    def note(self, run_id: str, what: str, outcome: str) -> None:
        self.notes.setdefault(run_id, {})[what] = outcome
        self._written()

    def noted(self, run_id: str) -> Mapping[str, str]:
        return dict(self.notes.get(run_id, {}))


class MemoryEngine:
    """Executions, with their histories, by the names of executions; what is asked of them."""

    def __init__(self):
        self.executions: dict[str, Execution] = {}
        self.histories: dict[str, list[Any]] = {}
        self.started: list[tuple[str, str, str]] = []
        self.stopped: list[str] = []

    def add(self, execution: Execution, history: list[Any]) -> None:
        self.executions[execution.name] = execution
        self.histories[execution.name] = history

    def describe(self, arn: str) -> Execution | None:
        return self.executions.get(arn.rpartition(":")[2])

    def events(self, arn: str) -> Iterator[Any]:
        yield from self.histories[arn.rpartition(":")[2]]

    def start(self, reference: str, name: str, text: str) -> bool:
        self.started.append((reference, name, text))
        return name not in self.executions

    def is_over(self, execution: str) -> bool:
        found = self.describe(execution)
        return found is None or found.is_over

    def stop(self, execution: str, error: str, cause: str) -> None:
        del error, cause
        self.stopped.append(execution.rpartition(":")[2])


class MemoryManifests:
    """Manifests by their digests."""

    def __init__(self, *manifests: Any):
        self._all = {one["digest"]: one for one in manifests}

    def current(self, reference: str) -> Any:
        return next((one for one in self._all.values() if one["id"] == reference), None)

    def all(self) -> list[Any]:
        return [*self._all.values()]

    def by_digest(self, digest: str) -> Any:
        return self._all.get(digest)

    def keep(self, manifest: Any) -> None:
        self._all[manifest["digest"]] = manifest


class MemoryLocks:
    """Concurrency groups by name."""

    def __init__(self):
        self.groups: dict[str, Group] = {}
        self.of: dict[str, str] = {}

    def remember(self, execution: str, name: str) -> None:
        self.of[execution] = name

    def group_of(self, execution: str) -> str | None:
        return self.of.get(execution)

    def change(self, name: str, wish: Any) -> Any:
        turn = wish(self.groups.get(name, Group()))
        self.groups[name] = turn.group
        return turn


class MemoryAnswers:
    """Answers that all find somebody who waits."""

    def __init__(self):
        self.sent: list[str] = []

    def succeed(self, token: str, output: Any) -> bool:
        del output
        self.sent.append(token)
        return True

    def fail(self, token: str, error: str, cause: str) -> bool:
        del error, cause
        self.sent.append(token)
        return True


@dataclass
class MemoryRows:
    """Stored results by run."""

    runs: dict[str, dict[str, ResultRow]] = field(default_factory=dict)

    def of_run(self, run_id: str) -> Mapping[str, ResultRow]:
        return self.runs.get(run_id, {})


@dataclass
class MemoryBus:
    """Events in the order of their publication."""

    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def publish(self, name: str, detail: dict[str, Any]) -> None:
        self.events.append((name, json.loads(json.dumps(detail))))


class SetClock:
    """A clock that is set by hand."""

    def __init__(self):
        self.at = START

    def now(self) -> datetime:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


class NoSecrets:
    def get(self, name: str) -> str:
        raise KeyError(name)


class Office:
    """A keeper of records, and everything around it."""

    def __init__(self, *manifests: Any, directory: Directory | None = None):
        self.clock = SetClock()
        self.runs = MemoryRuns()
        self.engine = MemoryEngine()
        self.rows = MemoryRows()
        self.nudged: list[str] = []
        self.tasks = MemoryTasks(Schedule([]), self.nudged.append)
        self.manifests = MemoryManifests(*manifests)
        self.locks = MemoryLocks()
        self.answers = MemoryAnswers()
        self.bus = MemoryBus()
        self.mails = Mails()
        self.archive = Archive(STAGE, self.clock, self.runs, self.rows, self.tasks, self.manifests)
        self.keeper = Keeper(
            archive=self.archive,
            histories=self.engine,
            machines=self.engine,
            executions=self.engine,
            locks=self.locks,
            release=self._release,
            bus=self.bus,
            notifications=self.mails,
            directory=directory or Directory(),
            secrets=NoSecrets(),
            address=lambda reference, name: execution_arn(machine_name(STAGE, reference), name),
            api="https://api.example.com",
        )

    def _release(self, execution: str) -> None:
        message: Release = {"op": "release", "execution": execution}
        release(message, self.locks, self.answers, self.engine)


def change(execution: Execution, *, with_input: bool = True) -> dict[str, Any]:
    """Return the `detail` of the status change event of an execution as it is."""
    over = execution.completed_at is not None
    return {
        "executionArn": execution.arn,
        "stateMachineArn": f"{PREFIX}:stateMachine:{machine_of(execution.arn)}",
        "name": execution.name,
        "status": execution.status,
        "startDate": _millis(execution.started_at),
        "stopDate": _millis(execution.completed_at) if over else None,
        "input": json.dumps(execution.input) if with_input else None,
        "inputDetails": {"included": with_input},
        "output": json.dumps(execution.output) if execution.status == "SUCCEEDED" else None,
        "outputDetails": {"included": True},
        "error": execution.error,
        "cause": execution.cause,
    }


def begins(execution: Execution) -> dict[str, Any]:
    """Return the `detail` of the status change event of an execution's begin."""
    running = replace(execution, status="RUNNING", completed_at=None, output=None)
    return change(replace(running, error=None, cause=None))


def _millis(moment: datetime) -> int:
    return (moment - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)
