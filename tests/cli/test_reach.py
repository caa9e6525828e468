"""Commands that read a stage: `runs`, `tasks`, `events`, and how they find it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.here import addresses
from tests.cli.calling import call, write
from tests.cli.reaching import town_in
from tests.local.stages import ALICE

GOLDEN = Path(__file__).parents[1] / "golden" / "cli" / "reach"


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """A stage on which a run was approved, another rejected, and a third waits."""
    with town_in(tmp_path_factory.mktemp("town")) as town:
        town.ran("review-1")
        town.ran("review-2", "rejected")
        town.ran("review-3", None)
        town.signups()
        yield town


CALLS = {
    "runs": ("runs", "--workflow", "review"),
    "runs-of-a-status": ("runs", "--status", "failed"),
    "run": ("runs", "review-1"),
    "run-failed": ("runs", "review-2"),
    "run-waiting": ("runs", "review-3"),
    "tasks": ("tasks",),
    "tasks-all": ("tasks", "--status", "all"),
    "task": ("tasks", "show", "ask"),
    "events": ("events",),
    "events-duplicates": ("events", "--duplicates"),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_printed_is_what_was_read(town, name, update_golden):
    ended = town.call(*CALLS[name])
    assert (ended.code, ended.err) == (0, "")
    out = ended.out
    for event in town.bob.get("/api/events").body["items"]:  # those that reserve no key
        if event["outcome"] == "rejected":
            out = out.replace(event["event_id"], "f" * 32)
    golden = GOLDEN / f"{name}.txt"
    if update_golden:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(out, "utf-8")
    assert out == golden.read_text("utf-8")


@pytest.mark.parametrize("name", CALLS)
def test_what_programs_read_is_what_the_api_gives(town, name):
    ended = town.call(*CALLS[name], "--format", "json")
    found = json.loads(ended.out)
    assert set(found) == {"items"} or "run_id" in found


def test_a_run_may_be_named_by_what_only_its_id_begins_with(town):
    several = town.call("runs", "review")
    assert several.code == 2
    assert re.findall(r"review-\d$", several.err, re.MULTILINE) == [
        "review-1",
        "review-2",
        "review-3",
    ]
    nobody = town.call("runs", "nobody-knows")
    assert (nobody.code, nobody.out) == (2, "")
    assert "there is no run 'nobody-knows'" in nobody.err


def test_a_task_may_be_named_by_its_step(town):
    missing = town.call("tasks", "show", "aks")
    assert (missing.code, "what waits: 'ask'" in missing.err) == (2, True)
    unknown = town.call("tasks", "show", "0" * 32)
    assert (unknown.code, "there is no task" in unknown.err) == (2, True)


def test_a_link_is_made_for_somebody(town):
    made = town.call("tasks", "link", "ask", "--for", ALICE)
    assert made.code == 0
    assert re.fullmatch(r"http://127\.0\.0\.1\S*/tasks/[0-9a-f]{32}\?t=\S+\n", made.out)
    assert f"for {ALICE}, until 2026-01-" in made.err
    stranger = town.call("tasks", "link", "ask", "--for", "eve@example.com")
    assert stranger.code in (1, 2)
    assert town.call("tasks", "link", "ask").code == 2


def test_what_is_no_call_of_tasks_or_events_is_told_with_those_that_are(town):
    assert "stepsmith tasks show TASK" in town.call("tasks", "shwo", "x").err
    assert "stepsmith events replay EVENT" in town.call("events", "replay").err


def test_an_answer_that_a_task_does_not_take_changes_nothing(town):
    """A paused step is retried, skipped or failed; a manual one is neither."""
    paused = town.call("approve", "ask", "--answer", "retry")
    assert (paused.code, "it takes approved, rejected" in paused.err) == (2, True)
    wrong = town.call("approve", "ask", "--form", "hosts=many")
    assert (wrong.code, wrong.out) == (2, "")
    assert "/hosts: " in wrong.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- 1", "an event is an object"),
        ("{", "<stdin> cannot be read"),
        ('{"payload": {}}', "an event is an"),
    ],
)
def test_what_is_no_event_is_not_sent(town, text, told):
    ended = town.call("events", "send", "-", stdin=text)
    assert (ended.code, told in ended.err) == (2, True)


def test_nothing_is_at_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nowhere = call("runs")
    assert (nowhere.code, "start `stepsmith dev`" in nowhere.err) == (2, True)
    empty = call("runs", "--keep", tmp_path)
    assert (empty.code, "holds no state of runs" in empty.err) == (2, True)
    both = call("runs", "--keep", tmp_path, "--on", "prod")
    assert (both.code, "two stages" in both.err) == (2, True)
    addresses.write(tmp_path / addresses.DEV, "http://127.0.0.1:9")
    silent = call("runs")
    assert (silent.code, "nobody answers at http://127.0.0.1:9" in silent.err) == (2, True)
    stale = write(tmp_path / addresses.DEV, '{"url": "http://127.0.0.1:9", "pid": 999999999}')
    assert addresses.read(stale) is None
    assert call("tasks", "--as", "nobody").code == 2
