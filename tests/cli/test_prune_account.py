"""How `stepsmith prune` finds out what there is: the calls, page by page, and what they mean.

boto's own model holds the calls and the answers; moto and ministack know too little of versions.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cli.console import Misuse
from cli.project.settings import Stage
from cli.prune.account import account_of
from cli.prune.delete import NotDeleted
from cli.prune.plan import Unreadable, named_in
from tests.cli.prune_stubs import (
    OLD,
    RELEASE,
    THEN,
    Stubs,
    aliased,
    at_rest,
    execution,
    in_stack,
    machines,
    no_functions,
    opened,
    tagged,
    versions,
)
from tests.cli.prune_town import LAMBDA, STATES, naming

ROLES = "arn:aws:iam::123456789012:role"
EU = f"{STATES}:stateMachine:stepsmith-prod-eu-release"


@pytest.fixture
def stubs():
    return Stubs()


# --- machines -----------------------------------------------------------------------------------


def test_a_machine_is_told_with_all_its_versions_and_who_is_on_them(stubs):
    """Whatever does not fit on one page; a share of the alias' runs is as good as all of them."""
    at_rest(stubs)
    in_stack(stubs)
    machines(stubs, RELEASE, f"{STATES}:stateMachine:another")
    versions(stubs, RELEASE, [12, 11], [4], [2])
    aliased(stubs, RELEASE, 11, 12)
    opened(stubs, RELEASE, {"r1": 4, "r2": 4, "hand": None, "lost": 3}, {"r3": 2})
    no_functions(stubs)

    [found] = stubs.account.found().machines

    assert (found.name, found.versions, found.is_left) == ("release", (12, 11, 4, 2), False)
    assert found.aliases == {11: "live", 12: "live"}
    assert found.open == {4: ("r1", "r2"), 2: ("r3",)}
    # On no version, and on one that is not there any more.
    assert [arn.rpartition(":")[2] for arn in found.astray] == ["hand", "lost"]
    stubs.all_asked()


def test_only_what_bears_the_stages_tag_is_left_over_by_it(stubs):
    """`prod-eu` is another stage, of another project perhaps: its names only begin alike."""
    at_rest(stubs)
    in_stack(stubs)
    machines(stubs, OLD, EU)
    tagged(stubs, OLD, "prod")
    versions(stubs, OLD, [1])
    aliased(stubs, OLD, 1)
    opened(stubs, OLD, {}, {})
    tagged(stubs, EU, "prod-eu")
    no_functions(stubs)

    found = stubs.account.found().machines

    assert [(one.name, one.is_left) for one in found] == [("old", True)]
    stubs.all_asked()


def test_a_machine_that_is_just_being_deleted_is_not_there(stubs):
    at_rest(stubs)
    in_stack(stubs)
    machines(stubs, RELEASE)
    stubs.refuse("stepfunctions", "list_state_machine_versions", "StateMachineDeleting")
    no_functions(stubs)

    assert stubs.account.found().machines == ()


@pytest.mark.parametrize("status", ["UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS"])
def test_nothing_is_told_of_a_stage_that_is_being_deployed(stubs, status):
    """What CloudFormation may still go back to is not known yet."""
    at_rest(stubs, status)

    with pytest.raises(Misuse, match=f"is being changed \\({status}\\)"):
        stubs.account.found()


def test_a_stage_that_is_not_there_has_nothing_to_delete(stubs):
    stubs.refuse(
        "cloudformation",
        "describe_stacks",
        "ValidationError",
        "Stack with id stepsmith-prod does not exist",
    )

    with pytest.raises(Misuse, match="there is no stack 'stepsmith-prod'"):
        stubs.account.found()


# --- functions ----------------------------------------------------------------------------------


def function(name: str, description: str) -> dict[str, Any]:
    return {
        "FunctionName": name,
        "FunctionArn": f"{LAMBDA}:{name}",
        "Description": description,
        "Version": "$LATEST",
        "Role": f"{ROLES}/{name}",
    }


def of_function(stubs: Stubs, name: str, *numbers: str, share: str | None = None) -> None:
    every = [
        {**function(name, ""), "Version": number, "Role": f"{ROLES}/{number}"} for number in numbers
    ]
    stubs.answer("lambda", "list_versions_by_function", {"Versions": every}, FunctionName=name)
    alias = {
        "Name": "canary",
        "FunctionVersion": numbers[-1],
        "RoutingConfig": {"AdditionalVersionWeights": {share: 0.1}},
    }
    found = [alias] if share else []
    stubs.answer("lambda", "list_aliases", {"Aliases": found}, FunctionName=name)


def test_functions_are_told_by_what_the_stack_says_of_them(stubs):
    """Of the stage, not of one that is called alike, page by page."""
    at_rest(stubs)
    in_stack(stubs)
    machines(stubs)
    ours = "Stepsmith, stage prod: "
    stubs.answer("lambda", "list_functions", {
        "Functions": [
            function("stepsmith-prod-Run", f"{ours}action-run"),
            function("stepsmith-prod-eu-Run", "Stepsmith, stage prod-eu: action-run"),
        ],
        "NextMarker": "2",
    })  # fmt: skip
    of_function(stubs, "stepsmith-prod-Run", "$LATEST", "1", "2", "10", share="2")
    stubs.answer("lambda", "list_functions", {
        "Functions": [
            function("stepsmith-prod-Old", f"{ours}action-old"),
            function("stepsmith-prod-Api", f"{ours}api"),
        ],
    }, Marker="2")  # fmt: skip
    of_function(stubs, "stepsmith-prod-Old", "$LATEST", "7")
    of_function(stubs, "stepsmith-prod-Api", "$LATEST")

    run, old, api = stubs.account.found().functions

    assert (run.name, run.versions, run.is_left) == ("action-run", (10, 2, 1), False)
    assert run.aliases == {10: "canary", 2: "canary"}
    own = f"{ROLES}/stepsmith-prod-Run"
    assert run.roles == {0: own} | {number: f"{ROLES}/{number}" for number in (1, 2, 10)}
    assert (old.name, old.versions, old.is_left) == ("action-old", (7,), True)
    assert (api.name, api.versions) == ("api", ())
    stubs.all_asked()


# --- what is named, and what is deleted -----------------------------------------------------------


def test_what_a_version_names_is_read_from_its_own_definition(stubs):
    named = f"{LAMBDA}:run:3"
    stubs.answer(
        "stepfunctions",
        "describe_state_machine",
        {
            "stateMachineArn": f"{RELEASE}:2",
            "name": "release",
            "definition": naming(named),
            "roleArn": f"{ROLES}/one",
            "type": "STANDARD",
            "creationDate": THEN,
        },
        stateMachineArn=f"{RELEASE}:2",
    )
    account = stubs.account

    assert (
        account.names(f"{RELEASE}:2")
        == account.names(f"{RELEASE}:2")
        == {
            named,
            f"{ROLES}/one",
        }
    )
    stubs.all_asked()  # once


def test_what_an_execution_names_is_asked_of_the_execution(stubs):
    run = str(execution(RELEASE, "hand", None)["executionArn"])
    stubs.answer(
        "stepfunctions",
        "describe_state_machine_for_execution",
        {
            "stateMachineArn": RELEASE,
            "name": "release",
            "definition": naming(f"{OLD}:1"),
            "roleArn": f"{ROLES}/one",
            "updateDate": THEN,
        },
        executionArn=run,
    )

    assert stubs.account.names(run) == {f"{OLD}:1", f"{ROLES}/one"}


def test_a_definition_that_cannot_be_read_is_no_empty_one(stubs):
    stubs.refuse("stepfunctions", "describe_state_machine", "AccessDeniedException")

    with pytest.raises(Unreadable, match="AccessDenied"):
        stubs.account.names(f"{RELEASE}:2")


def test_versions_are_found_wherever_they_stand_in_a_definition():
    """As a value, within an expression, in any partition; what has no number is no version."""
    named = {
        "arn:aws:lambda:eu-central-1:123456789012:function:run:3",
        "arn:aws-us-gov:states:us-gov-west-1:123456789012:stateMachine:stepsmith-prod-a--close:12",
    }
    text = (
        '{"A": "arn:aws:lambda:eu-central-1:123456789012:function:run:3",'
        ' "B": "{% \'arn:aws-us-gov:states:us-gov-west-1:123456789012:stateMachine:'
        "stepsmith-prod-a--close:12' %}\","
        ' "C": "arn:aws:states:::lambda:invoke.waitForTaskToken",'
        ' "D": "arn:aws:lambda:eu-central-1:123456789012:function:run",'
        ' "E": "arn:aws:states:eu-central-1:123456789012:stateMachine:b:live"}'
    )

    assert named_in(text) == named


@pytest.mark.parametrize(
    ("arn", "service", "operation", "asked"),
    [
        (f"{RELEASE}:2", "stepfunctions", "delete_state_machine_version",
         {"stateMachineVersionArn": f"{RELEASE}:2"}),
        (OLD, "stepfunctions", "delete_state_machine", {"stateMachineArn": OLD}),
        (f"{LAMBDA}:run:3", "lambda", "delete_function",
         {"FunctionName": f"{LAMBDA}:run", "Qualifier": "3"}),
        (f"{LAMBDA}:run", "lambda", "delete_function", {"FunctionName": f"{LAMBDA}:run"}),
    ],
)  # fmt: skip
def test_each_thing_is_deleted_by_its_own_call(stubs, arn, service, operation, asked):
    stubs.answer(service, operation, {}, **asked)

    stubs.account.delete(arn)

    stubs.all_asked()


def test_what_is_gone_already_counts_as_deleted(stubs):
    stubs.refuse("lambda", "delete_function", "ResourceNotFoundException")

    stubs.account.delete(f"{LAMBDA}:run:3")

    stubs.all_asked()


def test_what_aws_refuses_to_delete_says_why(stubs):
    told = "Version is referenced by an alias"
    stubs.refuse("stepfunctions", "delete_state_machine_version", "ConflictException", told)

    with pytest.raises(NotDeleted, match=told):
        stubs.account.delete(f"{RELEASE}:2")


# --- which account ------------------------------------------------------------------------------


class Session:
    """A session of boto in an account; `configured` are the settings of its clients."""

    region_name = None

    def __init__(self) -> None:
        self.configured: list[Any] = []

    def client(self, _: str, region_name: str, config: Any) -> Any:
        self.configured.append(config.retries)
        assert region_name == "eu-central-1"
        return SimpleNamespace(get_caller_identity=lambda: {"Account": "123456789012"})


def test_the_account_has_to_be_the_stages():
    stage = Stage.model_validate({"region": "eu-central-1", "account": "210987654321"})

    with pytest.raises(Misuse, match="of the account 123456789012, the stage is of 210987654321"):
        account_of("prod", stage, Session())


def test_the_region_has_to_be_known():
    with pytest.raises(Misuse, match="in which region"):
        account_of("prod", Stage.model_validate({}), Session())


def test_calls_that_are_too_many_are_made_again_and_ever_later():
    session = Session()

    account_of("prod", Stage.model_validate({"region": "eu-central-1"}), session)

    assert {one["mode"] for one in session.configured} == {"adaptive"}
    assert all(one["max_attempts"] >= 10 for one in session.configured)
