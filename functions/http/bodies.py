"""What the models of bodies and answers, and the calls of several routers, have in common."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Header
from pydantic import BaseModel, ConfigDict, Field

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""UTC, with milliseconds."""
AnyJson = Any
"""Any JSON; pydantic makes no schema of our recursive type that others could read."""
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=255,
        description="The same call with the same key is one run, however often it is made",
    ),
]


class BodyModel(BaseModel):
    """What is sent: fields that are unknown are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class View(BaseModel):
    """What is answered."""

    model_config = ConfigDict(extra="forbid", defer_build=True)
