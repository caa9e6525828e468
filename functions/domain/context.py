"""What a call of an action knows of where it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from functions.domain.masking import Masks
from protocol.payloads import Json


@dataclass(frozen=True, slots=True)
class Context:
    """What a call knows of where it runs.

    `key` is the same for every attempt, for services that take an idempotency key.
    `workspace` holds the source and the files of earlier steps where the action reads files.
    `seconds` is what is left for this attempt; `inherited` is the environment programs find
    beside the step's own `env`. `logs` is where a script's talk is kept,
    `callback` the URL under which an outside system ends the step, where it asks for one.
    `literals` are the outputs that the author wrote as they are, `files` the steps whose files
    lie in the workspace, `masks` take secrets out of a text. `now` and `sleep` go by the run's
    clock, `deadline` is when the attempt is over.
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
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    deadline: datetime
    callback: str | None = None
    literals: Mapping[str, Json] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    masks: Masks = field(default_factory=Masks)

    def setting(self, name: str) -> str | None:
        """Return a variable of the step's own `env`, else of what programs find; None if empty."""
        return self.env.get(name) or self.inherited.get(name) or None

    def seconds_left(self) -> float:
        """Return how long the attempt may still take; never less than 0."""
        return max(0.0, (self.deadline - self.now()).total_seconds())
