"""Faults of the parser that the conformance cases do not reach: tokens, stops, the version."""

from __future__ import annotations

import json

import boto3
import botocore.loaders
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from local import repairs
from local.dispatch import Function
from local.engine import REGION, Engine
from local.repairs.failures import matches


def waiting(**fields):
    """Return a machine that waits for an answer to a token it gave to `f`."""
    state = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
        "Arguments": {
            "FunctionName": "f",
            "Payload": {"token": "{% $states.context.Task.Token %}"},
        },
        "End": True,
        **fields,
    }
    after = {"B": {"Type": "Pass", "End": True}} if "Catch" in fields else {}
    return {"QueryLanguage": "JSONata", "StartAt": "A", "States": {"A": state, **after}}


def answered(machine, answer):
    """Run a machine; each token goes to `answer(sfn, tokens so far)` on a thread of its own."""
    tokens: list[str] = []
    errors: list[str] = []

    def f(event, _context):
        tokens.append(event["token"])
        thread = engine.clock.thread(attempt, (list(tokens),))
        thread.start()

    def attempt(so_far):
        try:
            answer(sfn, so_far)
        except ClientError as error:
            errors.append(error.response["Error"]["Code"])

    with Engine({"f": Function(f)}) as engine:
        sfn = boto3.client("stepfunctions", region_name=REGION)
        engine.create({"M": machine}, {})
        return engine.execute("M", {}), tokens, errors


def test_an_answer_becomes_the_state_s_output():
    finished, *_ = answered(
        waiting(), lambda sfn, tokens: sfn.send_task_success(taskToken=tokens[0], output="null")
    )
    assert (finished.status, finished.output) == ("SUCCEEDED", None)


def test_a_failure_keeps_its_error_and_its_cause():
    caught = waiting(Catch=[{"ErrorEquals": ["Mine"], "Next": "B"}])
    finished, *_ = answered(
        caught,
        lambda sfn, tokens: sfn.send_task_failure(taskToken=tokens[0], error="Mine", cause="c"),
    )
    assert finished.output == {"Error": "Mine", "Cause": "c"}


def test_each_attempt_has_a_token_of_its_own_and_the_old_one_is_dead():
    def answer(sfn, tokens):
        if len(tokens) == 1:
            sfn.send_task_failure(taskToken=tokens[0], error="Again", cause="")
            return
        with pytest.raises(sfn.exceptions.TaskTimedOut):
            sfn.send_task_success(taskToken=tokens[0], output="1")
        sfn.send_task_success(taskToken=tokens[1], output="2")

    retried = waiting(Retry=[{"ErrorEquals": ["Again"], "IntervalSeconds": 600}])
    finished, tokens, errors = answered(retried, answer)
    assert (finished.status, finished.output, errors) == ("SUCCEEDED", 2, [])
    assert len(set(tokens)) == 2


def test_a_second_answer_and_an_unknown_token_are_refused():
    def answer(sfn, tokens):
        sfn.send_task_success(taskToken=tokens[0], output="1")
        with pytest.raises(sfn.exceptions.TaskTimedOut):
            sfn.send_task_success(taskToken=tokens[0], output="2")
        sfn.send_task_success(taskToken="nobody's", output="3")

    finished, _, errors = answered(waiting(), answer)
    assert finished.output == 1
    assert errors in ([], ["InvalidToken"])  # the run may be over before the last answer


def test_a_token_that_nobody_answers_times_out_in_no_time():
    timed = waiting(
        TimeoutSeconds=72 * 3600, Catch=[{"ErrorEquals": ["States.Timeout"], "Next": "B"}]
    )
    finished, *_ = answered(timed, lambda _sfn, _tokens: None)
    assert finished.output["Error"] == "States.Timeout"
    assert (finished.completed_at - finished.started_at).total_seconds() == 72 * 3600


def test_a_stopped_execution_ends_at_once_with_the_error_it_was_stopped_with():
    def f(_event, _context):
        engine.clock.thread(stop).start()

    def stop():
        engine.clock.sleep(5)
        execution = engine._backend().describe_state_machine(engine._machines["M"]).executions[0]
        engine.stop(execution, "Mine", "because")

    with Engine({"f": Function(f)}) as engine:
        engine.create({"M": waiting(TimeoutSeconds=60)}, {})
        finished = engine.execute("M", {})
    assert (finished.status, finished.error, finished.cause) == ("ABORTED", "Mine", "because")
    assert (finished.completed_at - finished.started_at).total_seconds() == 5


def test_text_and_null_outputs_are_described_as_json():
    machine = {"QueryLanguage": "JSONata", "StartAt": "A",
               "States": {"A": {"Type": "Pass", "Output": 'a "text"', "End": True}}}  # fmt: skip
    with Engine({}) as engine:
        engine.create({"M": machine}, {})
        engine.execute("M", {}, "N")
        sfn = boto3.client("stepfunctions", region_name=REGION)
        arn = engine._machines["M"].replace("stateMachine", "execution") + ":N"
        assert json.loads(sfn.describe_execution(executionArn=arn)["output"]) == 'a "text"'


@pytest.mark.parametrize(
    ("listed", "error", "matched"),
    [
        (["States.ALL"], "States.Runtime", False),
        (["States.ALL"], "States.DataLimitExceeded", True),
        (["States.TaskFailed"], "ScriptFailed", True),
        (["States.TaskFailed"], "States.Timeout", False),
        (["States.TaskFailed"], "States.QueryEvaluationError", False),
        (["States.Timeout"], "States.HeartbeatTimeout", True),
        (["A", "B"], "B", True),
        (["A"], None, False),
    ],
)
def test_errors_match_as_aws_matches_them(listed, error, matched):
    assert matches(listed, error) is matched


def test_another_version_of_moto_is_refused():
    repairs.check_version(repairs.VERSION)
    with pytest.raises(repairs.WrongVersion, match=r"5\.2\.6"):
        repairs.check_version("5.2.6")


def test_thirty_branches_wait_and_retry_at_once_without_standing_still():
    """Branches that wait different times all end, at the time of the longest."""
    branches = [
        {
            "StartAt": f"W{n}",
            "States": {
                f"W{n}": {"Type": "Wait", "Seconds": n * 60, "Next": f"T{n}"},
                f"T{n}": {
                    "Type": "Task",
                    "Resource": "arn:aws:states:::lambda:invoke",
                    "Arguments": {"FunctionName": "f", "Payload": {"n": n}},
                    "Retry": [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 5}],
                    "Output": "{% $states.result.Payload %}",
                    "End": True,
                },
            },
        }
        for n in range(30)
    ]
    failed: set[int] = set()

    def f(event, _context):
        if event["n"] % 2 and event["n"] not in failed:
            failed.add(event["n"])
            raise ValueError(event["n"])
        return event["n"]

    machine = {
        "QueryLanguage": "JSONata",
        "StartAt": "P",
        "States": {"P": {"Type": "Parallel", "Branches": branches, "End": True}},
    }
    with Engine({"f": Function(f)}) as engine:
        engine.create({"M": machine}, {})
        finished = engine.execute("M", {})
    assert finished.output == list(range(30))
    assert (finished.completed_at - finished.started_at).total_seconds() == 29 * 60 + 5


def test_an_iteration_that_fails_ends_its_map_at_once_with_its_own_error():
    """The one beside it is stopped in the middle, the one behind it is never started."""
    called: list[int] = []
    body = {
        "StartAt": "W",
        "States": {
            "W": {"Type": "Wait", "Seconds": "{% $states.input.n = 0 ? 900 : 60 %}", "Next": "C"},
            "C": {
                "Type": "Choice",
                "Choices": [{"Condition": "{% $states.input.n = 1 %}", "Next": "F"}],
                "Default": "T",
            },
            "F": {"Type": "Fail", "Error": "Bad", "Cause": "{% 'item ' & $states.input.n %}"},
            "T": {
                "Type": "Task",
                "Resource": "arn:aws:states:::lambda:invoke",
                "Arguments": {"FunctionName": "f", "Payload": {"n": "{% $states.input.n %}"}},
                "End": True,
            },
        },
    }
    each = {
        "Type": "Map",
        "Items": [{"n": n} for n in range(4)],
        "MaxConcurrency": 2,
        "ItemProcessor": body,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Z"}],
        "End": True,
    }
    states = {"M": each, "Z": {"Type": "Pass", "End": True}}
    machine = {"QueryLanguage": "JSONata", "StartAt": "M", "States": states}
    with Engine({"f": Function(lambda event, _: called.append(event["n"]))}) as engine:
        engine.create({"M": machine}, {})
        finished = engine.execute("M", {})
    assert finished.output == {"Error": "Bad", "Cause": "item 1"}
    assert (finished.completed_at - finished.started_at).total_seconds() == 60
    assert called == []
    begun = [event["type"] for event in finished.history].count("MapIterationStarted")
    assert begun == 2


def test_without_an_engine_requests_are_moto_s_own():
    repairs.install()
    with mock_aws():
        sfn = boto3.client("stepfunctions", region_name=REGION)
        machine = sfn.create_state_machine(
            name="plain",
            definition='{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}',
            roleArn="arn:aws:iam::123456789012:role/any",
        )["stateMachineArn"]
        execution = sfn.start_execution(stateMachineArn=machine, name="one", input="{}")
        arn = execution["executionArn"]
        assert sfn.describe_execution(executionArn=arn)["status"] == "RUNNING"
        sfn.stop_execution(executionArn=arn)
        assert sfn.describe_execution(executionArn=arn)["status"] == "ABORTED"


@pytest.mark.parametrize("number", ["-5", "-0", "-2.5", "5", "1e3"])
def test_numbers_of_a_definition_are_those_of_json(number: str):
    """A negative whole number stays whole, in an Output as in an Assign."""
    written = json.loads(number)
    output = {"here": [written], "there": "{% $kept %}"}
    states = {
        "A": {"Type": "Pass", "Assign": {"kept": written}, "Next": "B"},
        "B": {"Type": "Pass", "Output": output, "End": True},
    }
    machine = {"QueryLanguage": "JSONata", "StartAt": "A", "States": states}
    with Engine({}) as engine:
        engine.create({"M": machine}, {})
        finished = engine.execute("M", {})
    assert repr(finished.output["here"]) == f"[{written!r}]"
    assert finished.output["there"] == written
    assert isinstance(finished.output["there"], int) or not float(number).is_integer()


@pytest.mark.parametrize(
    "text", ["ключ", "😀", 'a"b', "a\\b", "a\nb", "a/b", "\u2028", "$x", "{% 1"]
)
def test_texts_of_a_definition_are_those_of_json(text: str):
    """Keys as well as values, in an Output as in an Assign, and in expressions."""
    quoted = json.dumps(text, ensure_ascii=False)
    kept = {text: text, "list": [text]}
    output = {**kept, "kept": "{% $kept %}", "same": f"{{% $kept.list[0] = {quoted} %}}"}
    states = {
        "A": {"Type": "Pass", "Assign": {"kept": kept}, "Next": "B"},
        "B": {"Type": "Pass", "Output": output, "End": True},
    }
    machine = {"QueryLanguage": "JSONata", "StartAt": "A", "States": states}
    with Engine({}) as engine:
        engine.create({"M": machine}, {})
        finished = engine.execute("M", {})
    assert finished.output == {**kept, "kept": kept, "same": True}


def test_what_is_read_of_a_service_is_kept_from_one_run_to_the_next(monkeypatch):
    read: list[str] = []
    load = botocore.loaders.JSONFileLoader.load_file

    def watched(self, path):
        found = load(self, path)
        if found is not None:
            read.append(path)
        return found

    monkeypatch.setattr(botocore.loaders.JSONFileLoader, "load_file", watched)
    for _ in range(3):
        read.clear()
        with Engine({}):
            assert boto3.client("dynamodb", region_name=REGION).list_tables()["TableNames"] == []
            paths = boto3.DEFAULT_SESSION._session.get_component("data_loader").search_paths
            assert len(paths) == len(set(paths))

    assert read == []
