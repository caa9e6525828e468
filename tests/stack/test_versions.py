"""Deploying while a run waits, and going back: a run keeps what it began with."""

from __future__ import annotations

import pytest

from cli.against import text as output
from cli.against.comparison import comparison
from cli.against.deployed import of_stage
from cli.project.manifests import workflows
from cli.project.project import Projects
from cli.prune.account import Account
from cli.prune.delete import carry_out
from cli.prune.plan import Wish, plan
from cli.reach.client import at
from tests.stack.conftest import ALICE

pytestmark = pytest.mark.slow

MACHINE = "arn:aws:states:eu-central-1:000000000000:stateMachine:stepsmith-dev-versions"


def _approve(stage, run):
    task = stage.task(run)
    stage.api(ALICE).post(at("tasks", task["task_id"], "status"), {"status": "approved"})


def _change(stage, file, before, after):
    path = stage.project / file
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


@pytest.fixture(scope="module")
def waiting(stage):
    """A run of the first version that waits, while the second has been deployed.

    The definition and the code of the action behind the wait are others now.
    """
    run = stage.run("versions")
    stage.task(run)
    _change(stage, "workflows/versions.yaml", "definition=1", "definition=2")
    _change(stage, "workflows/versions.yaml", "{id: wait,", "{id: ask,")
    _change(stage, "workflows/versions.yaml", "[wait]", "[ask]")
    _change(stage, "actions/stamp.py", "VERSION = 1", "VERSION = 2")
    return run


def test_a_run_ends_on_the_definition_and_the_code_it_began_with(stage, waiting):
    here = Projects("dev").of(stage.project / "stepsmith.yaml")
    told = comparison(workflows(here), of_stage(stage.api()), here, whole=True)
    text = output.render(told, colour=False)
    assert "→ step      wait is called ask now" in text
    assert f"  {waiting}  running since" in text

    stage.up.deployer.again()
    new = stage.run("versions")
    for run in (waiting, new):
        _approve(stage, run)

    old = stage.over(waiting)
    assert (old["status"], old["outputs"]) == ("succeeded", {"code": 1, "definition": "1"})
    assert [step["step_id"] for step in old["steps"]] == ["wait", "stamp", "say"]
    now = stage.over(new)
    assert (now["status"], now["outputs"]) == ("succeeded", {"code": 2, "definition": "2"})
    assert [step["step_id"] for step in now["steps"]] == ["ask", "stamp", "say"]
    assert old["manifest"] != now["manifest"]


def test_moving_the_alias_goes_back(stage, waiting):
    assert waiting
    machines = stage.client("stepfunctions")
    found = machines.list_state_machine_versions(stateMachineArn=MACHINE)["stateMachineVersions"]
    newest, *_, oldest = sorted(
        (one["stateMachineVersionArn"] for one in found), key=_number, reverse=True
    )
    _point(machines, oldest)
    try:
        run = stage.run("versions")
        _approve(stage, run)
        record = stage.over(run)
    finally:
        _point(machines, newest)

    assert (record["status"], record["outputs"]) == ("succeeded", {"code": 1, "definition": "1"})


def _number(arn):
    return int(arn.rpartition(":")[2])


def _point(machines, version):
    machines.update_state_machine_alias(
        stateMachineAliasArn=f"{MACHINE}:live",
        routingConfiguration=[{"stateMachineVersionArn": version, "weight": 100}],
    )


def test_what_no_run_is_on_any_more_is_pruned_and_the_rest_goes_on(stage, waiting):
    """One version is left of each machine; runs start, call, and end as they did."""
    assert waiting
    account = Account("dev", "ministack", stage.client)
    found = account.found()
    before = {one.name: one.versions for one in found.machines}
    wish = Wish(newest=1)

    outcome = carry_out(found, wish, account.names, plan(found, wish, account.names), account)

    assert outcome.failed == []
    after = account.found()
    assert len(before["versions"]) > 1
    assert {one.name: one.versions for one in after.machines} == {
        name: versions[:1] for name, versions in before.items()
    }
    stamps = [one.versions for one in found.functions if one.name == "action-stamp"]
    assert [len(one.versions) for one in after.functions if one.name == "action-stamp"] == [1]
    assert len(stamps[0]) > 1
    assert plan(after, wish, account.names).is_empty
    run = stage.run("versions")
    _approve(stage, run)
    assert stage.over(run)["outputs"] == {"code": 2, "definition": "2"}
