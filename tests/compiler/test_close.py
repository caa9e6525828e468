"""What happens after a failed run: undos and handlers, as the emitted machines carry them out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.emitted import Happens, Told, World, compiled, run

SAGA = """
name: book a trip
inputs: {who: string}
steps:
  - id: flight
    run: echo "number=F1" >> $GITHUB_OUTPUT
    outputs: {number: "${{ steps.flight.outputs.number }}"}
    compensate:
      run: echo cancel ${{ steps.flight.outputs.number }}
  - id: hotel
    run: echo hotel
    compensate:
      run: echo cancel hotel
  - id: car
    run: echo car
on_failure:
  - id: page
    run: echo ${{ failure.step_id }} ${{ failure.error.message }} ${{ steps.flight.status }}
  - id: log
    run: echo logged by ${{ github.job }} "${{ github.event.workflow.failed_step }}"
"""

STORED = {
    "steps": {"flight": {"status": "succeeded", "outputs": {"number": "F1"}}},
    "undo": [
        {"step": "hotel", "items": [], "record": {"outputs": {}}},
        {"step": "flight", "items": [], "record": {"outputs": {"number": "F1"}}},
    ],
}


def play(failing: Mapping[str, Happens], stored: Any = STORED) -> tuple[Told, list[Any]]:
    """Play the saga; return what was told and every action call, in order."""
    calls: list[Any] = []

    def happens(step: str, payload: Mapping[str, Any]) -> Happens:
        calls.append((step, dict(payload.get("env", {}))))
        return failing.get(step, Happens())

    world = World(happens, stored=lambda _: stored)
    told = run(compiled(SAGA), happens, {"who": "alice"}, world=world)
    assert told.played.query_errors == []
    assert all(child.query_errors == [] for child in told.played.children)
    return told, calls


def names(calls: list[Any]) -> list[str]:
    """Return the steps that were carried out."""
    return [step for step, _ in calls]


def test_a_good_run_closes_nothing() -> None:
    """Neither undos nor handlers run."""
    told, calls = play({})
    assert told.run == "succeeded"
    assert names(calls) == ["flight", "hotel", "car"]
    assert told.played.children == []


def test_a_failed_run_is_undone_newest_first_and_then_handled() -> None:
    """The undo reads the outputs that were stored; the run stays failed."""
    told, calls = play({"car": Happens("failed", message="no car left")})
    assert told.run == "failed"
    assert names(calls) == [
        "flight",
        "hotel",
        "car",
        "hotel_undo",
        "flight_undo",
        "page",
        "log",
    ]
    assert "F1" in calls[4][1].values()
    page = [str(value) for value in calls[5][1].values()]
    assert page == ["car", "no car left", "succeeded"]
    log = calls[6][1]
    assert log["SS_JOB"] == "car"
    assert log["SS_EVENT_WORKFLOW_FAILED_STEP"]["step_id"] == "car"
    assert log["SS_EVENT_WORKFLOW_FAILED_STEP"]["name"] == "car"


def test_a_failed_undo_stops_neither_the_others_nor_the_handlers() -> None:
    """The close machine tells that compensation was partial."""
    told, calls = play({"car": Happens("failed"), "hotel_undo": Happens("failed")})
    assert names(calls)[3:] == ["hotel_undo", "flight_undo", "page", "log"]
    (close,) = told.played.children
    assert close.output["compensation"] == "partial"
    assert [one["status"] for one in close.output["undone"]] == ["failed", "undone"]


def test_the_close_machine_keeps_the_name_that_records_would_use() -> None:
    """So that starting it twice starts it once."""
    told, _ = play({"car": Happens("failed")})
    (close,) = told.played.children
    assert close.name == "run-1-1-close"


def test_a_failing_handler_leaves_the_first_error_in_the_run() -> None:
    """The run's error names the step that failed, not the handler."""
    told, _ = play({"car": Happens("failed"), "page": Happens("failed", message="pager down")})
    cause = json.loads(str(told.played.cause))
    assert [detail["step_id"] for detail in cause["details"]] == ["car"]


def test_handlers_run_even_where_nothing_stored_can_be_read() -> None:
    """An answer without records leaves what the machine that failed knows by itself."""
    told, calls = play({"car": Happens("failed")}, stored={})
    assert told.run == "failed"
    assert names(calls)[3:] == ["page", "log"]
    assert list(calls[3][1].values())[2] == "succeeded"
