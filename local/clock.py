"""The virtual clock: time stands still while code runs, and jumps when nothing is running.

All threads of a local run are `Clock.thread`s and wait on `Clock.event`s, so the clock knows
when every one of them waits. Then it jumps to the earliest deadline among the waits and wakes
its waiter; days of waiting take no time. While *real work* (a script) is under way the clock
runs with the real one instead, so that a wait beside a script takes as long as the author said.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

_LAST_MOMENT = 2.0
"""Real seconds that closing a clock waits for threads which are at work."""


class Closed(SystemExit):
    """Ends a thread that still waits when the run it belongs to is over."""


class Clock:
    """A clock for one engine; it starts at the real time unless told otherwise."""

    def __init__(self, start: datetime | None = None) -> None:
        self._base = start or datetime.now(UTC)
        self._lock = threading.Condition()
        self._running = 0
        self._real_work = 0
        self._real_since = 0.0
        self._deadlines: list[tuple[datetime, int, _Waiter]] = []
        self._order = itertools.count()
        self._closed = False

    def now(self) -> datetime:
        """Return the virtual time, in UTC."""
        with self._lock:
            return self._now()

    def event(self) -> Event:
        """Return an event to wait on; like `threading.Event`."""
        return Event(self)

    def thread(
        self,
        target: Callable[..., object],
        args: tuple[object, ...] = (),
        name: str | None = None,
        *,
        daemon: bool = True,
    ) -> Thread:
        """Return a thread that this clock keeps count of; like `threading.Thread`."""
        return Thread(self, target, args, name, daemon=daemon)

    def sleep(self, seconds: float) -> None:
        """Wait for a time, as `time.sleep` does."""
        self.event().wait(seconds)

    @contextmanager
    def real_work(self) -> Iterator[None]:
        """Let the clock run with the real one while something outside it works."""
        with self._lock:
            self._settle()
            self._real_work += 1
            self._lock.notify_all()
        try:
            yield
        finally:
            with self._lock:
                self._settle()
                self._real_work -= 1

    def close(self) -> None:
        """End every thread that waits or will wait on this clock; give the others a moment."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
            self._lock.wait_for(lambda: not self._running, _LAST_MOMENT)

    def _now(self) -> datetime:
        if not self._real_work:
            return self._base
        return self._base + timedelta(seconds=time.monotonic() - self._real_since)

    def _settle(self) -> None:
        """Take up the real time passed so far into the base."""
        self._base = self._now()
        self._real_since = time.monotonic()

    def _started(self) -> None:
        with self._lock:
            self._running += 1

    def _ended(self) -> None:
        with self._lock:
            self._running -= 1
            self._jump_if_idle()
            if self._closed:
                self._lock.notify_all()

    def _jump_if_idle(self) -> None:
        """Wake whoever's deadline is next, if nothing else can happen before it."""
        if self._running or self._real_work or self._closed:
            return
        while self._deadlines:
            deadline, _, waiter = heapq.heappop(self._deadlines)
            if waiter.over:
                continue
            self._base = max(self._base, deadline)
            self._wake(waiter)
            return

    def _wake(self, waiter: _Waiter) -> None:
        waiter.over = True
        self._running += waiter.counted
        self._lock.notify_all()

    def _wait(self, event: Event, seconds: float | None) -> None:
        """Wait, with the lock held, until the event is set or the time has passed."""
        waiter = _Waiter(counted=isinstance(threading.current_thread(), Thread))
        event.waiters.append(waiter)
        if seconds is not None:
            waiter.deadline = self._now() + timedelta(seconds=seconds)
            heapq.heappush(self._deadlines, (waiter.deadline, next(self._order), waiter))
        self._running -= waiter.counted
        self._jump_if_idle()
        try:
            while not waiter.over:
                if self._closed:
                    raise Closed
                self._lock.wait(self._real_patience(waiter))
                if waiter.deadline and self._real_work and not waiter.over:
                    self._ring_if_due(waiter, waiter.deadline)
        finally:
            if not waiter.over:
                self._wake(waiter)
            event.waiters.remove(waiter)

    def _real_patience(self, waiter: _Waiter) -> float | None:
        """Return how long to wait in real time before looking at the deadline again."""
        if waiter.deadline is None or not self._real_work:
            return None
        left = (waiter.deadline - self._now()).total_seconds()
        return min(max(left, 0.0), threading.TIMEOUT_MAX)

    def _ring_if_due(self, waiter: _Waiter, deadline: datetime) -> None:
        if self._now() >= deadline:
            self._wake(waiter)


class _Waiter:
    """One thread's wait: whether the clock counts it, and whether it is over."""

    __slots__ = ("counted", "deadline", "over")

    def __init__(self, *, counted: bool) -> None:
        self.counted = int(counted)
        self.deadline: datetime | None = None
        self.over = False


class Event:
    """An event whose waits the clock knows of."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._set = False
        self.waiters: list[_Waiter] = []

    def is_set(self) -> bool:
        """Return whether the event is set."""
        return self._set

    def set(self) -> None:
        """Set the event; who waits runs from this moment on, as far as the clock is concerned."""
        with self._clock._lock:  # noqa: SLF001 (one thing in three classes)
            self._set = True
            for waiter in self.waiters:
                if not waiter.over:
                    self._clock._wake(waiter)  # noqa: SLF001

    def clear(self) -> None:
        """Make later waits wait again."""
        with self._clock._lock:  # noqa: SLF001
            self._set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the event; False where the time passed first."""
        with self._clock._lock:  # noqa: SLF001
            if not self._set:
                self._clock._wait(self, timeout)  # noqa: SLF001
            return self._set


class Thread(threading.Thread):
    """A thread that counts as running from its start until it waits or ends."""

    def __init__(
        self,
        clock: Clock,
        target: Callable[..., object],
        args: tuple[object, ...],
        name: str | None,
        *,
        daemon: bool,
    ) -> None:
        super().__init__(name=name, daemon=daemon)
        self._clock = clock
        self._work = target
        self._work_args = args
        self._over = clock.event()

    def start(self) -> None:
        """Start; the thread counts as running before this returns."""
        self._clock._started()  # noqa: SLF001
        super().start()

    def run(self) -> None:
        """Do the work; whoever joins is awake before this thread counts as ended."""
        try:
            self._work(*self._work_args)
        except Closed:
            pass
        finally:
            self._over.set()
            self._clock._ended()  # noqa: SLF001

    def join(self, timeout: float | None = None) -> None:
        """Wait for the thread's end, at most for a (virtual) time."""
        self._over.wait(timeout)

    def is_alive(self) -> bool:
        """Return whether the work has not ended."""
        return not self._over.is_set()
