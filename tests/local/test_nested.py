"""Executions that a machine starts: what comes back, what becomes of them with their parent."""

from __future__ import annotations

import json

import pytest

from local.engine import Engine

CHILD = "${machine:C}"


def machine(start, **states):
    return {"QueryLanguage": "JSONata", "StartAt": start, "States": states}


def task(resource, arguments, **fields):
    return {
        "Type": "Task",
        "Resource": f"arn:aws:states:::{resource}",
        "Arguments": arguments,
        **(fields if "Next" in fields else {**fields, "End": True}),
    }


SLOW = machine(
    "W",
    W={"Type": "Wait", "Seconds": 3600, "Next": "E"},
    E={"Type": "Pass", "Output": {"got": "{% $states.input.a %}"}, "End": True},
)
BAD = machine("F", F={"Type": "Fail", "Error": "Mine", "Cause": "c"})
START = {"StateMachineArn": CHILD, "Name": "k", "Input": {"a": 1}}


def run(parent, child=SLOW):
    """Return how the parent ended, its seconds and the status of each execution by name."""
    with Engine({}) as engine:
        engine.create({"M": parent, "C": child}, {})
        finished = engine.execute("M", {}, "N")
        others = {one.name: one for _, one in engine.others("N")}
    return finished, (finished.completed_at - finished.started_at).total_seconds(), others


def test_a_child_that_is_only_started_goes_on_alone():
    finished, seconds, others = run(machine("A", A=task("states:startExecution", START)))
    assert (finished.status, seconds, others["k"].status) == ("SUCCEEDED", 0, "RUNNING")
    assert finished.output["ExecutionArn"].endswith(":execution:C:k")
    assert {"StartDate", "SdkHttpMetadata", "SdkResponseMetadata"} <= finished.output.keys()


@pytest.mark.parametrize(("resource", "output"), [("sync", '{"got":1}'), ("sync:2", {"got": 1})])
def test_a_child_that_is_waited_for_gives_its_output(resource, output):
    finished, seconds, _ = run(machine("A", A=task(f"states:startExecution.{resource}", START)))
    assert (finished.output["Output"], seconds) == (output, 3600)
    assert finished.output["Status"] == "SUCCEEDED"
    assert finished.output["Name"] == "k"


def test_a_child_that_fails_is_a_failed_task_with_the_child_as_its_cause():
    finished, _, _ = run(machine("A", A=task("states:startExecution.sync:2", START)), BAD)
    assert finished.error == "States.TaskFailed"
    described = json.loads(finished.cause)
    assert (described["Status"], described["Error"], described["Cause"]) == ("FAILED", "Mine", "c")


def test_a_second_start_of_the_same_name_is_the_same_child_while_it_runs():
    again = machine(
        "A",
        A=task("states:startExecution", START, Next="B"),
        B=task("states:startExecution.sync:2", START),
    )
    finished, seconds, others = run(again)
    assert (finished.status, seconds, len(others)) == ("SUCCEEDED", 3600, 1)


@pytest.mark.parametrize("change", [{"Input": {"a": 2}}, {}])
def test_a_name_that_is_taken_otherwise_is_refused(change):
    again = machine(
        "A",
        A=task("states:startExecution.sync", {**START, **change}, Next="B"),
        B=task("states:startExecution.sync:2", START),
    )
    assert run(again)[0].error == "StepFunctions.ExecutionAlreadyExistsException"


def test_a_machine_that_is_not_there_has_its_error():
    parent = machine("A", A=task("states:startExecution", {"StateMachineArn": f"{CHILD}x"}))
    assert run(parent)[0].error == "StepFunctions.StateMachineDoesNotExistException"


@pytest.mark.parametrize(
    "parent",
    [
        {**machine("A", A=task("states:startExecution.sync:2", START)), "TimeoutSeconds": 60},
        machine("A", A=task("states:startExecution.sync:2", START, TimeoutSeconds=60)),
        machine(
            "P",
            P={
                "Type": "Parallel",
                "Branches": [
                    {"StartAt": "A", "States": {"A": task("states:startExecution.sync", START)}},
                    {
                        "StartAt": "W",
                        "States": {
                            "W": {"Type": "Wait", "Seconds": 60, "Next": "F"},
                            "F": {"Type": "Fail", "Error": "Mine"},
                        },
                    },
                ],
                "End": True,
            },
        ),
    ],
    ids=["the machine's time is up", "the task's time is up", "a sibling fails"],
)
def test_a_child_stops_with_what_waits_for_it(parent):
    _, seconds, others = run(parent)
    assert (seconds, others["k"].status) == (60, "ABORTED")


def test_a_stopped_child_tells_its_parent_who_stopped_it():
    stop = {
        "ExecutionArn": "arn:aws:states:us-east-1:123456789012:execution:C:k",
        "Error": "Stopped",
        "Cause": "enough",
    }
    parent = machine(
        "P",
        P={
            "Type": "Parallel",
            "Branches": [
                {"StartAt": "A", "States": {"A": task("states:startExecution.sync", START)}},
                {
                    "StartAt": "W",
                    "States": {
                        "W": {"Type": "Wait", "Seconds": 5, "Next": "S"},
                        "S": task("aws-sdk:sfn:stopExecution", stop),
                    },
                },
            ],
            "End": True,
        },
    )
    finished, seconds, _ = run(parent)
    assert (finished.error, seconds) == ("States.TaskFailed", 5)
    described = json.loads(finished.cause)
    assert (described["Status"], described["Error"]) == ("ABORTED", "Stopped")


@pytest.mark.parametrize("name", ["two words", "a/b", "x" * 81, "a\x00", "a\N{NO-BREAK SPACE}b"])
def test_an_execution_s_name_is_checked(name):
    arguments = {"StateMachineArn": CHILD, "Name": name, "Input": "{}"}
    parent = machine("A", A=task("aws-sdk:sfn:startExecution", arguments))
    assert run(parent)[0].error == "Sfn.InvalidNameException"


def test_an_input_above_256_kib_is_refused():
    code = "{% {'x': $join($map([1..26300], function($n) { '0123456789' }))} %}"
    parent = machine(
        "A", A=task("states:startExecution", {"StateMachineArn": CHILD, "Input": code})
    )
    assert run(parent)[0].status == "FAILED"
