"""What each tool compiles: plain steps with a retry, in one of two shapes.

A chain, or tens: ten steps at once, each of which waits for all of the ten before. A step calls a
Lambda function with an input, is called again after Lambda's passing faults, and twice after any
other failure. Nothing of any tool is imported here: a tool is not to carry another's imports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

WIDTH = 10

_WORKFLOW = """\
id: roll-out
name: Roll out
inputs:
  environment: {type: string, required: true}
steps:
"""


def workflow(shape: str, steps: int) -> str:
    """Return the steps as a workflow of ours."""
    return _WORKFLOW + "".join(
        f"""\
  - id: test-{step:04}
    action: run-tests
    depends_on: [{", ".join(f"test-{need:04}" for need in needs)}]
    inputs:
      environment: ${{{{ inputs.environment }}}}
    retry: {{count: 2, delay: 10s, backoff: 2}}
"""
        for step, needs in enumerate(_chain(steps) if shape == "chain" else _tens(steps))
    )


def _chain(steps: int) -> list[list[int]]:
    return [[step - 1] if step else [] for step in range(steps)]


def _tens(steps: int) -> list[list[int]]:
    starts = [step - step % WIDTH for step in range(steps)]
    return [list(range(start - WIDTH, start)) if start else [] for start in starts]


_MODULE = """\
from typing import TypedDict

from sfnx import TaskFailed, aws, parallel, state_machine


class Inputs(TypedDict):
    environment: str


RETRY = [
    {
        "ErrorEquals": [
            aws.optimized.lambda_.errors.ClientExecutionTimeoutException,
            aws.optimized.lambda_.errors.ServiceException,
            aws.optimized.lambda_.errors.AWSLambdaException,
            aws.optimized.lambda_.errors.SdkClientException,
        ],
        "IntervalSeconds": 2,
        "MaxAttempts": 6,
        "BackoffRate": 2,
    },
    {
        "ErrorEquals": [TaskFailed],
        "IntervalSeconds": 10,
        "MaxAttempts": 2,
        "BackoffRate": 2,
        "JitterStrategy": "FULL",
    },
]


@state_machine
def roll_out(input: Inputs):
"""


def module(shape: str, steps: int) -> str:
    """Return the steps as a Python module for sfnx, named as in the workflow."""
    if shape == "chain":
        return _MODULE + "".join(_call(step, "    ") for step in range(steps))
    return _MODULE + "".join(_ten(start) for start in range(0, steps, WIDTH))


def _call(step: int, indent: str) -> str:
    return f"""\
{indent}aws.optimized.lambda_.invoke(  # state: test-{step:04}
{indent}    FunctionName="${{RunTests}}",
{indent}    Payload={{"step": "test-{step:04}", "inputs": {{"environment": input["environment"]}}}},
{indent}    retry=RETRY,
{indent})
"""


def _ten(start: int) -> str:
    steps = range(start, start + WIDTH)
    functions = "".join(f"\n    def test_{step:04}():\n{_call(step, ' ' * 8)}" for step in steps)
    names = ", ".join(f"test_{step:04}" for step in steps)
    return f"{functions}\n    parallel({names})\n"


def order(shape: str, steps: int) -> str:
    """Return what the CDK is to make; it reads no text."""
    return f"{shape} {steps}"


SOURCES: Mapping[str, Callable[[str, int], str]] = {
    "ours": workflow,
    "by_sfnx": module,
    "by_cdk": order,
}
"""By the modules of this package that compile."""
