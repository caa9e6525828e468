"""Calling one action by itself: what tests of a project's own actions use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from functions.domain.context import Context
from functions.ports import Carries
from protocol.payloads import Json

SECONDS = 60.0
START = datetime(2026, 1, 1, tzinfo=UTC)


class _Clock:
    """A clock on which sleeping is all that takes time."""

    def __init__(self) -> None:
        self._now = START

    def now(self) -> datetime:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


def call(
    action: Carries,
    inputs: Mapping[str, Json],
    folder: Path,
    env: Mapping[str, str] | None = None,
) -> dict[str, Json]:
    """Return what an action gives for the inputs of a step; raises what it raises.

    It works in `folder/workspace`, made if it is not there; what a test puts there before is
    what earlier steps left. `env` is the step's own.
    """
    workspace = folder / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    clock = _Clock()
    context = Context(
        run_id="run-1",
        step="step",
        key="run-1/step",
        attempt=1,
        env=env or {},
        inherited=dict(os.environ),
        seconds=SECONDS,
        workspace=workspace,
        logs=folder / "logs",
        now=clock.now,
        sleep=clock.sleep,
        deadline=START + timedelta(seconds=SECONDS),
    )
    return action.call(inputs, context)
