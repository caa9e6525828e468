"""The engine that is at work in this process; what is put into moto finds it here."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from local.clock import Clock
    from protocol.payloads import Json


class Host(Protocol):
    """What the repairs need from an engine."""

    @property
    def clock(self) -> Clock:
        """Return the clock of the run."""

    def invoke(self, function: str, payload: Json) -> Json:
        """Call a function by its ARN; raises `dispatch.FunctionError` or `UnknownFunction`."""

    def ended(self, execution: str, fault: Exception | None) -> None:
        """Take note that an execution is over, by a fault of the engine where there is one."""


_host: list[Host] = []


def host() -> Host:
    """Return the engine at work.

    Where there is none any more, a thread left over from a run ends here, without a word.
    """
    if not _host:
        if threading.current_thread() is threading.main_thread():
            raise RuntimeError("no local engine is at work in this process")
        raise SystemExit
    return _host[-1]


def enter(entering: Host) -> None:
    """Make an engine the one at work; raises RuntimeError where another still is."""
    if _host:
        raise RuntimeError("one local engine at a time in a process")
    _host.append(entering)


def leave() -> None:
    """Take the engine at work away."""
    _host.clear()
