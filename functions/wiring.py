"""Which adapter stands behind which port: the one place that knows them all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from functions.settings import Settings

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from functions.ports import Answers, Carries, Clock, Latches, Secrets, Sources
    from functions.usecases.carry_out import Surroundings
    from protocol.payloads import Json

_CALLS = Config(retries={"total_max_attempts": 3, "mode": "standard"})
"""Calls of our own tables are idempotent; a step's retries are the machine's business."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class LatchWiring:
    """What the latches' function works with."""

    latches: Latches
    answers: Answers


@dataclass(frozen=True, slots=True)
class Local:
    """What a local run puts in the place of what a deployment uses."""

    clock: Clock
    sources: Sources
    secrets: Secrets
    s3: Callable[[], S3Client]
    inherited: Mapping[str, str]
    logs: Path | None


def latch_wiring(settings: Settings, clock: Clock | None = None) -> LatchWiring:
    """Return the adapters of the latches' function."""
    from functions.adapters.answers import StepFunctionsAnswers
    from functions.adapters.latches import DynamoLatches

    region = settings.region
    dynamodb = boto3.client("dynamodb", region_name=region, config=_CALLS)
    return LatchWiring(
        DynamoLatches(dynamodb, settings.latches_table, clock or SystemClock()),
        StepFunctionsAnswers(boto3.client("stepfunctions", region_name=region, config=_CALLS)),
    )


def action_wiring(settings: Settings, local: Local | None = None) -> Surroundings:
    """Return what the functions of actions work with."""
    from functions.adapters.results import DynamoResults
    from functions.adapters.secrets import ManagedSecrets
    from functions.adapters.storage import S3Blobs, S3Files, S3Sources
    from functions.usecases.carry_out import Surroundings

    dynamodb = boto3.client("dynamodb", region_name=settings.region, config=_CALLS)
    # Most steps move no files: the client, slow to make, waits for the first that does.
    s3 = cache(local.s3 if local else lambda: boto3.client("s3", config=_CALLS))
    return Surroundings(
        clock=local.clock if local else SystemClock(),
        results=DynamoResults(dynamodb, settings.results_table),
        blobs=S3Blobs(s3, settings.bucket),
        files=S3Files(s3, settings.bucket),
        sources=local.sources if local else S3Sources(s3, settings.bucket),
        secrets=local.secrets if local else ManagedSecrets(settings.stage),
        evaluate=_evaluate,
        inherited=local.inherited if local else dict(os.environ),
        logs=local.logs if local else None,
    )


def action(name: str) -> Carries:
    """Return a built-in action by its name; raises KeyError where there is none."""
    if name == "run":
        from functions.actions.run import ACTION

        return ACTION
    raise KeyError(name)


def _evaluate(portable: Json, values: Mapping[str, Json]) -> Json:
    from protocol.evaluate import evaluate

    value: Json = evaluate(portable, values)
    return value
