"""Where actions are carried out: what they say themselves, and what a step may say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compiler.check.program import Action
from tests.compiler.check.checked import CATALOGUE, PROJECT, Checked, checked

TESTS = replace(CATALOGUE["run-tests"], runner="codebuild", hands_on_callback=True)
AROUND = replace(PROJECT, catalogue={**CATALOGUE, "run-tests": TESTS})
INPUTS = "inputs: {artifact: app}"


def step(more: str = "", defaults: str = "") -> Checked:
    """Check a workflow with a step that calls an action for CodeBuild."""
    steps = f"steps:\n  - {{id: a, action: run-tests, {INPUTS}{more}}}\n"
    return checked(f"name: Runners\n{defaults}{steps}", AROUND)


def kind(found: Checked) -> Action:
    """Return what the step is."""
    assert found.codes == []
    assert found.program is not None
    (only,) = found.program.steps
    assert isinstance(only.kind, Action)
    return only.kind


@pytest.mark.parametrize(
    ("more", "runner", "why"),
    [
        ("", "codebuild", "'run-tests' is an action for CodeBuild"),
        (", timeout: 3h", "codebuild", "'run-tests' is an action for CodeBuild"),
        (", runner: codebuild", "codebuild", "`runner: codebuild`"),
        (", runner: lambda", "lambda", "`runner: lambda`"),
        (", image: python:3.13", "codebuild", "`image: python:3.13`"),
    ],
)
def test_an_action_for_codebuild_runs_there_unless_its_step_says_otherwise(
    more: str, runner: str, why: str
):
    found = kind(step(more))

    assert (found.runner, found.why) == (runner, why)


@pytest.mark.parametrize("runner", ["lambda", "codebuild"])
def test_defaults_say_it_for_a_step_that_says_nothing(runner: str):
    assert kind(step(defaults=f"defaults: {{runner: {runner}}}\n")).runner == runner
    assert kind(step(", runner: lambda", f"defaults: {{runner: {runner}}}\n")).runner == "lambda"
    assert kind(step(", image: x", f"defaults: {{runner: {runner}}}\n")).runner == "codebuild"


def test_other_actions_run_on_lambda_whatever_the_defaults_say():
    text = "steps:\n  - {id: a, action: deploy, inputs: {manifest: m}}\n"
    found = kind(checked(f"name: Runners\ndefaults: {{runner: codebuild}}\n{text}", AROUND))

    assert (found.runner, found.why) == ("lambda", "")


@pytest.mark.parametrize(("key", "value"), [("runner", "codebuild"), ("image", "python:3.13")])
def test_an_action_for_lambda_cannot_be_sent_to_codebuild(key: str, value: str):
    step = f"{{id: a, action: deploy, inputs: {{manifest: m}}, {key}: {value}}}"
    found = checked(f"name: Runners\nsteps:\n  - {step}\n", AROUND)

    assert found.found == [("wrong-runner", value)]


def test_an_action_for_lambda_may_say_so():
    step = "{id: a, action: deploy, inputs: {manifest: m}, runner: lambda}"
    assert kind(checked(f"name: Runners\nsteps:\n  - {step}\n", AROUND)).runner == "lambda"


def test_a_callback_is_handed_on_by_lambda_alone():
    assert step(", callback: true, timeout: 3h").found == [("wrong-runner", "true")]
    assert kind(step(", callback: true, runner: lambda, timeout: 3h")).callback


def test_what_runs_on_lambda_ends_after_15_minutes():
    found = step(", runner: lambda, timeout: 1h")

    assert found.found == [("longer-than-lambda", "1h")]
    assert found.helps == ["write `runner: codebuild`, or a timeout of at most `15m`"]


def test_an_image_has_no_place_on_lambda():
    assert step(", runner: lambda, image: x").codes == ["conflicting-keys"]


def test_an_aws_call_has_no_runner():
    put = "{id: a, action: 'aws:dynamodb:putItem', inputs: {TableName: t, Item: {}}, %s}"
    for key in ("runner: lambda", "image: x"):
        assert checked(f"name: Runners\nsteps:\n  - {put % key}\n").codes == ["not-here"]
