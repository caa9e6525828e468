"""Every construct of the three articles can be written as it stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.spec import (
    ActionStep,
    EventTrigger,
    GitPushTrigger,
    ManualStep,
    ParallelStep,
    RunStep,
    SubworkflowStep,
    Workflow,
)
from tests.compiler.spec.reading import good

ARTICLES = Path(__file__).parent / "articles"
FILES = sorted(ARTICLES.glob("*.yaml"))


def article(name: str) -> Workflow:
    file = ARTICLES / f"{name}.yaml"
    return good(file.read_text(), str(file))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_of_the_articles_has_no_mistakes(file):
    assert good(file.read_text(), str(file)).steps


def test_a_workflow_under_its_own_key_is_the_same_as_one_at_the_root():
    workflow = article("deploy_application")
    assert (workflow.id, workflow.name) == ("deploy_application", "Deploy Application")
    assert [step.depends_on for step in workflow.steps] == [None, ("build",), ("test",)]
    build = workflow.steps[0]
    assert isinstance(build, ActionStep)
    assert build.path == ("workflow", "steps", 0)
    assert build.inputs.entries["branch"] == "main"
    assert build.outputs.entries == {"artifact": "dist/app.tar.gz"}


def test_the_steps_of_a_parallel_block_start_at_once():
    block, staging = article("parallel_deployments").steps
    assert isinstance(block, ParallelStep)
    assert [child.depends_on for child in block.steps] == [(), ()]
    assert staging.on_error == "continue"


def test_a_review_knows_its_people_and_its_times():
    review = article("review_deployment").steps[0]
    assert isinstance(review, ManualStep)
    assert review.assignees == ("ada@example.com", "bob@example.com")
    assert (review.due_in, review.timeout) == (259_200, 259_200)
    assert [(e.after, e.notify) for e in review.escalations] == [
        (172_800, ("lead@example.com",)),
        (259_200, ("head@example.com",)),
    ]


def test_a_push_starts_a_run_with_its_inputs():
    (trigger,) = article("on_git_push").triggers
    assert isinstance(trigger, GitPushTrigger)
    assert (trigger.name, trigger.events, trigger.branches) == (
        "on_git_push-git-push", ("push",), ("main",),
    )  # fmt: skip
    assert trigger.inputs.entries["author"] == "ada@example.com"


def test_an_event_is_named_by_its_type():
    (trigger,) = article("user_signup").triggers
    assert isinstance(trigger, EventTrigger)
    assert trigger.pattern == {"detail-type": ["user.signup"]}


def test_both_dialects_of_retry_have_one_shape():
    first = article("user_signup").steps[0].retry
    second = article("deploy_with_retry").steps[0].retry
    assert first is not None
    assert second is not None
    assert (first.max_attempts, first.base_delay, first.rate, first.max_delay) == (5, 10, 2.0, 300)
    assert first.error_types == ("NetworkError", "TimeoutError", "ServiceUnavailable")
    assert (second.max_attempts, second.base_delay, second.rate) == (4, 30, 2.0)
    assert second.expressions[0] == "${{ failure() }}"


def test_a_single_handler_needs_no_id():
    (handler,) = article("deploy_with_retry").on_failure
    assert isinstance(handler, RunStep)
    assert (handler.id, handler.path, handler.depends_on) == ("on_failure", ("on_failure",), ())


def test_a_call_of_a_workflow_keeps_its_literal_outputs():
    call = article("build_and_deploy").steps[0]
    assert isinstance(call, SubworkflowStep)
    assert (call.workflow, call.version, call.file) == ("build-app", None, None)
    assert call.outputs.entries["version"] == "app:v1.2.0"


def test_the_schema_of_a_workflow_becomes_its_contract():
    workflow = article("build_app")
    assert workflow.inputs is not None
    assert workflow.outputs is not None
    required = [(field.name, field.required) for field in workflow.inputs.fields]
    assert required == [("source", True), ("branch", True), ("build_options", False)]
    assert workflow.inputs.fields[2].json_schema == {
        "type": "object",
        "properties": {"optimize": {"type": "boolean"}, "include_tests": {"type": "boolean"}},
        "required": ["optimize", "include_tests"],
        "additionalProperties": False,
    }
    assert workflow.inputs.path == ("schema", "inputs")
    assert [field.name for field in workflow.outputs.fields] == ["artifact", "version"]


def test_the_long_form_of_a_contract_is_required_only_if_it_says_so_and_has_no_default():
    workflow = article("environment_contract")
    assert workflow.inputs is not None
    assert workflow.outputs is not None
    fields = [(f.name, f.required, f.default) for f in workflow.inputs.fields]
    assert fields == [
        ("environment", False, "staging"), ("image_tag", False, None), ("rollout_delay", False, 30),
    ]  # fmt: skip
    assert workflow.outputs.fields[0].value == "${{ steps.deploy.outputs.deployment_id }}"


def test_names_are_ids_and_dependencies_may_say_either():
    workflow = article("pull_request")
    assert [step.id for step in workflow.steps] == [
        "validate_pr", "build_artifact", "deploy_to_staging",
    ]  # fmt: skip
    assert workflow.steps[1].depends_on == ("Validate PR",)


def test_a_job_calls_a_workflow_at_once():
    (call,) = article("deploy_from_template").steps
    assert isinstance(call, SubworkflowStep)
    assert (call.id, call.depends_on, call.file) == (
        "deploy", (), "./.github/workflows/deploy-template.yml",
    )  # fmt: skip
    assert call.inputs.path == ("jobs", "deploy", "with")
