"""The demo: its workflows, compiled, really run."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from cli.project.compile_file import compile_path
from local.demo.__main__ import main as demo
from local.demo.cluster import Cluster, serve
from local.demo.project import DEPLOYMENT, make
from local.people import News, People, Said
from local.record import RunRecord, build
from local.workflow import Request, run_workflow
from protocol.payloads import Json, MachineInput

DEPLOY = Path(__file__).parents[2] / "workflows" / "deploy_application.yaml"
BROKEN = "test_greets_the_world_where_there_is_no_name"


def record(
    file: Path, source: Path, people: People, inputs: dict[str, Json] | None = None
) -> RunRecord:
    """Compile a workflow, run it and return the record."""
    program = compile_path(file)
    given: MachineInput = {"inputs": inputs or {}, "run": {"id": "r", "attempt": 1}}
    request = Request(program.machines, program.workflow, given, source, people=people)
    return build(run_workflow(request), program)


def release(folder: Path, *, broken: bool) -> RunRecord:
    """Make the repository and run its own workflow."""
    repository, registry = folder / "repository", folder / "registry with a space"
    repository.mkdir()
    registry.mkdir()
    said = Said("approved", "bob@example.com", after=48 * 3600)
    file = make(repository, broken=broken)
    people = People(decisions={"review": [said]})
    return record(file, repository, people, {"registry": str(registry)})


@dataclass
class Deployed:
    """A run of the shipped workflow, what was told meanwhile, and the cluster after it."""

    repository: Path
    record: RunRecord
    cluster: Cluster
    news: list[News] = field(default_factory=list)


def deploy(folder: Path, *, broken: bool) -> Deployed:
    """Make the repository and run the shipped workflow on it."""
    make(folder, broken=broken)
    cluster = Cluster()
    news: list[News] = []
    said = Said("approved", "bob@example.com", after=50 * 3600)
    people = People(decisions={"review-deployment": [said]}, tell=news.append)
    with serve(cluster) as address, pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBERNETES_API", address)
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return Deployed(folder, record(DEPLOY, folder, people), cluster, news)


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> RunRecord:
    return release(tmp_path_factory.mktemp("good"), broken=False)


@pytest.fixture(scope="module")
def bad(tmp_path_factory) -> RunRecord:
    return release(tmp_path_factory.mktemp("bad"), broken=True)


@pytest.fixture(scope="module")
def deployed(tmp_path_factory) -> Deployed:
    return deploy(tmp_path_factory.mktemp("deployed"), broken=False)


@pytest.fixture(scope="module")
def refused(tmp_path_factory) -> Deployed:
    return deploy(tmp_path_factory.mktemp("refused"), broken=True)


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
    assert BROKEN in detail["message"]


def test_the_shipped_workflow_builds_tests_and_deploys_the_repository(deployed):
    assert deployed.record["status"] == "succeeded"
    assert set(by_step(deployed.record, "status").values()) == {"succeeded"}
    outputs = by_step(deployed.record, "outputs")
    head = ("git", "-C", deployed.repository, "rev-parse", "HEAD")
    commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    assert outputs["build"] == {"artifact": "dist/app.tar.gz", "revision": commit}
    assert outputs["test"] == {"tests": 2, "passed": 2, "failed": 0, "skipped": 0}
    assert outputs["deploy"] == {"deployed_revision": "1"}


def test_the_cluster_runs_the_image_that_the_workflow_names(deployed):
    found = deployed.cluster.objects[DEPLOYMENT]
    assert found["spec"]["template"]["spec"]["containers"][0]["image"] == "app:v1.2.0"
    assert found["status"]["availableReplicas"] == 2


def test_the_lead_is_reminded_by_mail_after_two_days_and_before_the_approval(deployed):
    told = [(one.what, round(one.seconds / 3600, 2)) for one in deployed.news]
    assert told == [("opened", 0), ("escalated", 48), ("answered", 50)]
    (mail,) = deployed.news[1].mails
    assert mail.recipient == "lead@example.com"
    assert mail.subject == "Still open: Review staging deployment"
    assert mail.text.startswith("Review overdue: please approve or reject\n")


def test_nothing_is_deployed_where_a_test_fails_and_the_test_is_named(refused):
    assert refused.record["status"] == "failed"
    assert by_step(refused.record, "status") == {
        "build": "succeeded", "test": "failed", "review-deployment": "skipped",
        "deploy": "skipped",
    }  # fmt: skip
    (detail,) = refused.record["error"]["details"]
    assert BROKEN in json.dumps(detail)
    assert refused.cluster.writes == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path, capfd):
    (tmp_path / "Makefile").write_text("mine")
    assert demo(["--keep", str(tmp_path)]) == 2
    assert "is not empty" in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["Makefile"]


@pytest.mark.slow
def test_the_command_with_a_bug_ends_with_1_and_names_the_test(capfd):
    assert demo(["--break"]) == 1
    said = capfd.readouterr()
    assert f"test: ScriptFailed: FAILED tests/test_greeter.py::{BROKEN}" in said.out
    assert "deploy_application" not in said.out
    assert "Nothing is deployed" in said.err
