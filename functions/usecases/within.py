"""The deadline of an attempt, enforced on whatever the action does."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from functions.domain.errors import StepError, StepTimedOut, named_error

T = TypeVar("T")


class _Outcome(Generic[T]):
    """What a thread's work came to."""

    def __init__(self) -> None:
        self.value: list[T] = []
        self.error: BaseException | None = None


def within(seconds: float, work: Callable[[], T], late: str, *, in_doubt: bool) -> T:
    """Do the work and return what it gives; raises StepTimedOut where it takes longer.

    Python cannot end a thread: work that goes on after its time is left alone, and what it still
    does is nobody's knowledge, so the error is in doubt where that matters. Work that wants to
    end the process (`sys.exit`) has failed: the process goes on, and tells of it.
    """
    outcome: _Outcome[T] = _Outcome()

    def carry() -> None:
        try:
            outcome.value.append(work())
        except SystemExit as ending:
            outcome.error = _exited(ending.code)
        except BaseException as error:  # noqa: BLE001 (raised again where somebody waits for it)
            outcome.error = error

    run_in = contextvars.copy_context().run
    thread = threading.Thread(target=run_in, args=(carry,), name="stepsmith-action", daemon=True)
    thread.start()
    thread.join(min(seconds, threading.TIMEOUT_MAX))
    if outcome.error is not None:
        raise outcome.error
    if not outcome.value:
        error = StepTimedOut(late)
        error.in_doubt = in_doubt
        raise error
    return outcome.value[0]


def _exited(code: object) -> StepError:
    number = code if isinstance(code, int) else None
    return named_error("SystemExit", f"it ended its process: sys.exit({code!r})", number)
