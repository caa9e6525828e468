"""Concurrency groups on the engine: real `latches`, several executions of one machine."""

from __future__ import annotations

import time
from functools import partial

import boto3
import pytest

from functions.handlers import latches
from functions.wiring import latch_wiring
from local import active, workflow
from local.clock import Clock
from local.dispatch import Function
from local.engine import REGION, Engine
from local.stubs import Stub
from local.tables import create_tables
from tests.local.runs import compiled, played


def machine(on_conflict, seconds):
    payload = {
        "op": "lock",
        "run": {"id": "{% $states.context.Execution.Name %}"},
        "execution": "{% $states.context.Execution.Id %}",
        "group": "deploy",
        "limit": 1,
        "on_conflict": on_conflict,
        "token": "{% $states.context.Task.Token %}",
    }
    lock = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
        "Arguments": {"FunctionName": "latches", "Payload": payload},
        "Next": "Work",
    }
    work = {"Type": "Wait", "Seconds": seconds, "End": True}
    return {
        "QueryLanguage": "JSONata",
        "StartAt": "Lock",
        "States": {"Lock": lock, "Work": work},
    }


def parallel(count):
    """Return a machine that starts so many, a second apart, and waits for all."""
    branches = [
        {
            "StartAt": f"W{n}",
            "States": {
                f"W{n}": {"Type": "Wait", "Seconds": n, "Next": f"S{n}"},
                f"S{n}": {
                    "Type": "Task",
                    "Resource": "arn:aws:states:::states:startExecution.sync",
                    "Arguments": {"StateMachineArn": "${machine:L}", "Name": f"run{n}"},
                    "Catch": [{"ErrorEquals": ["States.ALL"], "Next": f"E{n}"}],
                    "End": True,
                },
                f"E{n}": {"Type": "Pass", "End": True},
            },
        }
        for n in range(count)
    ]
    states = {"P": {"Type": "Parallel", "Branches": branches, "End": True}}
    return {"QueryLanguage": "JSONata", "StartAt": "P", "States": states}


@pytest.mark.parametrize(
    ("on_conflict", "ends"),
    [
        ("queue", [("SUCCEEDED", 10), ("SUCCEEDED", 20), ("SUCCEEDED", 30)]),
        ("reject", [("SUCCEEDED", 10), ("FAILED", 1), ("FAILED", 2)]),
        ("cancel_running", [("ABORTED", 1), ("ABORTED", 2), ("SUCCEEDED", 12)]),
    ],
)
def test_three_runs_of_a_group(on_conflict, ends):
    clock = Clock()
    handle = latches.handler_with(partial(latch_wiring, workflow.SETTINGS, clock))

    def release(event):
        if event["detail"]["status"] != "RUNNING":
            message = {"op": "release", "execution": event["detail"]["executionArn"]}
            clock.thread(handle, (message, None)).start()

    with Engine({"latches": Function(handle)}, clock) as engine:
        create_tables(boto3.client("dynamodb", region_name=REGION), workflow.TABLES)
        engine.listen(release)
        engine.create({"L": machine(on_conflict, 10), "M": parallel(3)}, {})
        finished = engine.execute("M", {}, "N")
        runs = {one.name: one for _, one in engine.others("N")}
    assert finished.status == "SUCCEEDED"
    assert [
        (one.status, round((one.completed_at - finished.started_at).total_seconds()))
        for _, one in sorted(runs.items())
    ] == ends


def test_what_a_run_held_is_freed_before_it_is_told_as_over(monkeypatch):
    """Else its end would cut that off in some runs, and not in others."""
    freed = []
    make = latches.handler_with

    def watched(wiring):
        handle = make(wiring)

        def slowly(event, context):
            if event["op"] == "release":
                with active.host().clock.real_work():
                    time.sleep(0.2)  # as long as a table may take
            answer = handle(event, context)
            freed.append(event["op"])
            return answer

        return slowly

    monkeypatch.setattr(latches, "handler_with", watched)
    program = compiled(
        """
        concurrency: {group: one}
        steps: [{id: a, run: x}]
        """
    )
    _, record = played(program, {"a": Stub(5)})
    assert record["status"] == "succeeded"
    assert freed == ["lock", "release"]
