"""The engine that is at work in this process; what is put into moto finds it here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from local.clock import Clock
    from protocol.payloads import Json


class Answering(Protocol):
    """What answers Tasks and waits in a scenario."""

    def answers(self, state: str, arguments: Json) -> Answer | None:
        """Return what is to come of a Task, None where it is to be carried out."""

    def seconds(self, state: str) -> float | None:
        """Return how long a Wait is to take, None where it takes as long as it says."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes of a Task: a result after some seconds, else an error, else a time-out."""

    seconds: float
    result: Json = None
    error: str | None = None
    cause: str = ""
    times_out: bool = False


class Host(Protocol):
    """What the repairs need from an engine."""

    @property
    def clock(self) -> Clock:
        """Return the clock of the run."""

    @property
    def stubs(self) -> Answering | None:
        """Return what answers in place of Tasks."""

    def publish(self, entries: list[Mapping[str, Any]]) -> None:
        """Take note of events that were put on a bus."""

    def wrote(self) -> None:
        """Take note that something was written to a table."""

    def invoke(self, function: str, payload: Json) -> Json:
        """Call a function by its ARN; raises `dispatch.FunctionError` or `UnknownFunction`."""

    def changed(self, execution: Any) -> None:
        """Take note of an execution's new status; `execution` is moto's."""

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


def present() -> Host | None:
    """Return the engine at work, None where there is none."""
    return _host[-1] if _host else None


def where_present(own: Callable[..., Any], repaired: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that is repaired where an engine is at work, and moto's own elsewhere.

    Tests of other parts use moto's requests without an engine, in the same process.
    """

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        return (repaired if _host else own)(self, *arguments, **named)

    return method


def enter(entering: Host) -> None:
    """Make an engine the one at work; raises RuntimeError where another still is."""
    if _host:
        raise RuntimeError("one local engine at a time in a process")
    _host.append(entering)


def leave() -> None:
    """Take the engine at work away."""
    _host.clear()
