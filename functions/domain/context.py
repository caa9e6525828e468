"""What a call of an action knows of where it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Context:
    """What a call knows of where it runs.

    `key` is the same for every attempt, for services that take an idempotency key.
    `workspace` holds the source and the files of earlier steps where the action reads files.
    `seconds` is what is left for this attempt; `inherited` is the environment programs find
    beside the step's own `env`. `logs` is where a script's talk is kept,
    `callback` the URL under which an outside system ends the step, where it asks for one.
    """

    run_id: str
    step: str
    key: str
    attempt: int
    env: Mapping[str, str]
    inherited: Mapping[str, str]
    seconds: float
    workspace: Path
    logs: Path
    callback: str | None = None
