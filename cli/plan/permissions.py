"""What a state machine's role has to be allowed, read off its states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from compiler.document.nodes import Json
from compiler.plan.bounds import every_state

_TASK = re.compile(r"arn:aws:states:::(?:(aws-sdk):)?([a-z0-9]+):([A-Za-z0-9]+)(\.[A-Za-z:0-9]+)?")
_RULES = "arn:aws:events:*:*:rule/"
_OWN_RULES = {
    "states": f"{_RULES}StepFunctionsGetEventsForStepFunctionsExecutionRule",
    "codebuild": f"{_RULES}StepFunctionsGetEventForCodeBuildStartBuildRule",
}
"""The rules by which Step Functions learns that what it waits for has ended.

https://docs.aws.amazon.com/step-functions/latest/dg/service-integration-iam-templates.html
"""
_OTHERWISE = {
    ("lambda", "invoke"): ("lambda:InvokeFunction",),
    ("s3", "copyObject"): ("s3:GetObject", "s3:PutObject"),
    ("s3", "headBucket"): ("s3:ListBucket",),
    ("s3", "headObject"): ("s3:GetObject",),
    ("s3", "listBuckets"): ("s3:ListAllMyBuckets",),
    ("s3", "listObjects"): ("s3:ListBucket",),
    ("s3", "listObjectsV2"): ("s3:ListBucket",),
}
"""Operations whose permission has another name.

https://docs.aws.amazon.com/service-authorization/latest/reference/
"""


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """Actions allowed on resources; `${...}` in them is filled in by the deployment."""

    actions: tuple[str, ...]
    resources: tuple[str, ...]


def statements(definition: Mapping[str, Json]) -> tuple[Statement, ...]:
    """Return what a machine's role needs, the same resources of an action gathered."""
    found: dict[tuple[str, ...], set[str]] = {}
    for _, state in every_state(definition):
        if state.get("Type") == "Task":
            for statement in _of(state):
                found.setdefault(statement.actions, set()).update(statement.resources)
    return tuple(Statement(actions, tuple(sorted(on))) for actions, on in sorted(found.items()))


def _of(state: Mapping[str, Json]) -> Iterator[Statement]:
    matched = _TASK.fullmatch(str(state.get("Resource", "")))
    arguments = state.get("Arguments")
    if matched is None:
        return
    sdk, service, operation, pattern = matched.groups()
    given = arguments if isinstance(arguments, dict) else {}
    if sdk is not None:
        yield Statement(_actions(service, operation), (_resource(service, given),))
        return
    match service, operation:
        case "lambda", "invoke":
            yield Statement(("lambda:InvokeFunction",), (_text(given, "FunctionName"),))
        case "states", "startExecution":
            machine = _text(given, "StateMachineArn")
            yield Statement(("states:StartExecution",), (machine,))
            if pattern:
                yield Statement(("states:DescribeExecution", "states:StopExecution"), ("*",))
        case "events", "putEvents":
            entries = given.get("Entries")
            listed = entries if isinstance(entries, list) else []
            buses = {_text(one, "EventBusName") for one in listed if isinstance(one, dict)}
            yield Statement(("events:PutEvents",), tuple(sorted(buses)))
        case "codebuild", "startBuild":
            actions = ("codebuild:BatchGetBuilds", "codebuild:StartBuild", "codebuild:StopBuild")
            yield Statement(actions, (_text(given, "ProjectName"),))
        case _:
            yield Statement(_actions(service, operation), (_resource(service, given),))
    if pattern and service in _OWN_RULES:
        actions = ("events:DescribeRule", "events:PutRule", "events:PutTargets")
        yield Statement(actions, (_OWN_RULES[service],))


def _actions(service: str, operation: str) -> tuple[str, ...]:
    from cli.project.operations import permission_prefix

    name = f"{operation[:1].upper()}{operation[1:]}"
    return _OTHERWISE.get((service, operation), (f"{permission_prefix(service)}:{name}",))


def _text(given: Mapping[str, Json], key: str) -> str:
    value = given.get(key)
    return "*" if not isinstance(value, str) or value.startswith("{%") else value


def _resource(service: str, given: Mapping[str, Json]) -> str:
    """Return what a direct call works on, as far as its arguments tell; `*` where they do not."""
    table, bucket = _text(given, "TableName"), _text(given, "Bucket")
    if service == "dynamodb" and table != "*":
        return table if table.startswith("arn:") else f"arn:aws:dynamodb:*:*:table/{table}"
    if service == "s3" and bucket != "*":
        return f"arn:aws:s3:::{bucket}/*" if "Key" in given else f"arn:aws:s3:::{bucket}"
    arns = [key for key in sorted(given) if key.endswith("Arn")]
    found = [_text(given, key) for key in arns]
    return next((arn for arn in found if arn != "*"), "*")
