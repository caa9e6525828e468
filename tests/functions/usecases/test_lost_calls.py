"""Which workflows that a run called were cut off, read off histories."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from functions.domain.errors import PassingFault
from functions.domain.records.executions import ABORTED, FAILED, RUNNING, SUCCEEDED, Execution
from functions.usecases.lost_calls import LostCalls
from tests.functions.records.memory import MemoryEngine

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ARN = "arn:aws:states:eu-central-1:111122223333"
CLOSE = f"{ARN}:execution:main--close:r-1-close"


class Engine(MemoryEngine):
    """Executions that end when they are stopped, unless they take their time."""

    at_once = True

    def stop(self, execution: str, error: str, cause: str) -> None:
        super().stop(execution, error, cause)
        name = execution.rpartition(":")[2]
        if self.at_once:
            self.executions[name] = replace(
                self.executions[name], status=ABORTED, completed_at=NOON + timedelta(hours=1)
            )


def execution(name: str, status: str, minutes: int, **given: Any) -> Execution:
    ended = None if status == RUNNING else NOON + timedelta(minutes=minutes)
    arn = f"{ARN}:execution:{name.partition('-')[0]}:{name}"
    return Execution(arn, "m", name, status, NOON, ended, given)


def called(name: str, status: str, minutes: int, parent: str = "r", **run: Any) -> Execution:
    one = {"id": name, "attempt": 1, "parent": parent, "step": name, "items": [], **run}
    return execution(name, status, minutes, run=one, inputs={"n": minutes})


def history(*started: str) -> list[Any]:
    """Return that of an execution that started others, through aliases."""
    return [
        {
            "id": at,
            "previousEventId": 0,
            "type": "TaskScheduled",
            "taskScheduledEventDetails": {
                "resourceType": "states",
                "parameters": f'{{"Name": "{name}", "StateMachineArn": '
                f'"{ARN}:stateMachine:{machine(name)}:live"}}',
            },
        }
        for at, name in enumerate(started, 1)
    ]


def machine(name: str) -> str:
    return "main--close" if name.endswith("close") else name.partition("-")[0]


def engine(*executions: Execution, **histories: list[Any]) -> Engine:
    made = Engine()
    run = {"id": "r", "attempt": 1}
    made.add(execution("r", RUNNING, 0, run=run), history(*(one.name for one in executions)))
    for one in executions:
        made.add(one, histories.get(one.name, []))
    return made


def found(made: Engine, **message: Any) -> list[str]:
    """Return the runs that were found, in order."""
    lost = LostCalls(made, made)
    asked: Any = {
        "op": "stored",
        "run": {"id": "r", "attempt": 1},
        "steps": [],
        "undo": ["a", "b", "c", "d"],
        "execution": f"{ARN}:execution:main:r",
        "close": CLOSE,
        **message,
    }
    told: Any = lost(asked)
    return [undo["record"]["child"]["id"] for _, undo in told]


def test_those_that_were_stopped_are_told_the_latest_first():
    """So is one that succeeded: whether its caller heard of it is not known here."""
    made = engine(
        called("a", ABORTED, 1),
        called("b", ABORTED, 2),
        called("c", SUCCEEDED, 3),
        called("d", FAILED, 4),
        called("e", ABORTED, 5),  # without an undo
    )
    lost: Any = LostCalls(made, made)
    message = {
        "op": "stored",
        "run": {"id": "r", "attempt": 1},
        "steps": [],
        "undo": ["a", "b", "c", "d"],
        "execution": f"{ARN}:execution:main:r",
    }
    child = {"id": "b", "attempt": 1, "inputs": {"n": 2}}
    record = {"status": "cancelled", "outputs": {}, "child": child}
    assert lost(message)[1] == (
        NOON + timedelta(minutes=2),
        {"step": "b", "items": [], "record": record},
    )
    assert found(made) == ["c", "b", "a"]
    assert made.stopped == []


def test_what_goes_on_is_stopped_before_anything_is_undone():
    """Step Functions stops what a branch waited for as well as it can, and not at once."""
    made = engine(called("a", ABORTED, 1), called("b", RUNNING, 0))
    assert found(made) == ["b", "a"]
    assert made.stopped == ["b"]
    slow = engine(called("a", RUNNING, 0))
    slow.at_once = False
    with pytest.raises(PassingFault, match="a goes on"):
        found(slow)


def test_the_close_machine_does_not_stop_itself_nor_what_is_not_of_the_run():
    close = execution("r-1-close", RUNNING, 0, run={"id": "r", "attempt": 1}, failure={})
    made = engine(close, execution("x", RUNNING, 0), called("y", RUNNING, 0, parent="other"))
    assert found(made) == []
    assert made.stopped == []


def test_what_a_chunk_of_items_called_is_found_by_way_of_it():
    run = {"id": "r", "attempt": 1}
    chunk = execution("r-it-0", ABORTED, 1, run=run, offset=0, items=[1])
    made = engine(chunk, **{"r-it-0": history("a")})
    made.add(called("a", ABORTED, 1, items=[3]), [])
    assert found(made) == ["a"]


def test_the_execution_of_a_run_is_known_by_its_machine():
    """So a caller names it that undoes a workflow which it called."""
    made = engine(called("a", ABORTED, 1))
    made.add(execution("r-2", FAILED, 1), history("b"))
    made.add(called("b", ABORTED, 1), [])
    at = {"execution": f"{ARN}:stateMachine:main:live"}
    assert found(made, **at) == ["a"]
    assert found(made, **at, run={"id": "r", "attempt": 2}) == ["b"]
    assert found(made, **at, run={"id": "gone", "attempt": 1}) == []
