"""Machines written by hand as the compiler writes them, for tests of the engine alone."""

from __future__ import annotations

import json
from typing import Any

Definition = dict[str, Any]


def call(step: str, script: str, following: str | None, **fields: Any) -> Definition:
    """Return the Task of a `run` step; its failure is recorded and ends the branch."""
    retries = fields.pop("retries", 0)
    caught = fields.pop("caught", "failed")
    payload = {
        "run": "{% $run %}",
        "step": step,
        "inputs": {"script": script},
        "attempt": "{% $states.context.State.RetryCount + 1 %}",
        "outputs": [],
        **fields,
    }
    task: Definition = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": "${action:run}", "Payload": payload},
        "Assign": {f"o_{step}": "{% $states.result.Payload.outputs %}"},
        "Catch": [
            {
                "ErrorEquals": ["States.ALL"],
                "Assign": {f"e_{step}": "{% $states.errorOutput %}"},
                "Next": caught,
            }
        ],
        **({"Next": following} if following else {"End": True}),
    }
    if retries:
        task["Retry"] = [
            {"ErrorEquals": ["ScriptFailed"], "MaxAttempts": retries, "IntervalSeconds": 3600}
        ]
    return task


def machine(first: str, states: Definition) -> Definition:
    """Return a machine that takes its run in and fails where a step did."""
    begin: Definition = {
        "Type": "Pass",
        "Assign": {
            "run": (
                "{% $merge([$states.input.run, {'workflow': 'w', 'version': '1', 'contract': 1,"
                " 'started_at': $states.context.Execution.StartTime}]) %}"
            )
        },
        "Next": first,
    }
    failed: Definition = {
        "Type": "Fail",
        "Error": "WorkflowError",
        "Cause": '{"type":"WorkflowError","message":"a step failed","details":[]}',
    }
    ending = {"failed": failed} if '"Next": "failed"' in json.dumps(states) else {}
    return {
        "QueryLanguage": "JSONata",
        "StartAt": "begin",
        "States": {"begin": begin, **states, **ending},
    }


def signal(producer: str, consumers: list[str], **values: str) -> Definition:
    """Return the Task by which a producer that succeeded tells its consumers."""
    payload = {
        "op": "signal",
        "run": "{% $run %}",
        "scope": "",
        "producer": producer,
        "consumers": consumers,
        "status": "succeeded",
        "counts": True,
        "bad": [],
        "values": values,
    }
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": "${latches}", "Payload": payload},
        "End": True,
    }


def wait(consumer: str, producers: list[str], following: str) -> Definition:
    """Return the Task by which a consumer waits for its producers."""
    payload = {
        "op": "await",
        "run": "{% $run %}",
        "scope": "",
        "consumer": consumer,
        "producers": producers,
        "token": "{% $states.context.Task.Token %}",
        "guard": True,
        "counting": True,
    }
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
        "Arguments": {"FunctionName": "${latches}", "Payload": payload},
        "TimeoutSeconds": 600,
        "Assign": {f"latched_{consumer}": "{% $states.result.values %}"},
        "Next": following,
    }
