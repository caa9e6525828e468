"""Resources of CloudFormation on ministack: those it lacks, and how nested stacks are updated.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-stepfunctions-statemachineversion.html
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-stepfunctions-statemachinealias.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ministack.services import stepfunctions as service
from ministack.services.cloudformation import _stacks, provisioners

_VERSION = "AWS::StepFunctions::StateMachineVersion"
_ALIAS = "AWS::StepFunctions::StateMachineAlias"
_OF_NESTED = 6
"""Arguments of an update where it is a nested stack's: the attributes are not among them."""


def _version_created(_id: str, properties: Mapping[str, Any], _stack: str) -> tuple[str, Any]:
    """Publish a version of what the machine is now."""
    asked = {
        "stateMachineArn": properties["StateMachineArn"],
        "description": properties.get("Description", ""),
    }
    # The revision that is asked for is not compared: a change of the machine alone gives it a
    # new one here, and the template's is of the time before.
    arn = _answered(service._publish_state_machine_version, asked)["stateMachineVersionArn"]
    return str(arn), {"Arn": arn}


def _version_changed(
    _arn: str, _before: Mapping[str, Any], properties: Mapping[str, Any], stack: str
) -> tuple[str, Any]:
    """Publish another one: a version is never changed."""
    return _version_created("", properties, stack)


def _version_deleted(arn: str, _properties: Mapping[str, Any]) -> None:
    service._state_machine_versions.pop(arn, None)


def _alias_created(_id: str, properties: Mapping[str, Any], _stack: str) -> tuple[str, Any]:
    asked = {"name": properties["Name"], "routingConfiguration": _routing(properties)}
    arn = _answered(service._create_state_machine_alias, asked)["stateMachineAliasArn"]
    return str(arn), {"Arn": arn}


def _alias_changed(
    arn: str, _before: Mapping[str, Any], properties: Mapping[str, Any], _stack: str
) -> tuple[str, Any]:
    """Have the alias mean other versions."""
    asked = {"stateMachineAliasArn": arn, "routingConfiguration": _routing(properties)}
    _answered(service._update_state_machine_alias, asked)
    return arn, {"Arn": arn}


def _alias_deleted(arn: str, _properties: Mapping[str, Any]) -> None:
    service._state_machine_aliases.pop(arn, None)


def _routing(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "stateMachineVersionArn": one["StateMachineVersionArn"],
            "weight": int(one["Weight"]),
        }
        for one in properties["RoutingConfiguration"]
    ]


def _answered(call: Callable[[dict[str, Any]], Any], asked: dict[str, Any]) -> dict[str, Any]:
    status, _, body = call(asked)
    answer: dict[str, Any] = json.loads(body)
    if status >= 400:
        raise ValueError(f"{answer.get('__type')}: {answer.get('message')}")
    return answer


def _with_attributes(update: Callable[..., Any]) -> Callable[..., Any]:
    """Return an update that knows what an unchanged resource of a nested stack was.

    Without that, nothing else in the stack finds its ARN.
    """

    def updated(*asked: Any, **named: Any) -> Any:
        if len(asked) == _OF_NESTED and not named:
            *_, stack, logical = asked
            known = (_stacks.get(stack) or {}).get("_resources", {})
            asked = (*asked, (known.get(logical) or {}).get("Attributes"))
        return update(*asked, **named)

    return updated


def install() -> None:
    """Let templates have versions and aliases of state machines, and nested stacks be updated."""
    put: Any = setattr
    put(provisioners, "_update_resource", _with_attributes(provisioners._update_resource))
    provisioners._RESOURCE_HANDLERS[_VERSION] = {
        "create": _version_created,
        "update": _version_changed,
        "delete": _version_deleted,
    }
    provisioners._RESOURCE_HANDLERS[_ALIAS] = {
        "create": _alias_created,
        "update": _alias_changed,
        "delete": _alias_deleted,
    }
