"""The virtual clock: time stands still while code runs, and jumps when nothing is running.

All threads of a local run are `Clock.thread`s and wait on `Clock.event`s. Of those threads one
works at a time; when it waits or ends, the turn goes to the one that has been ready longest. So
the same run does the same things in the same order, whatever the machine does. When no thread is
ready, the clock jumps to the earliest deadline among the waits (of equal ones, the one that was
set first); days of waiting take no time. While *real work* (a script) is under way its thread
gives its turn away and the clock runs with the real one instead, so that a wait beside a script
takes as long as the author said. A clock with a *pace* does not jump either: while nothing runs,
so many of its seconds pass in a real one, and somebody can do something before the next deadline.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

_LAST_MOMENT = 2.0
"""Real seconds that closing a clock waits for threads which are at work."""


class Closed(SystemExit):
    """Ends a thread that still waits when the run it belongs to is over."""


class _Waiter:
    """One thread that waits: for an event, a deadline or its turn."""

    __slots__ = ("deadline", "go", "over", "takes_turn")

    def __init__(self, *, takes_turn: bool) -> None:
        self.takes_turn = takes_turn
        self.deadline: datetime | None = None
        self.over = False
        self.go = threading.Event()


class Clock:
    """A clock for one engine; it starts at the real time unless told otherwise."""

    def __init__(self, start: datetime | None = None) -> None:
        self._base = start or datetime.now(UTC)
        self._lock = threading.Condition(threading.RLock())
        self._turn: threading.Thread | None = None
        self._taken = False
        self._ready: deque[_Waiter] = deque()
        self._alive = 0
        self._real_work = 0
        self._pace: float | None = None
        self._rate = 0.0  # of time at this moment: 1 beside real work, the pace where all is idle
        self._since = 0.0
        self._ringing = False
        self._held = False
        self._deadlines: list[tuple[datetime, int, _Waiter]] = []
        self._order = itertools.count()
        self._waiting: set[_Waiter] = set()
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
        """Return a thread that this clock gives turns to; like `threading.Thread`."""
        return Thread(self, target, args, name, daemon=daemon)

    def sleep(self, seconds: float) -> None:
        """Wait for a time, as `time.sleep` does."""
        self.event().wait(seconds)

    def set_pace(self, pace: float | None) -> None:
        """Let `pace` seconds pass in a real one while nothing runs; None: jump over them."""
        with self._lock:
            self._settle()
            self._pace = pace
            self._turn_rate()
            self._lock.notify_all()
            self._jump_if_idle()

    @contextmanager
    def real_work(self) -> Iterator[None]:
        """Let the clock run with the real one while something outside it works."""
        with self._lock:
            self._settle()
            self._real_work += 1
            had_turn = self._holds_turn()
            self._turn_rate()
            if had_turn:
                self._pass_on()
        try:
            yield
        finally:
            with self._lock:
                self._settle()
                self._real_work -= 1
                self._turn_rate()
                self._lock.notify_all()
                waiter = _Waiter(takes_turn=True)
                if had_turn:
                    self._queue(waiter)
                else:
                    self._jump_if_idle()
            if had_turn:
                self._take_turn(waiter)

    def hold(self) -> None:
        """Let no more time pass by itself, until `go_on`: who looks at a run finds it as it is."""
        with self._lock:
            self._held = True

    def go_on(self) -> None:
        """Let time pass again."""
        with self._lock:
            self._held = False
            self._jump_if_idle()

    def close(self) -> None:
        """End every thread that waits or will wait on this clock; give the others a moment."""
        with self._lock:
            self._closed = True
            for waiter in (*self._waiting, *self._ready):
                waiter.go.set()
            self._lock.notify_all()
            self._lock.wait_for(lambda: not self._alive, _LAST_MOMENT)

    def _now(self) -> datetime:
        if not self._rate:
            return self._base
        return self._base + timedelta(seconds=(time.monotonic() - self._since) * self._rate)

    def _settle(self) -> None:
        """Take up the time passed so far into the base."""
        if self._rate:
            self._base = self._now()
        self._since = time.monotonic()

    def _turn_rate(self) -> None:
        """Set how fast time passes from now on, after `_settle`; have it watched if it does."""
        if self._real_work:
            self._rate = 1.0
        elif self._pace is not None and not self._is_busy():
            self._rate = self._pace
        else:
            self._rate = 0.0
        if self._rate and not self._ringing and not self._closed:
            self._ringing = True
            threading.Thread(target=self._ring, name="clock", daemon=True).start()

    def _is_busy(self) -> bool:
        return self._taken or bool(self._ready) or self._held

    def _holds_turn(self) -> bool:
        return self._taken and self._turn is threading.current_thread()

    def _queue(self, waiter: _Waiter) -> None:
        """Let a thread have its turn when those before it have had theirs."""
        if self._pace is not None:
            self._settle()
        self._ready.append(waiter)
        if self._pace is not None:
            self._turn_rate()
        if not self._taken:
            self._pass_on()

    def _pass_on(self) -> None:
        """Give the turn to the next thread that is ready, or let time pass."""
        if self._ready:
            self._taken, self._turn = True, None
            self._ready.popleft().go.set()
            return
        self._taken, self._turn = False, None
        self._jump_if_idle()

    def _take_turn(self, waiter: _Waiter) -> None:
        """Wait until the turn has come; raises Closed where the run is over."""
        waiter.go.wait()
        with self._lock:
            if self._closed:
                raise Closed
            self._turn = threading.current_thread()

    def _jump_if_idle(self) -> None:
        """Wake whoever's deadline is next, if nothing else can happen before it."""
        if self._pace is not None:
            self._settle()
            self._turn_rate()
            self._lock.notify_all()
            return
        if self._is_busy() or self._real_work or self._closed:
            return
        while self._deadlines:
            deadline, _, waiter = heapq.heappop(self._deadlines)
            if waiter.over:
                continue
            self._base = max(self._base, deadline)
            self._wake(waiter)
            return

    def _ring(self) -> None:
        """While time passes by itself: wake those whose deadline it has reached."""
        with self._lock:
            while self._rate and not self._closed:
                while self._deadlines and self._deadlines[0][2].over:
                    heapq.heappop(self._deadlines)
                if not self._deadlines:
                    self._lock.wait()
                    continue
                left = (self._deadlines[0][0] - self._now()).total_seconds()
                if left > 0:
                    self._lock.wait(min(left / self._rate, threading.TIMEOUT_MAX))
                    continue
                self._wake(heapq.heappop(self._deadlines)[2])
            self._ringing = False

    def _wake(self, waiter: _Waiter) -> None:
        waiter.over = True
        if waiter.takes_turn:
            self._queue(waiter)
        else:
            waiter.go.set()

    def _wait(self, event: Event, seconds: float | None) -> None:
        """Wait until the event is set or the time has passed."""
        with self._lock:
            if event.is_set():
                return
            if self._closed:
                raise Closed
            # What is no time raises here, before anybody counts on this thread to wait.
            deadline = None if seconds is None else self._now() + timedelta(seconds=seconds)
            waiter = _Waiter(takes_turn=self._holds_turn())
            event.waiters.append(waiter)
            self._waiting.add(waiter)
            if deadline is not None:
                waiter.deadline = deadline
                heapq.heappush(self._deadlines, (deadline, next(self._order), waiter))
                self._lock.notify_all()
            if waiter.takes_turn:
                self._pass_on()
            else:
                self._jump_if_idle()
        try:
            if waiter.takes_turn:
                self._take_turn(waiter)
            else:
                waiter.go.wait()
        finally:
            with self._lock:
                waiter.over = True
                self._waiting.discard(waiter)
                event.waiters.remove(waiter)
        if self._closed:
            raise Closed


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
        """Set the event; who waits is ready from this moment on."""
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
        self._clock._wait(self, timeout)  # noqa: SLF001
        return self._set


class Thread(threading.Thread):
    """A thread that works when it has the turn, from its start until it waits or ends."""

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
        self._begins = _Waiter(takes_turn=True)

    def start(self) -> None:
        """Start; the thread is ready before this returns."""
        clock = self._clock
        with clock._lock:  # noqa: SLF001
            clock._alive += 1  # noqa: SLF001
            clock._queue(self._begins)  # noqa: SLF001
        super().start()

    def run(self) -> None:
        """Do the work; whoever joins is ready before this thread gives its turn away."""
        clock = self._clock
        try:
            clock._take_turn(self._begins)  # noqa: SLF001
            self._work(*self._work_args)
        except Closed:
            pass
        finally:
            with clock._lock:  # noqa: SLF001
                self._over.set()
                clock._alive -= 1  # noqa: SLF001
                if clock._holds_turn():  # noqa: SLF001
                    clock._pass_on()  # noqa: SLF001
                if clock._closed:  # noqa: SLF001
                    clock._lock.notify_all()  # noqa: SLF001

    def join(self, timeout: float | None = None) -> None:
        """Wait for the thread's end, at most for a (virtual) time."""
        self._over.wait(timeout)

    def is_alive(self) -> bool:
        """Return whether the work has not ended."""
        return not self._over.is_set()
