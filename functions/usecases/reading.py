"""What the API reads runs with, and what it resumes and cancels them with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functions.record_ports import RunLogs
    from functions.usecases.archive import Archive, Plans
    from functions.usecases.cancel import Canceller
    from functions.usecases.resume import Resumer


def _nobody() -> Any:
    raise NotImplementedError("nobody resumes or cancels runs here")


@dataclass(frozen=True, slots=True)
class Reading:
    """What runs are read with, and what resumes and cancels them, made at its first use."""

    archive: Archive
    plans: Plans
    logs: RunLogs
    resumer: Callable[[], Resumer] = _nobody
    canceller: Callable[[], Canceller] = _nobody
