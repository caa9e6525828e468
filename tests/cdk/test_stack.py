"""What a stage is deployed as: kept data, least privilege, nothing that runs while nothing runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from cdk.model import CORE, Application
from protocol.patterns import matches
from protocol.tables import TABLES
from tests.cdk.synthesis import (
    FUNCTION,
    HELLO,
    MACHINE,
    ROLE,
    VERSION,
    Templates,
    allowed,
    application_in,
    function,
    listed,
    of_type,
    statements,
    synthesised,
    write_project,
)

FREE_WHILE_IDLE = {
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Authorizer",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::Stage",
    "AWS::CloudFormation::Stack",
    "AWS::CodeBuild::Project",
    "AWS::Cognito::UserPool",
    "AWS::Cognito::UserPoolClient",
    "AWS::Cognito::UserPoolDomain",
    "AWS::DynamoDB::Table",  # on demand
    "AWS::Events::EventBus",
    "AWS::Events::Rule",
    "AWS::IAM::Role",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::Function",
    "AWS::Lambda::Permission",
    "AWS::Lambda::Version",
    "AWS::Logs::LogGroup",
    "AWS::Logs::MetricFilter",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::Subscription",
    "AWS::SNS::Topic",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::Queue",
    "AWS::SQS::QueuePolicy",
    "AWS::Scheduler::Schedule",
    "AWS::Scheduler::ScheduleGroup",
    "AWS::StepFunctions::StateMachine",
    "AWS::StepFunctions::StateMachineAlias",
    "AWS::StepFunctions::StateMachineVersion",
}
BY_THE_MONTH = {
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard",
    "AWS::SecretsManager::Secret",
}
"""What docs/deployment.md lists with its price."""

OPEN = {
    *("states:SendTaskFailure", "states:SendTaskSuccess"),
    "dynamodb:ListStreams",
    *("xray:GetSamplingRules", "xray:GetSamplingTargets"),
    *("xray:PutTelemetryRecords", "xray:PutTraceSegments"),
}
"""What docs/security.md says is allowed on `*`: IAM knows no resources of these."""


# --- what is kept -----------------------------------------------------------------------------


def test_every_table_outlives_the_stack_and_can_be_wound_back(templates: Templates):
    tables = of_type(templates.root, "AWS::DynamoDB::Table")

    assert len(tables) == len(TABLES)
    for table in tables.values():
        properties = table["Properties"]
        assert table["DeletionPolicy"] == table["UpdateReplacePolicy"] == "Retain"
        assert properties["BillingMode"] == "PAY_PER_REQUEST"
        assert properties["DeletionProtectionEnabled"] is True
        assert properties["PointInTimeRecoverySpecification"] == {
            "PointInTimeRecoveryEnabled": True
        }


def test_tables_have_the_keys_streams_and_times_that_the_functions_know(templates: Templates):
    found = Counter(
        (
            tuple(key["AttributeName"] for key in one["Properties"]["KeySchema"]),
            "StreamSpecification" in one["Properties"],
            one["Properties"].get("TimeToLiveSpecification", {}).get("AttributeName"),
            len(one["Properties"].get("GlobalSecondaryIndexes", ())),
        )
        for one in of_type(templates.root, "AWS::DynamoDB::Table").values()
    )

    assert found == Counter(
        (one.keys, one.stream, one.ttl, len(one.indexes)) for one in TABLES.values()
    )


def test_files_of_runs_are_private_and_kept(templates: Templates):
    [bucket] = of_type(templates.root, "AWS::S3::Bucket").values()

    assert bucket["DeletionPolicy"] == "Retain"
    assert set(bucket["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
    [policy] = of_type(templates.root, "AWS::S3::BucketPolicy").values()
    refused = [
        one["Condition"]
        for one in policy["Properties"]["PolicyDocument"]["Statement"]
        if one["Effect"] == "Deny"
    ]
    assert {"Bool": {"aws:SecureTransport": "false"}} in refused


def test_a_deployment_that_fails_leaves_no_name_taken(templates: Templates):
    """What has a name of its own goes where its making is undone, or the next one would fail."""
    names = {"Name", "LogGroupName", "StateMachineName", "DashboardName", "Domain"}
    stays = [
        (one["Type"], name)
        for template in templates.all()
        for name, one in template["Resources"].items()
        if one.get("DeletionPolicy") == "Retain" and names & one["Properties"].keys()
    ]

    assert stays == []
    [key] = of_type(templates.root, "AWS::SecretsManager::Secret").values()
    assert key["DeletionPolicy"] == "RetainExceptOnCreate"
    assert key["UpdateReplacePolicy"] == "Retain"


def test_no_arn_is_of_one_partition_alone(templates: Templates):
    """Neither in templates nor in what machines call services by: also for aws-cn, aws-us-gov."""
    machines = templates.of_type(MACHINE)
    assert machines
    for one in machines:
        properties = one["Properties"]
        digest = properties["DefinitionS3Location"]["Key"].partition(".")[0]
        text = (templates.folder / f"asset.{digest}.json").read_text(encoding="utf-8")
        assert "arn:aws:" not in text
        assert ":states:::" in text
        assert properties["DefinitionSubstitutions"]["Partition"] == {"Ref": "AWS::Partition"}
        found = re.findall(r'"Resource":"(arn:[^:]*:states):::', text)
        assert set(found) == {"arn:${Partition}:states"}
    for template in templates.all():
        assert "arn:aws:" not in json.dumps(template)


def test_a_stage_that_is_not_protected_leaves_nothing_behind(tmp_path: Path):
    project = write_project(tmp_path, {"hello": HELLO}, "{protected: false}")
    found = synthesised(application_in(project, tmp_path / "stubs"), tmp_path / "out")

    kept = {
        one["Type"]
        for template in found.all()
        for one in template["Resources"].values()
        if one.get("DeletionPolicy") in ("Retain", "RetainExceptOnCreate")
    }
    # Versions go with what they are versions of.
    assert kept == {VERSION, "AWS::StepFunctions::StateMachineVersion"}
    for table in of_type(found.root, "AWS::DynamoDB::Table").values():
        assert table["Properties"]["DeletionProtectionEnabled"] is False


# --- what is there at all -----------------------------------------------------------------------


def test_only_actions_in_use_get_a_function(templates: Templates, shipped: Application):
    functions = of_type(templates.root, FUNCTION).values()
    names = {one["Properties"]["Description"].rpartition(": ")[2] for one in functions}

    used = {f"action-{one.name}" for one in shipped.actions}
    assert names == {*CORE, *used}
    assert "action-http-request" not in names


def test_builds_are_there_only_where_a_script_needs_one(templates: Templates, tmp_path: Path):
    project = write_project(tmp_path, {"hello": HELLO})
    found = synthesised(application_in(project, tmp_path / "stubs"), tmp_path / "out")

    assert len(of_type(templates.root, "AWS::CodeBuild::Project")) == 1
    assert of_type(found.root, "AWS::CodeBuild::Project") == {}


def test_nothing_is_billed_by_the_hour(templates: Templates):
    kinds = {one["Type"] for template in templates.all() for one in template["Resources"].values()}

    assert kinds <= FREE_WHILE_IDLE | BY_THE_MONTH


def test_the_page_lists_what_is_billed_by_the_month(templates: Templates):
    page = Path("docs/deployment.md").read_text(encoding="utf-8")
    alarms = of_type(templates.root, "AWS::CloudWatch::Alarm")

    assert f"{len(alarms)} alarms" in page
    for price in ("$0.10", "$0.40", "$3.00"):
        assert price in page


def test_every_function_has_a_log_that_forgets(templates: Templates, shipped: Application):
    groups = {
        name: one["Properties"]
        for name, one in of_type(templates.root, "AWS::Logs::LogGroup").items()
    }
    used = [
        one["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]
        for one in of_type(templates.root, FUNCTION).values()
    ]

    assert len(used) == len(set(used)) == len(groups) - 2  # builds, and calls of the API
    assert {one["RetentionInDays"] for one in groups.values()} == {shipped.stage.days}
    kinds = {one["Type"] for template in templates.all() for one in template["Resources"].values()}
    assert not [kind for kind in kinds if "Custom" in kind]


def test_calls_and_executions_are_traced(templates: Templates):
    for one in of_type(templates.root, FUNCTION).values():
        assert one["Properties"]["TracingConfig"] == {"Mode": "Active"}
    for one in templates.of_type(MACHINE):
        assert one["Properties"]["TracingConfiguration"] == {"Enabled": True}
        assert "LoggingConfiguration" not in one["Properties"]  # nor the data of executions


# --- who may what -------------------------------------------------------------------------------


def test_star_is_allowed_only_where_the_page_says_so(templates: Templates):
    found = {
        action
        for role in templates.of_type(ROLE)
        for one in statements(role)
        if "*" in listed(one["Resource"])
        for action in listed(one["Action"])
    }

    assert found == OPEN


def test_no_action_is_allowed_by_a_pattern(templates: Templates):
    actions = [
        action
        for role in templates.of_type(ROLE)
        for one in statements(role)
        for action in listed(one["Action"])
    ]

    assert not [action for action in actions if "*" in action]


def test_only_wake_and_latches_answer_who_waits(templates: Templates, shipped: Application):
    names = [*CORE, *(f"action-{one.name}" for one in shipped.actions)]

    able = {name for name in names if "states:SendTaskSuccess" in allowed(templates, name)}

    assert able == {"wake", "latches"}
    for reference in templates.workflows:
        text = json.dumps(of_type(templates.workflows[reference], ROLE))
        assert "states:SendTask" not in text


def test_the_api_cannot_read_task_tokens(templates: Templates):
    tokens = {
        name
        for name, one in of_type(templates.root, "AWS::DynamoDB::Table").items()
        if one["Properties"]["KeySchema"][0]["AttributeName"] == "task"
        and len(one["Properties"]["KeySchema"]) == 1
    }
    assert len(tokens) == 1

    def reaches(name: str) -> bool:
        return any(table in json.dumps(allowed(templates, name)) for table in tokens)

    assert {name for name in CORE if reaches(name)} == {"tasks", "wake"}


def test_every_function_has_a_role_of_its_own(templates: Templates):
    roles = [
        one["Properties"]["Role"]["Fn::GetAtt"][0]
        for one in of_type(templates.root, FUNCTION).values()
    ]

    assert len(roles) == len(set(roles))


def test_only_secrets_that_are_named_can_be_read(tmp_path: Path):
    workflow = """\
name: Secret
steps:
  - id: call
    action: http-request
    inputs: {url: "https://example.com", headers: {X-Key: "${{ secrets.KEY }}"}}
  - {id: say, run: 'echo "$TOKEN"', env: {TOKEN: "${{ secrets.TOKEN }}"}}
"""
    project = write_project(tmp_path, {"secret": workflow})
    found = synthesised(application_in(project, tmp_path / "stubs"), tmp_path / "out")

    def secrets(name: str) -> set[str]:
        text = json.dumps(allowed(found, name).get("secretsmanager:GetSecretValue", []))
        return set(re.findall(r"secret:stepsmith/dev/([\w-]+)-\?{6}", text))

    assert secrets("action-http-request") == {"KEY"}
    assert secrets("action-run") == {"TOKEN"}
    assert secrets("api") == {"link-key"}


def test_clusters_are_reached_by_their_action_alone(templates: Templates, shipped: Application):
    able = {
        one.name
        for one in shipped.actions
        if "eks:DescribeCluster" in allowed(templates, f"action-{one.name}")
    }

    assert able == {"deploy-to-kubernetes"}


def test_whoever_looks_for_files_may_learn_that_there_are_none(
    templates: Templates, shipped: Application
):
    """Without ListBucket, S3 says "forbidden" of what is missing."""
    for name in [*CORE, *(f"action-{one.name}" for one in shipped.actions)]:
        rights = allowed(templates, name)
        assert ("s3:GetObject" in rights) is ("s3:ListBucket" in rights)


# --- events -------------------------------------------------------------------------------------


def test_a_message_is_hidden_long_enough_and_given_up_some_day(templates: Templates):
    queues = of_type(templates.root, "AWS::SQS::Queue").values()
    [main] = [one["Properties"] for one in queues if "RedrivePolicy" in one["Properties"]]
    intake = function(templates, "intake")["Properties"]

    assert main["VisibilityTimeout"] >= 6 * intake["Timeout"]
    assert main["RedrivePolicy"]["maxReceiveCount"] == 5


def test_what_fails_of_a_batch_comes_again_alone(templates: Templates):
    mappings = of_type(templates.root, "AWS::Lambda::EventSourceMapping").values()

    assert len(mappings) == 5  # events, dead letters; tasks twice, results
    for one in mappings:
        assert one["Properties"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        if "StartingPosition" in one["Properties"]:
            assert one["Properties"]["DestinationConfig"]["OnFailure"]["Destination"]


@pytest.mark.parametrize(
    ("id", "part", "passes"),
    [
        ("0123", "task", True),
        ("0123", "audit#2026-12-01T00:00:00.000Z#1", False),
        ("run#r-1", "0123", False),
        ("run#r-1", "ended#1", False),
        ("waits", "0123", False),
        ("came#paid", "2026-12-01T00:00:00.000Z#e1", False),
    ],
)
def test_nobody_is_called_for_what_is_no_task(templates: Templates, id, part, passes):
    """The table of tasks holds more; its two readers have one filter."""
    record = {"eventName": "MODIFY", "dynamodb": {"Keys": {"id": {"S": id}, "part": {"S": part}}}}
    mappings = of_type(templates.root, "AWS::Lambda::EventSourceMapping").values()
    given = [one["Properties"].get("FilterCriteria") for one in mappings]

    patterns = [json.loads(one["Filters"][0]["Pattern"]) for one in given if one is not None]

    assert [matches(pattern, record) for pattern in patterns] == [passes] * 2


def test_records_are_told_of_the_stages_own_executions_and_look_for_lost_ones(
    templates: Templates,
):
    rules = [one["Properties"] for one in of_type(templates.root, "AWS::Events::Rule").values()]
    prefixes = [
        one["EventPattern"]["detail"]["stateMachineArn"][0]["prefix"]["Fn::Join"][1][-1]
        for one in rules
        if "EventPattern" in one
    ]
    [sweep] = [one for one in rules if "ScheduleExpression" in one]

    assert {prefix.rpartition(":")[2] for prefix in prefixes} == {"stepsmith-prod-"}
    assert sweep["ScheduleExpression"] == "rate(5 minutes)"
    assert sweep["Targets"][0]["Input"] == '{"op":"sweep"}'
