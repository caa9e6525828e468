"""Short ways to write the definitions of these tests."""

from __future__ import annotations

from typing import Any

INVOKE = "arn:aws:states:::lambda:invoke"
WAIT_FOR_TOKEN = "arn:aws:states:::lambda:invoke.waitForTaskToken"


def machine(states: dict[str, Any], **also: Any) -> dict[str, Any]:
    """Return a definition that starts at the first state."""
    return {"QueryLanguage": "JSONata", **flow(states), **also}


def flow(states: dict[str, Any]) -> dict[str, Any]:
    """Return a branch, or the body of a Map, that starts at its first state."""
    return {"StartAt": next(iter(states)), "States": states}


def task(**also: Any) -> dict[str, Any]:
    """Return a Task that ends its flow, unless `Next` is given."""
    end = {} if "Next" in also else {"End": True}
    return {"Type": "Task", "Resource": INVOKE, "Arguments": {}, **end, **also}


def token_task(**also: Any) -> dict[str, Any]:
    """Return a Task that waits for its token."""
    arguments = {"token": "{% $states.context.Task.Token %}"}
    return task(**{"Resource": WAIT_FOR_TOKEN, "Arguments": arguments, **also})


def put(output: Any, **also: Any) -> dict[str, Any]:
    """Return a Pass with an output, which ends its flow unless `Next` is given."""
    end = {} if "Next" in also else {"End": True}
    return {"Type": "Pass", "Output": output, **end, **also}


def parallel(*branches: dict[str, Any], **also: Any) -> dict[str, Any]:
    """Return a Parallel of branches, each given as its states."""
    end = {} if "Next" in also else {"End": True}
    return {"Type": "Parallel", "Branches": [flow(each) for each in branches], **end, **also}


def map_over(items: Any, states: dict[str, Any], **also: Any) -> dict[str, Any]:
    """Return an inline Map."""
    end = {} if "Next" in also else {"End": True}
    return {"Type": "Map", "Items": items, "ItemProcessor": flow(states), **end, **also}
