"""The demo: its workflow, compiled, really runs."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from cli.local_program import local_program
from compiler.check import Surroundings
from compiler.pipeline import compile_source
from compiler.source import Source
from local.demo.project import make
from local.people import People, Said
from local.record import RunRecord, build
from local.workflow import Request, run_workflow
from protocol.payloads import Json, MachineInput


def record(folder: Path, *, broken: bool) -> RunRecord:
    """Compile the demo's workflow, run it and return the record."""
    repository, registry = folder / "repository", folder / "registry with a space"
    repository.mkdir()
    registry.mkdir()
    file = make(repository, broken=broken)
    compilation = compile_source(Source(file.name, file.read_text()), Surroundings())
    assert compilation.ok, compilation.diagnostics
    program = local_program(compilation)
    inputs: dict[str, Json] = {"registry": str(registry)}
    given: MachineInput = {"inputs": inputs, "run": {"id": "r", "attempt": 1}}
    said = Said("approved", "bob@example.com", after=48 * 3600)
    people = People(decisions={"review": [said]})
    request = Request(program.machines, program.workflow, given, repository, people=people)
    ran = run_workflow(request)
    return build(ran, program)


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> RunRecord:
    return record(tmp_path_factory.mktemp("good"), broken=False)


@pytest.fixture(scope="module")
def bad(tmp_path_factory) -> RunRecord:
    return record(tmp_path_factory.mktemp("bad"), broken=True)


def by_step(record, field):
    return {step["step_id"]: step.get(field) for step in record["steps"]}


def test_all_is_carried_out_but_the_announcement(good):
    assert good["status"] == "succeeded"
    assert good["error"] is None
    assert by_step(good, "status") == {
        "build": "succeeded", "lint": "succeeded", "test": "succeeded", "package": "succeeded",
        "review": "succeeded", "publish": "succeeded", "announce": "skipped",
    }  # fmt: skip
    assert by_step(good, "reason")["announce"] == "condition"


def test_outputs_go_from_step_to_step_and_out(good):
    assert by_step(good, "outputs")["test"] == {"passed": "2 passed"}
    url = by_step(good, "outputs")["publish"]["url"]
    assert good["outputs"] == {"version": "1.2.0", "url": url}
    assert Path(url.removeprefix("file://")).is_file()


def test_nothing_is_published_before_somebody_approves_after_two_days(good):
    decision = by_step(good, "outputs")["review"]
    assert (decision["status"], decision["decided_by"]) == ("approved", "bob@example.com")
    start, end = by_step(good, "started_at"), by_step(good, "completed_at")
    waited = datetime.fromisoformat(end["review"]) - datetime.fromisoformat(start["review"])
    assert timedelta(hours=48) <= waited < timedelta(hours=49)
    assert end["review"] <= start["publish"]


def test_the_registry_takes_the_second_attempt(good):
    assert by_step(good, "attempt") == {
        "build": 1, "lint": 1, "test": 1, "package": 1, "review": 1, "publish": 2,
        "announce": None,
    }  # fmt: skip


def test_each_step_starts_when_its_own_dependencies_have_ended(good):
    start, end = by_step(good, "started_at"), by_step(good, "completed_at")
    assert end["build"] <= start["test"]
    assert max(end["build"], end["lint"]) <= start["package"]
    assert max(end["test"], end["package"]) <= start["publish"]


def test_a_broken_test_fails_the_run_with_its_name(bad):
    assert bad["status"] == "failed"
    assert by_step(bad, "status") == {
        "build": "succeeded", "lint": "succeeded", "test": "failed", "package": "succeeded",
        "review": "skipped", "publish": "skipped", "announce": "skipped",
    }  # fmt: skip
    assert by_step(bad, "reason")["announce"] == "upstream_failed"
    (detail,) = bad["error"]["details"]
    assert detail["step_id"] == "test"
    assert "test_greets_the_world_where_there_is_no_name" in detail["message"]
