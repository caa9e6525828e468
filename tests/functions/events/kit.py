"""The stage of the benchmark, for tests."""

from bench.event_stage import (
    ACCOUNT,
    BUCKET,
    QUEUE_ARN,
    REGION,
    SETTINGS,
    START,
    VISIBILITY,
    Killed,
    Stage,
    aws,
    manifest,
    trigger,
)

__all__ = [
    "ACCOUNT",
    "BUCKET",
    "QUEUE_ARN",
    "REGION",
    "SETTINGS",
    "START",
    "VISIBILITY",
    "Killed",
    "Stage",
    "aws",
    "manifest",
    "trigger",
]
