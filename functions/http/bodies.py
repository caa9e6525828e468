"""What the models of bodies and answers have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class BodyModel(BaseModel):
    """What is sent: fields that are unknown are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class View(BaseModel):
    """What is answered."""

    model_config = ConfigDict(extra="forbid", defer_build=True)
