"""Machines are created, and refused, as on AWS.

moto accepts what leads nowhere, names twice and expressions that do not parse, reports refusals
without an error code, and parses a definition at every start.
https://docs.aws.amazon.com/step-functions/latest/apireference/API_CreateStateMachine.html
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from moto.core.exceptions import AWSError
from moto.stepfunctions.exceptions import ValidationException
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_aws_sdk import (  # noqa: E501
    StateTaskServiceAwsSdk,
)
from moto.stepfunctions.parser.asl.parse.asl_parser import (
    AmazonStateLanguageParser,
    ASLParserException,
)
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

from local.admission import check
from local.repairs.services import operation_of

MOST_BYTES = 1_048_576


class InvalidDefinition(AWSError):
    """A definition that AWS refuses."""

    TYPE = "InvalidDefinition"
    STATUS = 400


def _validate(definition: str) -> None:
    """Raise InvalidDefinition for what AWS would refuse."""
    if len(definition.encode()) > MOST_BYTES:
        raise ValidationException(
            "1 validation error detected: Value at 'definition' failed to satisfy constraint: "
            f"Member must have length less than or equal to {MOST_BYTES}"
        )
    try:
        parsed = json.loads(definition)
    except ValueError as error:
        raise InvalidDefinition(
            f"Invalid State Machine Definition: 'INVALID_JSON_DESCRIPTION: {error}'"
        ) from None
    problems = check(parsed) if isinstance(parsed, dict) else []
    if problems:
        said = ", ".join(map(str, problems))
        raise InvalidDefinition(f"Invalid State Machine Definition: '{said}'")
    try:
        AmazonStateLanguageParser.parse(definition)
    except ASLParserException as error:
        raise InvalidDefinition(
            f"Invalid State Machine Definition: 'SCHEMA_VALIDATION_FAILED: {error!r}'"
        ) from None
    except Exception as error:  # noqa: BLE001 (moto raises all kinds for what it does not take)
        raise InvalidDefinition(
            f"Invalid State Machine Definition: 'SCHEMA_VALIDATION_FAILED: {error}'"
        ) from None


@lru_cache(maxsize=64)
def _parse(definition: str) -> Any:
    # What a run changes lies in its environment, so a parsed machine serves many runs.
    parse: Any = _moto_parse
    return parse(definition)


def _known_operation(self: Any) -> None:
    """Refuse a service or an operation that there is not."""
    try:
        known = operation_of(self.resource.api_name, self.resource.api_action) is not None
    except Exception as error:
        raise ValueError(f"the resource {self.resource.resource_arn} is not recognized") from error
    if not known:
        raise ValueError(f"the resource {self.resource.resource_arn} is not recognized")


_moto_parse = AmazonStateLanguageParser.parse


def install() -> None:
    """Replace how definitions are looked at."""
    put: Any = setattr
    put(StepFunctionsParserBackend, "_validate_definition", staticmethod(_validate))
    put(AmazonStateLanguageParser, "parse", staticmethod(_parse))
    put(StateTaskServiceAwsSdk, "_validate_service_integration_is_supported", _known_operation)
