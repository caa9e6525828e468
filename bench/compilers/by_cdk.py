"""The same steps as CDK constructs, synthesised in this process, which Node does for it.

The constructs are made in a loop, which saves the CDK the text of a program of as many lines.
There is no command around it: `cdk synth` would start Node once more.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from aws_cdk import App, Duration, Stack
from aws_cdk import aws_lambda as functions
from aws_cdk import aws_stepfunctions as stepfunctions
from aws_cdk import aws_stepfunctions_tasks as tasks

from bench.compilers.sources import WIDTH


def compiled(source: str) -> str:
    """Return the template as text."""
    shape, steps = source.split()
    with tempfile.TemporaryDirectory() as folder:
        app = App(outdir=folder, analytics_reporting=False)
        stack = Stack(app, "Bench")
        stepfunctions.StateMachine(
            stack,
            "RollOut",
            definition_body=stepfunctions.DefinitionBody.from_chainable(
                _flow(stack, shape, int(steps))
            ),
            query_language=stepfunctions.QueryLanguage.JSONATA,
        )
        app.synth()
        return (Path(folder) / "Bench.template.json").read_text(encoding="utf-8")


def _flow(stack: Stack, shape: str, steps: int) -> stepfunctions.Chain:
    function = functions.Function.from_function_name(stack, "RunTests", "run-tests")
    calls = [_call(stack, step, function) for step in range(steps)]
    links: list[stepfunctions.TaskStateBase | stepfunctions.Parallel] = [*calls]
    if shape != "chain":
        links = []
        for start in range(0, steps, WIDTH):
            ten = stepfunctions.Parallel.jsonata(stack, f"ten-{start:04}")
            links.append(ten.branch(*calls[start : start + WIDTH]))
    flow = stepfunctions.Chain.start(links[0])
    for link in links[1:]:
        flow = flow.next(link)
    return flow


def _call(stack: Stack, step: int, function: functions.IFunction) -> tasks.LambdaInvoke:
    name = f"test-{step:04}"
    environment = "{% $states.context.Execution.Input.environment %}"
    call = tasks.LambdaInvoke.jsonata(
        stack,
        name,
        lambda_function=function,
        payload=stepfunctions.TaskInput.from_object(
            {"step": name, "inputs": {"environment": environment}}
        ),
    )
    call.add_retry(
        errors=["States.TaskFailed"],
        interval=Duration.seconds(10),
        max_attempts=2,
        backoff_rate=2,
        jitter_strategy=stepfunctions.JitterType.FULL,
    )
    return call
