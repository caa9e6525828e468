"""`stepsmith plan --against`: what a deploy would change, and whom it leaves alone."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.against import text as output
from cli.against.changes import Change, differences
from cli.against.comparison import comparison
from cli.against.deployed import of_files, of_stage
from cli.project.manifests import workflows
from cli.project.project import Projects
from cli.reach.client import Asked, Reach, Reply
from compiler.diagnostics import Diagnostics
from compiler.document import read
from compiler.source import Source
from compiler.spec import decode
from tests.cli.calling import Ended, call, write

GOLDEN = Path(__file__).parents[1] / "golden" / "cli" / "against.txt"
BEFORE = """\
name: Release
version: "1"
inputs: {environment: string}
trigger: {type: schedule, cron: "0 3 * * *", inputs: {environment: staging}}
steps:
  - id: build
    run: |
      make
      make dist
    depends_on: []
  - {id: unit_test, run: make test, depends_on: [build]}
  - {id: smoke_test, run: make smoke, depends_on: [build]}
  - {id: review, type: manual, assignees: [a@example.com], timeout: 24h, depends_on: [unit_test]}
  - id: deploy
    run: ./deploy
    retry: {max_attempts: 3}
    condition: inputs.environment == 'production'
    depends_on: [review, smoke_test]
"""
AFTER = """\
name: Release
version: "2"
inputs:
  environment: {type: string, default: staging}
  region: string
outputs: {who: {value: "${{ run.started_by }}"}}
trigger:
  - {type: schedule, cron: "0 4 * * *", inputs: {region: eu}}
  - {type: http, secret: hook}
steps:
  - id: build
    run: |
      make
      make all
      make dist
    depends_on: []
  - {id: checks, run: make test, depends_on: [build]}
  - {id: review, type: manual, assignees: [a@example.com], depends_on: [checks]}
  - id: deploy
    run: ./deploy ${{ secrets.TOKEN }}
    retry: {max_attempts: 5}
    timeout: 5m
    depends_on: [review, build]
  - {id: tell, type: publish, event: released, payload: {}, depends_on: [deploy]}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A project whose manifests are kept in `kept`, and which has been changed since."""
    monkeypatch.chdir(tmp_path)
    for name in ("release", "same", "old"):
        text = BEFORE if name == "release" else f"name: {name}\nsteps: [{{id: a, run: echo}}]\n"
        write(tmp_path / "workflows" / f"{name}.yaml", text)
    write(tmp_path / "stepsmith.yaml", "stages: {local: {}, dev: {auth: iam}}\n")
    assert call("plan", "--save", "kept").code == 0
    write(tmp_path / "workflows" / "release.yaml", AFTER)
    (tmp_path / "workflows" / "old.yaml").unlink()
    write(tmp_path / "workflows" / "new.yaml", "name: New\nsteps: [{id: a, run: echo}]\n")
    return tmp_path


@pytest.mark.usefixtures("project")
def test_what_a_deploy_would_change_is_told_in_the_words_of_the_files(update_golden: bool):
    ended = call("plan", "--against", "kept")

    if update_golden:
        GOLDEN.write_text(ended.out, "utf-8")
    assert ended == Ended(0, GOLDEN.read_text("utf-8"), "")


@pytest.mark.usefixtures("project")
def test_only_the_files_named_are_compared_and_nothing_counts_as_gone():
    told = json.loads(call("plan", "workflows/release.yaml", "--against", "kept/release@1.json",
                           "--format", "json").out)  # fmt: skip

    (only,) = told["workflows"]
    assert (only["id"], only["what"], told["runs_known"]) == ("release", "changed", False)
    assert {
        "sign": "changed",
        "about": "step",
        "name": "deploy",
        "key": "retry.max_attempts",
        "before": 3,
        "after": 5,
    } in only["changes"]


@pytest.mark.usefixtures("project")
def test_the_archive_of_the_functions_holds_manifests_too():
    with zipfile.ZipFile("api.zip", "w") as archive:
        archive.writestr("functions/handlers/api.py", "")
        for path in Path("kept").iterdir():
            archive.write(path, f"manifests/{path.name}")

    assert of_files(Path("api.zip")).versions == of_files(Path("kept")).versions


def test_saving_takes_away_what_is_gone_and_leaves_what_is_not_its_own(project: Path):
    write(project / "kept" / "notes.json", "{}")

    call("plan", "--save", "kept")

    names = sorted(path.name for path in Path("kept").iterdir())
    assert names == ["new.json", "notes.json", "release@2.json", "same.json"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--against", "prod"], "there is no stage 'prod'"),
        (["--against", "./nowhere"], "there is no './nowhere'"),
        (["--against", "workflows"], "'workflows' holds no manifests"),
        (["--against", "package.json"], "'package.json' is no manifest"),
        (["-", "--against", "kept"], "name them"),
    ],
)
def test_a_place_without_manifests_is_a_wrong_call(project: Path, argv: list[str], said: str):
    write(project / "package.json", "{}")

    ended = call("plan", *argv)

    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_file_with_mistakes_is_reported_and_nothing_is_compared(project: Path):
    write(project / "workflows" / "release.yaml", "steps: [{id: a, rnu: x}]\n")

    ended = call("plan", "--against", "kept")

    assert (ended.code, ended.out) == (1, "")
    assert "error[" in ended.err


def test_what_is_deployed_and_does_not_compile_any_more_is_compared_as_far_as_it_goes(
    project: Path,
):
    write(project / "workflows" / "child.yaml", "name: child\nsteps: [{id: a, run: echo}]\n")
    write(
        project / "workflows" / "release.yaml",
        "name: Release\nsteps: [{id: a, type: subworkflow, workflow: child}]\n",
    )
    call("plan", "--save", "kept")
    (project / "workflows" / "child.yaml").unlink()
    write(project / "workflows" / "release.yaml", "name: Release\nsteps: [{id: b, run: echo}]\n")

    told = json.loads(call("plan", "--against", "kept", "--format", "json").out)

    release = next(one for one in told["workflows"] if one["id"] == "release")
    assert [(one["sign"], one["name"]) for one in release["changes"]] == [
        ("removed", "a"),
        ("added", "b"),
    ]
    assert "permissions and secrets are not compared" in release["notes"][0]


@pytest.mark.usefixtures("project")
def test_a_workflow_that_says_the_same_and_is_compiled_otherwise_is_told_so():
    kept = json.loads(Path("kept/same.json").read_text("utf-8"))
    Path("kept/same.json").write_text(json.dumps({**kept, "digest": "other"}), "utf-8")

    told = json.loads(call("plan", "--against", "kept", "--format", "json").out)

    same = next(one for one in told["workflows"] if one["id"] == "same")
    assert (same["what"], same["changes"]) == ("changed", [])
    assert "compiled otherwise" in same["notes"][0]


# --- of a stage ----------------------------------------------------------------------------------


class Stage:
    """The API of a stage, with canned answers by their targets."""

    place = "stage 'dev' at https://example.com"

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers

    def send(self, asked: Asked) -> Reply:
        return Reply(200, {}, json.dumps(self._answers[asked.target]).encode())

    def as_person(self, person: str) -> Stage:
        raise NotImplementedError


def _page(*items: Any) -> dict[str, Any]:
    return {"items": items, "next": None}


def _run(id: str, version: str, status: str) -> dict[str, Any]:
    return {
        "run_id": id,
        "workflow_id": "release",
        "workflow_version": version,
        "status": status,
        "started_at": "2026-01-31T12:00:00.000Z",
    }


@pytest.mark.usefixtures("project")
def test_open_runs_of_what_is_replaced_stay_with_it():
    manifest = json.loads(Path("kept/release@1.json").read_text("utf-8"))
    api = Stage(
        {
            "/api/workflows?limit=200": _page({"id": "release", "version": "1"}),
            "/api/workflows/release@1": manifest,
            "/api/runs?status=running&limit=200": _page(
                _run("release-1", "1", "running"), _run("release-2", "0", "running")
            ),
            "/api/runs?status=paused&limit=200": _page(_run("release-3", "1", "paused")),
        }
    )
    here = Projects("dev").of(Path("stepsmith.yaml"))

    deployed = of_stage(Reach(api))
    told = comparison(workflows(here), deployed, here, whole=True)

    release = next(one for one in told.workflows if one.version.id == "release")
    assert [run.id for run in release.runs] == ["release-1", "release-3"]
    text = output.render(told, colour=False)
    assert "2 open runs stay with what is deployed now" in text
    assert "release-3  paused since 2026-01-31 12:00:00" in text
    alone = output.render(replace(told, knows_runs=False), colour=False)
    assert "open run" not in alone


# --- what counts as a difference -----------------------------------------------------------------


def _differences(before: str, after: str) -> list[Change]:
    said = []
    for text in (before, after):
        source = Source("flow.yaml", text)
        found = Diagnostics(source)
        workflow = decode(read(source, found)[0], found)
        assert workflow is not None, text
        said.append(workflow)
    return differences(said[0], said[1])


STEP = "steps: [{{id: a, run: echo{}}}]\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("steps: [{id: a, run: x}]\n", "steps:\n- run: x # why\n  id: a\n", id="form"),
        pytest.param(
            "steps: [{id: a, run: x}, {id: b, run: y}]\n",
            "steps: [{id: a, run: x, depends_on: []}, {id: b, run: y, depends_on: [a]}]\n",
            id="what is left out is said",
        ),
        pytest.param(
            "steps: [{name: Do it, run: x}, {id: b, run: y, depends_on: [Do it]}]\n",
            "steps: [{name: Do it, run: x}, {id: b, run: y, depends_on: [do_it]}]\n",
            id="a name for an id",
        ),
        pytest.param(
            "steps: [{id: a, type: wait, for: 48h}]\n",
            "steps: [{id: a, type: wait, for: 2d}]\n",
            id="another unit",
        ),
        pytest.param(
            "defaults: {timeout: 5m}\nsteps: [{id: a, run: x}]\n",
            "steps: [{id: a, run: x, timeout: 5m}]\n",
            id="a default",
        ),
        pytest.param(
            "workflow: {steps: [{id: a, run: x}]}\n", "steps: [{id: a, run: x}]\n", id="the root"
        ),
    ],
)
def test_another_way_to_write_the_same_is_no_change(before: str, after: str):
    assert _differences(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (STEP.format(""), STEP.format(", timeout: 90s"), ("a", "timeout", None, "90s")),
        (STEP.format(", checkpoint: true"), STEP.format(""), ("a", "checkpoint", True, False)),
        (
            "steps: [{id: a, type: publish, event: e, payload: {n: 1}}]\n",
            "steps: [{id: a, type: publish, event: e, payload: {n: true}}]\n",
            ("a", "payload.n", 1, True),
        ),
        (
            STEP.format(", for_each: ['1']"),
            STEP.format(", for_each: ['1', '2']"),
            ("a", "for_each", ["1"], ["1", "2"]),
        ),
        (
            STEP.format(", compensate: {run: undo}"),
            STEP.format(", compensate: {run: undo it}"),
            ("a", "compensate.run", "undo", "undo it"),
        ),
        (
            "steps: [{id: a, type: subworkflow, workflow: x@1}]\n",
            "steps: [{id: a, type: subworkflow, workflow: x@2}]\n",
            ("a", "workflow", "x@1", "x@2"),
        ),
        (
            "steps: [{id: a, action: http-request, inputs: {url: {a: 1}}}]\n",
            "steps: [{id: a, action: http-request, inputs: {url: {a: 2}}}]\n",
            ("a", "inputs.url.a", 1, 2),
        ),
        (
            "steps: [{id: a, run: x}]\non_failure: {id: b, run: y}\n",
            "steps: [{id: a, run: x}]\non_failure: {id: b, run: z}\n",
            ("b", "run", "y", "z"),
        ),
        (
            "steps: [{id: p, type: parallel, steps: [{id: a, run: x}]}, {id: b, run: y}]\n",
            "steps: [{id: p, type: parallel, steps: [{id: a, run: x}, {id: b, run: y}]}]\n",
            ("b", "inside", None, "p"),
        ),
        (
            "timeout: 1h\nsteps: [{id: a, run: x}]\n",
            "timeout: 2h\nsteps: [{id: a, run: x}]\n",
            ("", "timeout", "1h", "2h"),
        ),
        (
            "notify: {on: failed, to: a@example.com}\nsteps: [{id: a, run: x}]\n",
            "notify: {on: failed, to: b@example.com}\nsteps: [{id: a, run: x}]\n",
            (
                "",
                "notify",
                [{"on": ["failed"], "to": ["a@example.com"]}],
                [{"on": ["failed"], "to": ["b@example.com"]}],
            ),
        ),
        (
            "steps: [{id: a, run: x}]\n",
            "steps: [{id: a, type: wait, for: 1h}]\n",
            ("a", "kind", "run", "wait"),
        ),
    ],
)
def test_one_change_is_told_at_its_key(before: str, after: str, wanted: tuple[Any, ...]):
    changes = [
        (one.name, one.key, one.before, one.after)
        for one in _differences(before, after)
        if one.key != "depends_on"
    ]
    assert changes == [wanted]


def test_two_steps_that_say_the_same_are_not_taken_for_renamed_ones():
    changes = _differences(
        "steps: [{id: a, run: x, depends_on: []}, {id: b, run: x, depends_on: []}]\n",
        "steps: [{id: c, run: x, depends_on: []}, {id: d, run: x, depends_on: []}]\n",
    )

    assert [(one.sign, one.name) for one in changes] == [
        ("removed", "a"),
        ("removed", "b"),
        ("added", "c"),
        ("added", "d"),
    ]
