"""Whoever is told of a run finds it: at once, whatever else has been heard of it, or nothing."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from functions.adapters.runs import DynamoRuns
from functions.usecases.archive import Archive, Plans
from functions.usecases.keep_start import keep_start
from functions.usecases.read_run import read_run
from functions.usecases.reading import Reading
from functions.usecases.start_run import start_of
from local.stubs import Stub
from tests.functions.events.kit import BUCKET, SETTINGS, START, manifest, trigger
from tests.functions.events.site import ALICE, EventSite
from tests.functions.records.memory import STAGE, MemoryRows
from tests.functions.records.replay import news, office_of, played, tell, written


@pytest.fixture
def site(deployed):
    """An API that reads the runs of its stage; Step Functions never tells of any."""
    site = EventSite(deployed(manifest(trigger())))
    gate = site.stage.gate
    client, table = site.stage.dynamodb, SETTINGS.runs_table
    runs = DynamoRuns(client, table, lambda: (site.stage.s3, BUCKET), gate.clock)
    archive = Archive(STAGE, gate.clock, runs, MemoryRows(), gate.tasks(), gate.manifests)
    logs = type("NoLogs", (), {})()
    reading = Reading(archive, Plans(STAGE, gate.manifests), logs)
    site.wiring = replace(site.wiring, runs=lambda: reading)
    return site


def get(site, path):
    return site.call("GET", path, person=ALICE)


def is_found(site, run):
    """Hold a run against what everybody may ask of it."""
    found = get(site, f"/api/runs/{run}")
    assert found.status == 200, found.text
    assert (found.json["run_id"], found.json["status"]) == (run, "running")
    steps = {one["status"] for one in found.json["steps"]}
    assert steps <= {"pending"}
    for query in ("", "?workflow=release", "?status=running", f"?q={run[:12]}"):
        listed = [one["run_id"] for one in get(site, f"/api/runs{query}").json["items"]]
        assert run in listed, query
    return found.json


@pytest.mark.parametrize("headers", [{}, {"idempotency_key": "k"}])
def test_a_run_that_was_asked_for_is_found(site, headers):
    run = site.run({"env": "test"}, **headers).json["run_id"]
    found = is_found(site, run)
    assert found["started_by"] == ALICE
    assert [one["run_id"] for one in get(site, f"/api/runs?starter={ALICE}").json["items"]] == [run]


def test_the_run_of_an_event_is_found(site):
    site.stage.come({"env": "test"}, id="e1")
    [event] = site.stage.events()
    found = is_found(site, event.run_id)
    assert (found["event_id"], found["trigger"]["name"]) == ("e1", "release-http")


def test_the_run_of_a_replayed_event_is_found(site):
    site.stage.come({"env": "test"}, id="e1")
    [event] = site.stage.events()
    answer = site.call("POST", f"/api/events/{event.event_id}/replay", person=ALICE)
    found = is_found(site, answer.json["run_id"])
    assert found["rerun_of"] == event.run_id


def test_a_duplicate_is_answered_with_a_run_that_is_found(site):
    """Also where the first call was cut off before it could say anything of the run."""
    first = site.run({"env": "test"}, idempotency_key="k").json["run_id"]
    again = site.run({"env": "test"}, idempotency_key="k")
    assert again.json["run_id"] == first
    is_found(site, first)


def test_a_run_of_which_nothing_can_be_kept_is_answered_all_the_same(site, monkeypatch):
    """It goes on: an error would have the caller start another."""

    def refused(*_):
        raise ConnectionError

    monkeypatch.setattr(type(site.stage.gate.runs), "add", refused)
    assert site.run({"env": "test"}).status == 202
    assert len(site.stage.executions) == 1


def test_an_event_whose_run_could_not_be_kept_comes_again(site, monkeypatch):
    def refused(*_):
        raise ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(type(site.stage.gate.runs), "add", refused)
        assert not site.stage.come({"env": "test"}, id="e1")
    assert site.stage.come({"env": "test"}, id="e1")
    [event] = site.stage.events()
    assert [one.name for one in site.stage.executions] == [event.run_id]
    is_found(site, event.run_id)


@pytest.fixture(scope="module")
def succeeded():
    return played(written("steps: [{id: a, run: x}]"), {"a": Stub(60)}, started_by="me")


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_what_a_starter_says_changes_nothing_of_a_record(succeeded, order):
    """Before, between and after the news of Step Functions; at each point the run is there."""
    alone, office = office_of(succeeded), office_of(succeeded)
    tell(alone, news(alone))
    run: Any = {"started_by": "me"}
    start = start_of(succeeded.workflow.manifest, "r-1", {"inputs": {}, "run": run})
    assert json.loads(start.text)["run"] == succeeded.ran.finished.input["run"]
    office.clock.at = alone.clock.at = START
    reading = Reading(office.archive, Plans(STAGE, office.manifests), None)
    for what in order:
        if what == 2:
            keep_start(start, office.manifests, office.runs, office.clock)
        else:
            tell(office, [news(office)[what]])
        assert read_run("r-1", reading) is not None
        assert office.runs.items["r-1"].status in ("running", "succeeded")
    assert office.runs.kept("r-1", 1) == alone.runs.kept("r-1", 1)
    mine, other = office.runs.items["r-1"], alone.runs.items["r-1"]
    assert replace(mine, version=0, looked_at="") == replace(other, version=0, looked_at="")
