"""What a version of a workflow is to the functions and to a deployment."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cli.project.manifests import manifests, workflows
from cli.project.project import Projects
from compiler.manifest import manifest
from compiler.manifest.schedules import cron, rate
from protocol.manifest import TriggerManifest, WorkflowManifest
from tests.golden.project import ROOT, compiled_text, surroundings


def made(text: str) -> WorkflowManifest:
    """Return the manifest of a workflow without calls."""
    compilation = compiled_text(text, surroundings())
    assert compilation.ok, [one.message for one in compilation.diagnostics]
    return manifest(compilation)


def trigger(written: str) -> TriggerManifest:
    """Return a trigger's part of the manifest."""
    return made(f"name: w\ntrigger: {written}\nsteps: [{{id: a, run: echo}}]\n")["triggers"][0]


WHOLE = """
name: Release
version: "2"
description: Builds it
inputs: {tag: string, colour: {type: string, default: blue}}
outputs: {url: {type: string, value: "${{ steps.deploy.outputs.url }}"}}
notify: {on: [failed], to: [ann@example.com, "https://${{ secrets.HOOK }}/x", "${{ inputs.tag }}"]}
steps:
  - id: tests
    type: parallel
    steps:
      - {id: unit, run: "make ${{ inputs.tag }} ${{ inputs.colour }}"}
      - {id: lint, action: http-request, inputs: {url: "https://example.com"}}
  - id: review
    type: manual
    assignees: [bob@example.com]
    on_reject: continue
  - {id: paid, type: wait, event: payment.received}
  - id: deploy
    name: Deploy it
    run: ./deploy.sh
    env: {TOKEN: "${{ secrets.TOKEN }}"}
    outputs: {url: null}
    condition: steps.review.outputs.status == 'approved'
    compensate: {run: ./undo.sh}
on_failure: {run: echo}
"""


def test_a_manifest_tells_of_steps_rules_and_contract():
    whole = made(WHOLE)
    assert (whole["id"], whole["version"], whole["has_close"]) == ("release", "2", True)
    assert [(one["id"], one["kind"], one["line"]) for one in whole["steps"]] == [
        ("tests", "parallel", 9),
        ("unit", "run", 12),
        ("lint", "action", 13),
        ("review", "manual", 14),
        ("paid", "wait", 18),
        ("deploy", "run", 19),
    ]
    by_id = {one["id"]: one for one in whole["steps"]}
    assert by_id["unit"]["block"] == "tests"
    assert by_id["lint"]["action"] == "http-request"
    assert by_id["deploy"]["undo"]
    assert by_id["deploy"]["stored"]
    assert by_id["deploy"]["secrets"] == ["TOKEN"]
    assert "stored" not in by_id["review"]
    assert whole["blocks"] == {"unit": "tests", "lint": "tests"}
    assert whole["rules"]["deploy"] == {
        "id": "deploy",
        "depends_on": ["paid"],
        "written": False,
        "manual": False,
        "continues": [],
        "has_condition": True,
        "has_status_function": False,
        "asks": [],
    }
    assert whole["rules"]["review"]["continues"] == ["rejected"]
    assert len(whole["handlers"]) == 1
    assert whole["inputs"] is not None
    assert whole["inputs"]["required"] == ["tag"]
    assert whole["patterns"] == [{"detail-type": ["payment.received"]}]


def test_whom_to_tell_is_portable_with_its_secrets():
    to = ["list", "ann@example.com", ["text", "https://", ["ref", "secrets", "HOOK"], "/x"],
          ["ref", "inputs", "tag"]]  # fmt: skip
    with_secret = made(WHOLE)["notify"]
    assert with_secret == [{"on": ["failed"], "to": to, "secrets": ["HOOK"]}]


def test_a_digest_is_the_same_for_the_same_file_and_another_for_another():
    first, second = made(WHOLE), made(WHOLE)
    assert first == second
    assert len(first["digest"]) == 64
    assert made(WHOLE.replace("blue", "red"))["digest"] != first["digest"]


def test_a_digest_tells_of_the_stage_s_variables_and_of_the_children():
    here = surroundings()
    red = replace(here, stage=replace(here.stage, vars={"colour": "red"}))
    text = "name: w\nsteps: [{id: a, run: echo}]\n"
    assert manifest(compiled_text(text, here)) != manifest(compiled_text(text, red))
    caller, child = (
        next(one for one in project() if one.reference == name)
        for name in ("build_and_deploy", "build_app")
    )
    assert caller.manifest["children"] == {"build_app": child.manifest["digest"]}
    assert child.manifest == {**manifest(child.own), "graph": child.manifest["graph"]}


def test_a_manifest_is_json():
    for one in project():
        assert json.loads(json.dumps(one.manifest)) == one.manifest


def project():
    """Return the workflows of this repository's project."""
    return workflows(Projects().of(ROOT / "workflows" / "fan_in.yaml"))


def test_a_project_gives_a_manifest_for_each_workflow():
    here = Projects().of(ROOT / "workflows" / "fan_in.yaml")
    found = manifests(here)
    assert len({(one["id"], one["version"]) for one in found}) == len(found) >= len(here.files)
    assert all(one["file"].startswith("workflows/") for one in found)


# --- the drawing ---------------------------------------------------------------------------------


def test_a_drawing_has_a_place_for_every_step_and_arrow():
    one = next(one for one in project() if one.reference == "parallel_deployments")
    steps = one.manifest["graph"]["steps"]
    [block, after] = steps["cards"]
    assert (block["id"], block["kind"], after["id"]) == (
        "parallel-deployments", "block", "deploy-staging",
    )  # fmt: skip
    inner = block["inside"]["cards"]
    assert [card["id"] for card in inner] == ["deploy-us-east", "deploy-eu-west"]
    for card in inner:  # inside of the box, counted from the same corner
        assert block["x"] < card["x"]
        assert card["x"] + card["width"] < block["x"] + block["width"]
        assert card["y"] + card["height"] < block["y"] + block["height"]
    [arrow] = steps["arrows"]
    assert (arrow["from"], arrow["to"], arrow["latch"]) == (block["id"], after["id"], False)
    assert arrow["points"][0][0] == block["x"] + block["width"]
    assert arrow["points"][-1][0] == after["x"]


# --- triggers ------------------------------------------------------------------------------------


def test_a_trigger_s_mapping_is_portable_and_its_literals_stay_as_they_are():
    found = trigger(
        "{type: queue, queue: q, inputs: {a: '${{ event.x }}', b: [1, {c: 2}], "
        "d: {e: ['${{ event.y }}', [3]]}, f: 'is ${{ event.x }}'}, condition: event.x == 1, "
        "dedupe: {key: '${{ event.id }}', window: 2h}}"
    )
    assert found["inputs"] == [
        {"name": "a", "computed": True, "value": ["ref", "event", "x"]},
        {"name": "b", "computed": False, "value": [1, {"c": 2}]},
        {"name": "d", "computed": True,
         "value": ["record", "e", ["list", ["ref", "event", "y"], ["list", 3]]]},
        {"name": "f", "computed": True, "value": ["text", "is ", ["ref", "event", "x"]]},
    ]  # fmt: skip
    assert found["condition"] == ["==", ["ref", "event", "x"], 1]
    assert found["dedupe"] == {"key": ["ref", "event", "id"], "window": 7200}


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        ("{type: git-push, repository: github.com/org/app, branch: main, forks: true}",
         {"repository": "github.com/org/app", "events": ["push"], "branches": ["main"], "tags": [],
          "paths": [], "forks": True, "secret": "github-webhook"}),
        ("{type: http, name: from ci}", {"secret": "webhook-from-ci"}),
        ("{type: http, secret: ci}", {"secret": "ci"}),
        ("{type: schedule, cron: 0 6 * * 1-5, timezone: Europe/Berlin}",
         {"cron": "0 6 * * 1-5", "rate": None, "timezone": "Europe/Berlin", "missed": "last",
          "expression": "cron(0 6 ? * MON-FRI *)"}),
        ("{type: schedule, rate: 90m, missed: all}",
         {"cron": None, "rate": 5400, "timezone": "UTC", "missed": "all",
          "expression": "rate(90 minutes)"}),
        ("{type: event, event: user.signup}",
         {"pattern": {"detail-type": ["user.signup"]}, "buses": ["stage"]}),
        ("{type: event, pattern: {source: [aws.s3]}}",
         {"pattern": {"source": ["aws.s3"]}, "buses": ["default"]}),
        ("{type: event, pattern: {source: [shop, aws.s3]}}",
         {"pattern": {"source": ["shop", "aws.s3"]}, "buses": ["stage", "default"]}),
        ("{type: queue, queue: orders}", {"queue": "orders"}),
        ("{type: database, table: orders, operations: insert}",
         {"table": "orders", "operations": ["insert"]}),
    ],
)  # fmt: skip
def test_a_trigger_says_what_a_deployment_makes_of_it(written, settings):
    assert trigger(written)["settings"] == settings


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("0 6 * * *", "0 6 * * ? *"),
        ("*/15 * * * *", "0/15 * * * ? *"),
        ("5/20 8-18 * * *", "5/20 8-18 * * ? *"),
        ("10-30/10 0 1,15 * ?", "10,20,30 0 1,15 * ? *"),
        ("0 0 ? * 1-5", "0 0 ? * MON-FRI *"),
        ("0 0 * * 0,6", "0 0 ? * SUN,SAT *"),
        ("0 0 * * 7", "0 0 ? * SUN *"),
        ("0 0 * * 5-7", "0 0 ? * FRI,SAT,SUN *"),
        ("0 0 * * fri-mon", "0 0 ? * FRI,SAT,SUN,MON *"),
        ("0 0 * * */2", "0 0 ? * SUN,TUE,THU,SAT *"),
        ("0 0 * * 2#1", "0 0 ? * 3#1 *"),
        ("0 0 * * FRIL", "0 0 ? * 6L *"),
        ("0 0 * * 5L", "0 0 ? * 6L *"),
        ("0 0 * * L", "0 0 ? * L *"),
        ("0 0 LW * *", "0 0 LW * ? *"),
        ("0 0 15W 1/3 ?", "0 0 15W 1/3 ? *"),
        ("0 0 1 NOV-FEB *", "0 0 1 NOV,DEC,JAN,FEB ? *"),
        ("0 0 1 jan * 2027-2030", "0 0 1 JAN ? 2027-2030"),
    ],
)
def test_a_cron_expression_is_spelled_as_eventbridge_scheduler_has_it(written, expected):
    """Days of the week are counted from Sunday, which is 0 here and 1 there; names are alike."""
    assert cron(written) == f"cron({expected})"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(60, "1 minute"), (900, "15 minutes"), (3600, "1 hour"), (7200, "2 hours"),
     (86_400, "1 day"), (90_000, "25 hours"), (172_800, "2 days")],
)  # fmt: skip
def test_a_rate_is_in_the_largest_unit_that_fits(seconds, expected):
    assert rate(seconds) == f"rate({expected})"


# --- what goes with a run ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "carries"),
    [
        ("inputs.commit", []),
        ("event.after", ["event"]),
        ("github.sha", ["github"]),
        ("github.event.after", ["github", "github.event"]),
        ("toJSON(github)", ["github", "github.event"]),
        ("github[event.name]", ["event", "github", "github.event"]),
        ("event.detail.id", ["event", "event.detail"]),
        ("trigger.name", ["trigger"]),
    ],
)
def test_only_what_is_read_goes_with_a_run(group, carries):
    text = (
        "name: w\ntrigger: {type: git-push}\n"
        f"concurrency: {{group: '${{{{ {group} }}}}'}}\nsteps: [{{id: a, run: echo}}]\n"
    )
    assert made(text)["carries"] == carries


def test_what_is_read_when_somebody_is_told_goes_with_a_run_too():
    text = (
        "name: w\ntrigger: {type: git-push}\n"
        "notify: {on: [failed], to: ['https://example.com/${{ github.event.after }}']}\n"
        "steps: [{id: a, run: echo}]\n"
    )
    assert made(text)["carries"] == ["github", "github.event"]


def test_a_handler_s_failed_step_is_no_part_of_the_webhook():
    text = (
        "name: w\ntrigger: {type: git-push}\nsteps: [{id: a, run: echo}]\n"
        "on_failure: {run: 'echo ${{ github.event.workflow.failed_step }} ${{ github.sha }}'}\n"
    )
    assert made(text)["carries"] == ["github"]
