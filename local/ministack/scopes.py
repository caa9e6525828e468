"""Where states of an execution run: what they see of variables, and whether they are to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from protocol.payloads import Json

NEWS = threading.Condition()
"""Notified of everything that somebody may wait for: answers, ends, stops."""


class Stopped(Exception):
    """What ran was stopped; there is nothing to catch."""


class Failure(Exception):
    """A state failed; `error` and `cause` as catchers see them."""

    def __init__(self, error: str | None, cause: str | None) -> None:
        super().__init__(f"{error}: {cause}")
        self.error = error
        self.cause = cause


@dataclass(slots=True)
class Scope:
    """A machine, a branch or an iteration; inner ones see the variables of the outer ones."""

    parent: Scope | None = None
    own: dict[str, Json] = field(default_factory=dict)
    stopped: bool = False

    def variables(self) -> dict[str, Json]:
        """Return all variables that can be seen here."""
        outer = self.parent.variables() if self.parent is not None else {}
        return {**outer, **self.own}

    def assign(self, values: Mapping[str, Json]) -> None:
        """Set variables."""
        self.own.update(values)

    def stop(self) -> None:
        """Have everything inside stop where it waits next."""
        with NEWS:
            self.stopped = True
            NEWS.notify_all()

    def is_stopped(self) -> bool:
        """Return whether this or what is around it is to stop."""
        return self.stopped or (self.parent is not None and self.parent.is_stopped())

    def check(self) -> None:
        """Raise Stopped where this is to stop."""
        if self.is_stopped():
            raise Stopped

    def wait(self, until: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until something holds; return False where the time was over first.

        Raises Stopped.
        """
        end = None if seconds is None else monotonic() + seconds
        with NEWS:
            while True:
                self.check()
                if until():
                    return True
                left = None if end is None else end - monotonic()
                if left is not None and left <= 0:
                    return False
                NEWS.wait(left)

    def sleep(self, seconds: float) -> None:
        """Let a time pass; raises Stopped."""
        self.wait(lambda: False, seconds)


def tell() -> None:
    """Wake whoever waits, to look again."""
    with NEWS:
        NEWS.notify_all()
