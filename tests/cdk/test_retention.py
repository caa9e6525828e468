"""How long a stage keeps what belongs to runs: never less than a run may need it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cdk.synthesis import application_in, function, of_type, synthesised, write_project


@pytest.mark.parametrize(
    ("step", "longest"),
    [
        ("run: echo", 1),
        ("type: manual, title: Fine?, assignees: [a@example.com], timeout: 60d", 60),
        ('type: wait, until: "${{ run.started_at }}"', 365),
        ("type: subworkflow, workflow: slow", 20),
    ],
)
def test_files_and_records_outlast_a_run_that_waits(tmp_path: Path, step: str, longest: int):
    """Else a step that comes after the wait finds neither the source nor what others made."""
    slow = "name: slow\nsteps: [{id: wait, type: wait, event: asked, timeout: 20d}]\n"
    own = f"name: own\nsteps: [{{id: one, {step}}}]\n"
    called = {"slow": slow} if "slow" in step else {}
    project = write_project(tmp_path, {"own": own, **called}, "{retention: 30d}")
    found = synthesised(application_in(project, tmp_path / "stubs"), tmp_path / "out")

    [bucket] = of_type(found.root, "AWS::S3::Bucket").values()
    rules = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
    days = {one["Id"]: one.get("ExpirationInDays") for one in rules}
    variables = function(found, "records")["Properties"]["Environment"]["Variables"]
    assert days["runs"] == days["events"] == 30 + longest
    assert variables["STEPSMITH_RETENTION_DAYS"] == str(30 + longest)
    # By then no attempt goes on, or can be resumed, that began while a run of it was started.
    assert days["manifests"] >= days["runs"] + 2 * 365 + 2 * 90
    logs = of_type(found.root, "AWS::Logs::LogGroup").values()
    assert {one["Properties"]["RetentionInDays"] for one in logs} == {30}
