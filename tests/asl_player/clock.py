"""Virtual time: a queue of things to do, signals to wait for, and processes that wait."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator
from itertools import count
from typing import Any, TypeAlias


class Timer:
    """Something to do at a later time, which can be called off."""

    __slots__ = ("callback", "cancelled")

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        """Call it off; does nothing once it has happened."""
        self.cancelled = True


class Clock:
    """Virtual time in seconds. Things due at the same moment happen in the order they were set."""

    def __init__(self, now: float) -> None:
        self.now = now
        self._queue: list[tuple[float, int, Timer]] = []
        self._order = count()

    def at(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Do `callback` in `delay` seconds."""
        timer = Timer(callback)
        heapq.heappush(self._queue, (self.now + max(0.0, delay), next(self._order), timer))
        return timer

    def run(self, until: Callable[[], bool]) -> None:
        """Let things happen until `until()` holds, or nothing is left to happen."""
        while self._queue and not until():
            time, _, timer = heapq.heappop(self._queue)
            if not timer.cancelled:
                self.now = time
                timer.callback()


class Signal:
    """Something that happens once, with a value or an error."""

    __slots__ = ("_clock", "_waiting", "error", "fired", "value")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: list[Callable[[], object]] = []
        self.fired = False
        self.value: Any = None
        self.error: Exception | None = None

    def fire(self, value: Any = None, error: Exception | None = None) -> bool:
        """Make it happen, unless it has; say whether this call did it."""
        if self.fired:
            return False
        self.fired, self.value, self.error = True, value, error
        for callback in self._waiting:
            self._clock.at(0, callback)
        return True

    def then(self, callback: Callable[[], object]) -> None:
        """Do `callback` when it has happened."""
        if self.fired:
            self._clock.at(0, callback)
        else:
            self._waiting.append(callback)


Steps: TypeAlias = Generator[Signal, Any, Any]


class Process:
    """A generator that yields the signals it waits for; `ended` fires with what it returns.

    Only errors of the classes in `expected` end it quietly (as the error of `ended`); others are
    faults of a test or of the player and leave `Clock.run`.
    """

    def __init__(self, clock: Clock, steps: Steps, expected: type[Exception] = Exception) -> None:
        self._steps = steps
        self._expected = expected
        self._closed = False
        self._running = False
        self.ended = Signal(clock)
        clock.at(0, lambda: self._go(None))

    def abort(self) -> None:
        """End it where it waits, or will wait next; `GeneratorExit` tells its steps."""
        if not self._closed:
            self._closed = True
            if not self._running:
                self._steps.close()

    def _go(self, signal: Signal | None) -> None:
        if self._closed:
            return
        self._running = True
        try:
            if signal is None:
                waits_for = next(self._steps)
            elif signal.error is not None:
                waits_for = self._steps.throw(signal.error)
            else:
                waits_for = self._steps.send(signal.value)
        except StopIteration as stop:
            self._closed = True
            self.ended.fire(stop.value)
        except self._expected as error:
            self._closed = True
            self.ended.fire(error=error)
        else:
            self._wait_for(waits_for)
        finally:
            self._running = False

    def _wait_for(self, signal: Signal) -> None:
        if self._closed:  # aborted by something it did itself
            self._steps.close()
        else:
            signal.then(lambda: self._go(signal))
