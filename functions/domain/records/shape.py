"""The record of a run, as the API and `stepsmith run --format json` give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from protocol.payloads import Json

RUNNING, PAUSED = "running", "paused"
SUCCEEDED, FAILED, CANCELLED = "succeeded", "failed", "cancelled"
ENDS = frozenset({SUCCEEDED, FAILED, CANCELLED})
"""Statuses of a run that is over."""
PENDING, WAITING = "pending", "waiting"
"""Statuses of steps that records of running runs have beside a run's own and a step's ends."""


class ErrorRecord(TypedDict):
    """What failed a step or a run; of a run, `details` are its failed steps.

    Of a step that called a workflow, `run_id` is the run that it started, and `details` are its.
    """

    type: str
    message: str
    details: NotRequired[Json]
    run_id: NotRequired[str]


class _CarriedOut(TypedDict):
    """What became of a step or of one of its items; each says what is its own."""

    status: str
    in_doubt: NotRequired[bool]
    undone: NotRequired[bool]
    kept: NotRequired[bool]
    attempt: NotRequired[int]
    rounds: NotRequired[int]
    started_at: NotRequired[str]
    completed_at: NotRequired[str | None]
    last_attempt: NotRequired[str]
    outputs: NotRequired[Json]
    refs: NotRequired[Mapping[str, Json]]
    error: NotRequired[ErrorRecord]
    run: NotRequired[Mapping[str, Any]]
    task_id: NotRequired[str]


class ItemRecord(_CarriedOut):
    """What became of one item of a for_each; `index` is a list where they nest."""

    index: int | list[int]


class StepRecord(_CarriedOut):
    """What became of a step.

    `rounds` are those of a `repeat`, `refs` outputs that are kept apart, `run` is a child's
    record. `kept`: it was carried out in an earlier attempt of the run. `task_id` is the task
    that it waits for, or waited for last.
    """

    step_id: str
    reason: NotRequired[str | None]
    tolerated: NotRequired[bool]
    items: NotRequired[list[ItemRecord]]
    line: NotRequired[int]


class ClosingRecord(TypedDict):
    """What followed a failed run: its undos and handlers."""

    status: str
    compensation: str | None  # complete, partial, or None where nothing was undone
    undone: list[Json]
    handlers: list[StepRecord]
    error: ErrorRecord | None


class RunRecord(TypedDict):
    """A run. What is `NotRequired` but `closing` stands in records that a stage keeps."""

    run_id: str
    workflow_id: str
    workflow_version: str
    run_attempt: int
    status: str
    started_by: str | None
    started_at: str
    completed_at: str | None
    steps: list[StepRecord]
    outputs: Json
    error: ErrorRecord | None
    closing: NotRequired[ClosingRecord]
    not_carried_out: NotRequired[list[str]]  # steps that `--until` left out
    trigger: NotRequired[Json]
    inputs: NotRequired[Json]
    event_id: NotRequired[str | None]
    rerun_of: NotRequired[str | None]
    manifest: NotRequired[str | None]
    tasks: NotRequired[list[str]]
    links: NotRequired[dict[str, str]]


class RunSummary(TypedDict):
    """A run as lists show it."""

    run_id: str
    workflow_id: str
    workflow_version: str
    run_attempt: int
    status: str
    started_by: str | None
    started_at: str
    completed_at: str | None
    trigger: Json
    error: str | None
