"""What is told of runs: events on the stage's bus, messages to those whom `notify` names."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from functions.adapters.task_items import packed
from functions.domain.people import Directory
from functions.domain.records.notices import _message
from functions.domain.task import Decision, Place, Task
from functions.handlers import records as records_function
from functions.usecases.keep_record import take_change
from local.stubs import Fail, Stub
from protocol.events import read_as
from tests.functions.records.memory import START, begins, change
from tests.functions.records.replay import news, office_of, played, tell, written

CONSOLE = Path(__file__).parents[3] / "console/js/main.js"
TEXT = """
inputs: {who: {type: string, default: lead@example.com}}
notify:
  - {on: [failed, paused], to: ["group:oncall", "${{ inputs.who }}"]}
  - {on: [tolerated_failure], to: "${{ failure.step_id }}"}
  - {on: [succeeded], to: boss@example.com}
steps:
  - {id: soft, run: x, on_error: continue}
  - {id: again, run: x, retry: {max_attempts: 2}}
  - {id: b, run: x, compensate: {run: y}}
  - {id: c, run: x}
"""
PEOPLE = Directory(groups={"oncall": ("ann@example.com", "Lead+night@example.com")})


@pytest.fixture(scope="module")
def workflow():
    return written(TEXT)


@pytest.fixture(scope="module")
def failed(workflow):
    stubs = {name: Stub(1, fail=Fail("Broken", f"{name} broke\nbadly")) for name in ("soft", "c")}
    return played(workflow, stubs, {"who": "lead@example.com"}, depth=2, event_id="e-1")


@pytest.fixture
def office(failed):
    office = office_of(failed)
    object.__setattr__(office.keeper, "directory", PEOPLE)
    return office


def test_the_bus_is_told_of_failed_steps_and_then_of_the_run(office):
    tell(office, news(office))
    assert [name for name, _ in office.bus.events] == [
        "step.tolerated_failure", "step.failed", "run.failed"]  # fmt: skip
    detail = office.bus.events[1][1]
    assert detail["event_id"] == "r-1/1/step.failed/c"
    assert detail["payload"]["error"] == {"type": "Broken", "message": "c broke\nbadly"}
    assert (detail["run"], detail["depth"]) == ("r-1", 2)


def test_triggers_read_them_as_they_read_what_steps_publish(office):
    tell(office, news(office))
    name, detail = office.bus.events[-1]
    event = {"source": "stepsmith", "detail-type": name, "detail": detail}
    read = read_as({"detail-type": ["run.failed"]}, event)
    assert (read["run_id"], read["workflow_id"], read["status"]) == ("r-1", "w", "failed")


def test_an_event_that_may_have_been_published_is_published_again_with_its_id(office):
    office.runs.note = lambda *_: None
    main = office.engine.executions["r-1"]
    tell(office, [change(main), change(main)])
    ids = [detail["event_id"] for name, detail in office.bus.events if name == "run.failed"]
    assert ids == ["r-1/1/run.failed"] * 2


def test_people_are_told_once_whatever_is_repeated(office):
    tell(office, [*news(office), *news(office)])
    assert [one.recipient for one in office.mails.sent] == ["ann@example.com",
        "Lead+night@example.com"]  # fmt: skip
    message = office.mails.sent[0]
    assert message.subject == "Failed: w (r-1)"
    assert "- c: Broken: c broke" in message.text
    assert "What it had done was undone." in message.text
    assert (message.page, message.link) == ("https://api.example.com/#/runs/r-1", None)


@pytest.mark.parametrize("run_id", ["r-1", "nightly-2026.11", "a?b#c/d"])
def test_a_message_leads_to_a_view_of_the_console(run_id):
    """All else than the API is files: views stand behind the hash, where `main.js` looks."""
    message = _message({"workflow_id": "w", "run_id": run_id}, "failed", None, "", "https://api")
    views = re.findall(r"\[/(\^.+?\$)/, (\w+)\]", CONSOLE.read_text(encoding="utf-8"))
    there, _, view = message.page.partition("#/")
    found = [(name, re.match(pattern.replace("\\/", "/"), view)) for pattern, name in views]
    assert there == "https://api/"
    assert [(name, unquote(match[1])) for name, match in found if match] == [("run", run_id)]


def test_a_message_that_cannot_be_sent_is_noted_and_stops_nothing(office):
    office.mails.broken = {"ann@example.com"}
    tell(office, news(office))
    notes = office.runs.notes["r-1"]
    assert notes["notice/1/failed/ann@example.com"] == "failed: SES: MessageRejected"
    assert notes["notice/1/failed/Lead+night@example.com"] == "sent"
    assert office.runs.items["r-1"].settled


def test_whom_an_expression_names_may_be_nobody(office):
    """`failure.step_id` is no address: that is noted, and the others are told."""
    tell(office, news(office))
    notes = office.runs.notes["r-1"]
    assert "no mail address" in notes['notice/1/tolerated_failure/"c"']
    assert notes["notice/1/failed/ann@example.com"] == "sent"


def test_what_could_not_be_undone_is_told_of_later_too(workflow):
    stubs = {"c": Stub(1, fail=Fail("Broken")), "b_undo": Stub(1, fail=Fail("No"))}
    office = office_of(played(workflow, stubs))
    object.__setattr__(office.keeper, "directory", PEOPLE)
    close = office.engine.executions.pop("r-1-1-close")
    history = office.engine.histories["r-1"]
    office.engine.histories["r-1"] = [one for one in history if "Close" not in str(one)]
    main = replace(office.engine.executions["r-1"], status="TIMED_OUT", error="States.Timeout")
    office.engine.executions["r-1"] = main
    tell(office, [begins(main), change(main)])
    assert [one.subject for one in office.mails.sent] == ["Failed: w (r-1)"] * 2
    assert office.runs.notes["r-1"]["notice/1/failed/null"].startswith("failed")
    office.engine.executions["r-1-1-close"] = close
    tell(office, [change(close), change(main)])
    later = office.mails.sent[2:]
    assert [one.subject for one in later] == ["Not everything was undone: w (r-1)"] * 2
    assert "Could not be undone: b" in later[0].text


def stream(*changes):
    return {"Records": [{"dynamodb": {"SequenceNumber": str(number), **one}}
            for number, one in enumerate(changes, 1)]}  # fmt: skip


def row(step, status="failed", **fields):
    image = {
        "run": {"S": "r-1"}, "step": {"S": step}, "status": {"S": status}, "attempt": {"N": "1"},
        "started_at": {"S": START.isoformat()}, "attempt_started_at": {"S": START.isoformat()},
        "error_type": {"S": "Broken"}, "error_message": {"S": "why"}, **fields,
    }  # fmt: skip
    return {"Keys": {"run": image["run"], "step": image["step"]}, "NewImage": image}


def task_row(task):
    image = {"task": {"S": packed(task)}, "run": {"S": task.place.run_id}}
    return {"Keys": {"id": {"S": task.task_id}, "part": {"S": "task"}}, "NewImage": image}


def no_results() -> Any:
    raise NotImplementedError


@pytest.fixture
def handle(office):
    take_change(begins(office.engine.executions["r-1"]), office.keeper)
    handle = records_function.handler_with(no_results, lambda: office.keeper)
    return lambda event: handle(event, None)


def names(office):
    return [name for name, _ in office.bus.events]


def test_a_step_s_failure_is_told_of_at_once_where_nothing_can_follow_it(office, handle):
    assert handle(stream(row("c"), row("c"), row("soft"))) == {"batchItemFailures": []}
    assert names(office) == ["step.failed", "step.tolerated_failure"]
    tell(office, news(office))
    assert names(office) == ["step.failed", "step.tolerated_failure", "run.failed"]


@pytest.mark.parametrize(
    "change", [row("again"), row("c/3"), row("c", "succeeded"), row("c", "begun"), row("c_undo")]
)
def test_what_may_not_be_a_step_s_failure_waits_for_the_end_of_the_run(office, handle, change):
    handle(stream(change))
    assert names(office) == []


def test_a_pause_is_told_of_and_shown_while_it_lasts(office, handle):
    place = Place("r-1", 1, "c")
    task = Task("p" * 32, "pause", place, "w", START, START, "what now?", ("retry",))
    office.tasks.create(task)
    handle(stream(task_row(task), task_row(task)))
    assert office.runs.items["r-1"].status == "paused"
    assert names(office) == ["run.paused"]
    assert {one.subject for one in office.mails.sent} == {"Paused: w (r-1)"}
    assert len(office.mails.sent) == 2
    done = replace(task, status="retry", decision=Decision("retry", START))
    office.tasks.rows[task.task_id] = done
    handle(stream(task_row(done)))
    assert office.runs.items["r-1"].status == "running"
    assert names(office) == ["run.paused"]


def test_a_record_that_fails_comes_again_with_those_behind_it(office, handle):
    office.bus.events = None
    answer = handle(stream(row("c", "succeeded"), row("c"), row("soft")))
    assert answer == {"batchItemFailures": [{"itemIdentifier": "2"}]}


def test_the_handler_takes_status_changes_and_sweeps(office):
    handle = records_function.handler_with(no_results, lambda: office.keeper)
    for one in news(office):
        handle({"detail-type": "Step Functions Execution Status Change", "detail": one}, None)
    assert handle({"op": "sweep"}, None) == {"looked_at": 0, "over": 0, "failed": 0}
    assert office.runs.items["r-1"].status == "failed"
