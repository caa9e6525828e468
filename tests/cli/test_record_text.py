"""A run's record as people read it."""

from __future__ import annotations

from typing import Any

from cli.output.progress import Style
from cli.output.record import summary

TIMES = {"started_at": "2026-01-01T00:00:00.000Z", "completed_at": "2026-01-01T00:00:05.000Z"}


def record(**fields: Any) -> Any:
    return {
        "run_id": "r",
        "workflow_id": "trip",
        "workflow_version": "",
        "run_attempt": 1,
        "status": "succeeded",
        "started_by": None,
        **TIMES,
        "steps": [],
        "outputs": {},
        "error": None,
        **fields,
    }


def text(**fields: Any) -> list[str]:
    return summary(record(**fields), "trip.yaml", {}, Style(colour=False)).splitlines()[1:]


def test_what_followed_a_failure_is_told_undos_first_and_newest_first():
    error, bad = {"type": "Full", "message": "no seat\nat all"}, {"type": "E", "message": "m"}
    closing = {
        "status": "failed",
        "compensation": "partial",
        "undone": [
            {"step": "hotel", "items": [1], "status": "undone"},
            {"step": "flight", "status": "failed", "error": {"type": "Gone", "message": "late\nx"}},
        ],
        "handlers": [{"step_id": "tell", "status": "failed", "line": 9, "error": bad}],
        "error": None,
    }
    steps = [
        {"step_id": "flight", "status": "succeeded", "outputs": {"id": 7}},
        {"step_id": "car", "status": "failed", "line": 4, "error": error},
    ]
    told = text(status="failed", steps=steps, closing=closing, error={"type": "W", "message": "x"})
    assert told == [
        "trip failed in 5.0 s of the workflow's time",
        "  flight  succeeded                     id=7",
        "  car     failed",
        "",
        "undone, the newest first: partial",
        "  hotel[1]  undone",
        "  flight  failed  Gone: late",
        "",
        "on_failure",
        "  tell    failed",
        "",
        "car: Full: no seat",
        "  at trip.yaml:4",
        "  | at all",
        "",
        "tell: E: m",
        "  at trip.yaml:9",
    ]


def test_items_that_were_cut_off_are_listed_behind_the_one_that_failed():
    failed = {"index": 1, "status": "failed", "error": {"type": "Down", "message": "b"}}
    items = [{"index": 0, "status": "succeeded"}, failed]
    items += [{"index": index, "status": "cancelled"} for index in range(2, 9)]
    error = {"type": "ItemsFailed", "message": "item 1 failed: Down: b"}
    step = {"step_id": "patch", "status": "failed", "line": 4, "error": error, "items": items}
    told = text(status="failed", steps=[step], error={"type": "W", "message": "x"})
    assert told[3:] == [
        "patch: ItemsFailed: item 1 failed: Down: b",
        "  at trip.yaml:4",
        "  item 1: Down: b",
        "  cancelled: items 2, 3, 4, 5, 6 and 2 more",
    ]
    step["items"] = [failed, items[2]]
    told = text(status="failed", steps=[step], error={"type": "W", "message": "x"})
    assert told[-1] == "  cancelled: item 2"


def test_of_an_item_that_is_a_block_the_steps_that_failed_inside_are_told():
    inner = [
        {"step_id": "read", "status": "failed", "type": "ScriptFailed", "message": "no\nlog"},
        {"step_id": "look", "status": "rejected", "type": "Rejected", "message": ""},
    ]
    error = {"type": "StepsFailed", "message": "read, look ended badly", "details": inner}
    items = [{"index": 0, "status": "failed", "error": error}]
    whole = {"type": "ItemsFailed", "message": "item 0 failed"}
    step = {"step_id": "page", "status": "failed", "line": 4, "error": whole, "items": items}
    told = text(status="failed", steps=[step], error={"type": "W", "message": "x"})
    assert told[-1] == "  item 0: read: ScriptFailed: no; look: Rejected"
    items[0]["error"] = {**error, "details": [{"disk": "/dev/sda1"}, "x"]}  # an action's own
    told = text(status="failed", steps=[step], error={"type": "W", "message": "x"})
    assert told[-1] == "  item 0: StepsFailed: read, look ended badly"


def test_of_an_item_that_called_a_workflow_the_run_is_told_as_well():
    run = f"r-{'0' * 32}"
    error = {
        "type": "WorkflowError",
        "message": f"compile: ScriptFailed: no (run {run})",
        "details": [{"step_id": "compile", "type": "ScriptFailed", "message": "no"}],
        "run_id": run,
    }
    whole = {"type": "ItemsFailed", "message": "1 items failed: 0"}
    items = [{"index": 0, "status": "failed", "error": error}]
    step = {"step_id": "call", "status": "failed", "line": 4, "error": whole, "items": items}
    told = text(status="failed", steps=[step], error={"type": "W", "message": "x"})
    assert told[-1] == f"  item 0: WorkflowError: compile: ScriptFailed: no (run {run})"


def test_a_run_in_which_every_step_was_skipped_had_nothing_to_do():
    steps = [
        {"step_id": "a", "status": "skipped", "reason": "condition"},
        {"step_id": "b", "status": "skipped", "reason": "upstream_skipped"},
    ]
    assert text(steps=steps)[0] == "trip succeeded: nothing to do (condition)"


def test_a_run_that_goes_on_has_no_time_it_took():
    steps = [{"step_id": "a", "status": "waiting"}]
    assert text(status="running", completed_at=None, steps=steps) == [
        "trip running, started at 2026-01-01T00:00:00.000Z",
        "  a  waiting",
    ]


def test_what_others_wrote_reaches_no_terminal_as_it_is():
    hostile = "\x1b[2Jgone\u202e"
    steps = [
        {"step_id": "a", "status": "failed", "error": {"type": "E", "message": hostile}},
        {"step_id": "b", "status": "succeeded", "outputs": {"x": hostile}},
    ]
    told = "\n".join(text(status="failed", steps=steps))
    assert "\x1b" not in told
    assert "\u202e" not in told
