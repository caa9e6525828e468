"""A run is cancelled: all its executions are stopped, and it is undone if that is asked."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from compiler.manifest import manifest
from functions.domain.records.executions import Execution
from functions.domain.records.item import CLOSED, ENDED, RunItem
from functions.domain.stored import StoredResult
from functions.record_ports import Known
from functions.usecases.archive import Plans
from functions.usecases.cancel import Canceller, NotCancelled, UnknownRun, cancel
from functions.usecases.close_run import Closer
from protocol.names import CANCELLED
from tests.emitted import compiled
from tests.functions.resume.memory import Manifests, Results, Row, Runs
from tests.functions.resume.town import RUN

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SAGA = {"name": "main", "steps": [{"id": "a", "run": "echo", "compensate": {"run": "echo"}}]}


class Clock:
    def now(self) -> datetime:
        return NOON


@dataclass
class Engine:
    """Executions that are stopped, started and described."""

    stopped: list[tuple[str, str, Any]] = field(default_factory=list)
    started: list[tuple[str, str, Any]] = field(default_factory=list)
    executions: dict[str, Execution] = field(default_factory=dict)

    def stop(self, execution: str, error: str, cause: str) -> None:
        self.stopped.append((execution, error, json.loads(cause)))

    def start(self, reference: str, name: str, text: str) -> bool:
        self.started.append((reference, name, json.loads(text)))
        return True

    def describe(self, arn: str) -> Execution | None:
        return self.executions.get(arn)


@dataclass
class Stage:
    """A run and all it takes to cancel it."""

    runs: Runs = field(default_factory=Runs)
    results: Results = field(default_factory=Results)
    manifests: Manifests = field(default_factory=Manifests)
    engine: Engine = field(default_factory=Engine)

    def __post_init__(self) -> None:
        made = manifest(compiled(SAGA))
        self.manifests.keep(made)
        self.runs.items[RUN] = RunItem(
            RUN, "main", "", "main", "2026-01-01T12:00:00.000Z", execution="arn:run",
            began_at="2026-01-01T12:00:00.000Z", manifest=made["digest"],
        )  # fmt: skip
        given: Any = {"inputs": {"x": 1}, "run": {"id": RUN, "attempt": 1}}
        self.engine.executions["arn:run"] = Execution(
            "arn:run", "m", RUN, "ABORTED", NOON, NOON, input=given
        )

    def knows(self, name: str, role: Any, run: str = RUN, attempt: int = 1) -> None:
        known = Known(name, f"arn:{name}", role, run, attempt, "2026-01-01")
        self.runs.executions.setdefault(RUN, []).append(known)

    def over(self, status: str) -> None:
        item = self.runs.items[RUN]
        self.runs.items[RUN] = replace(item, status=status, phase=CLOSED, settled=True)

    def has_result(self, status: str = "succeeded", **more: Any) -> None:
        result = StoredResult("a", status, NOON, {}, {}, None, claim="c", **more)
        self.results.rows[RUN, "a"] = Row(result)

    def cancel(self, **wishes: Any) -> RunItem:
        engine: Any = self.engine
        plans = Plans("test", self.manifests)
        closer = Closer("test", self.runs, self.results, engine, engine, plans)
        return cancel(RUN, "ann", Canceller(Clock(), self.runs, engine, closer), **wishes)


def test_the_run_is_stopped_with_who_wanted_it():
    stage = Stage()
    item = stage.cancel()
    assert stage.engine.stopped == [("arn:run", CANCELLED, {"by": "ann", "compensate": False})]
    assert item.cancelling is not None
    assert (item.cancelling.by, item.status) == ("ann", "running")


def test_what_it_started_is_stopped_too_but_for_what_is_over_or_of_an_earlier_attempt():
    stage = Stage()
    stage.knows("chunk", "chunk")
    stage.knows("child", "child", "child")
    stage.knows("old", "child", "old")
    stage.knows("before", "chunk", attempt=0)
    stage.runs.items["old"] = replace(stage.runs.items[RUN], run_id="old", phase=CLOSED)
    grand = Known("grand", "arn:grand", "child", "grand", 1, "2026-01-01")
    stage.runs.executions["child"] = [grand]
    stage.cancel()
    assert [arn for arn, *_ in stage.engine.stopped] == [
        "arn:run",
        "arn:chunk",
        "arn:child",
        "arn:grand",
    ]


def test_that_it_is_to_be_undone_is_known_before_it_is_stopped():
    """Whoever sees the end first has to know."""
    stage = Stage()
    seen: list[Any] = []
    stop = stage.engine.stop

    def looks(execution: str, error: str, cause: str) -> None:
        seen.append(stage.runs.items[RUN].cancelling)
        stop(execution, error, cause)

    stage.engine.stop = looks  # type: ignore[method-assign]
    stage.cancel(compensate=True)
    assert [one.compensate for one in seen] == [True]


def test_who_asks_second_can_still_have_it_undone_and_the_first_stays_named():
    stage = Stage()
    stage.cancel()
    item = stage.cancel(compensate=True)
    assert item.cancelling is not None
    assert item.cancelling.compensate
    item = stage.cancel()
    assert item.cancelling is not None
    assert item.cancelling.compensate


def test_a_run_that_is_over_is_not_cancelled():
    stage = Stage()
    stage.over("succeeded")
    with pytest.raises(NotCancelled, match="it is over"):
        stage.cancel()
    with pytest.raises(NotCancelled, match="it succeeded"):
        stage.cancel(compensate=True)
    assert (stage.engine.stopped, stage.engine.started) == ([], [])


def test_a_called_run_is_cancelled_by_way_of_its_caller():
    stage = Stage()
    stage.runs.items[RUN] = replace(stage.runs.items[RUN], parent="above", root="top")
    with pytest.raises(NotCancelled, match="cancel top"):
        stage.cancel()


def test_an_unknown_run():
    stage = Stage()
    stage.runs.items.clear()
    with pytest.raises(UnknownRun):
        stage.cancel()


def test_a_cancelled_run_can_be_undone_later():
    stage = Stage()
    stage.over("cancelled")
    stage.has_result()
    item = stage.cancel(compensate=True)
    ((reference, name, given),) = stage.engine.started
    assert (reference, name) == ("main--close", f"{RUN}-1-close")
    assert (given["inputs"], given["failure"]) == ({"x": 1}, {"steps": []})
    assert item.phase == ENDED  # nobody resumes it meanwhile


def test_what_an_undo_has_left_is_undone_under_another_name():
    stage = Stage()
    stage.over("failed")
    stage.has_result("undone", was="succeeded", undo="begun")
    stage.knows(f"{RUN}-1-close", "close")
    first: Any = {"run": {"id": RUN}, "failure": {"steps": [{"step_id": "b"}]}, "inputs": {}}
    stage.engine.executions[f"arn:{RUN}-1-close"] = Execution(
        "arn", "m", "n", "FAILED", NOON, NOON, input=first
    )
    stage.cancel(compensate=True)
    ((_, name, given),) = stage.engine.started
    assert name == f"{RUN}-1-close-2"
    assert given == {**first, "again": 2, "cut_off": []}


def test_nothing_left_to_undo_is_said():
    stage = Stage()
    stage.over("failed")
    stage.has_result("undone", was="succeeded", undo="done")
    with pytest.raises(NotCancelled, match="nothing is left"):
        stage.cancel(compensate=True)
