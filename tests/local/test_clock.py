"""The virtual clock: it stands while something runs and jumps when nothing does."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from local.clock import Clock

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock():
    clock = Clock(NOON)
    yield clock
    clock.close()


def run(clock: Clock, *works) -> None:
    """Run works on threads of the clock, all counted before the first begins."""
    done = [threading.Event() for _ in works]
    gate = threading.Event()

    def wrapped(work, over):
        gate.wait()
        work()
        over.set()

    for work, over in zip(works, done, strict=True):
        clock.thread(wrapped, (work, over)).start()
    gate.set()
    assert all(over.wait(10) for over in done)


def test_waits_end_in_the_order_of_their_deadlines_and_in_no_time(clock):
    ended = []

    def wait(days):
        clock.sleep(days * 86_400)
        ended.append((days, clock.now() - NOON))

    began = time.monotonic()
    run(clock, *(lambda days=days: wait(days) for days in (30, 1, 365)))
    assert ended == [(days, timedelta(days=days)) for days in (1, 30, 365)]
    assert time.monotonic() - began < 5


def test_time_stands_still_while_a_thread_runs(clock):
    times = []

    def busy():
        time.sleep(0.05)
        times.append(clock.now())

    run(clock, busy, lambda: clock.sleep(60))
    assert times == [NOON]


def test_an_event_that_is_set_ends_a_wait_before_its_deadline(clock):
    event, outcome = clock.event(), []
    run(
        clock,
        lambda: outcome.append((event.wait(3600), clock.now() - NOON)),
        lambda: (clock.sleep(60), event.set()),
    )
    assert outcome == [(True, timedelta(seconds=60))]


def test_a_wait_that_nothing_ends_says_so_at_its_deadline(clock):
    event, outcome = clock.event(), []
    run(clock, lambda: outcome.append((event.wait(3600), clock.now() - NOON)))
    assert outcome == [(False, timedelta(hours=1))]


def test_an_event_set_and_cleared_at_once_still_wakes_who_waited(clock):
    event, woken = clock.event(), []
    run(
        clock,
        lambda: woken.append((event.wait(3600), clock.now() - NOON)),
        lambda: (clock.sleep(1), event.set(), event.clear()),
    )
    assert [at for _, at in woken] == [timedelta(seconds=1)]


def test_real_work_lets_the_clock_run_with_the_real_one(clock):
    woken = []

    def work():
        with clock.real_work():
            time.sleep(0.3)

    run(clock, work, lambda: woken.append((clock.sleep(0.1), clock.now() - NOON)))
    assert timedelta(seconds=0.1) <= woken[0][1] < timedelta(seconds=0.3)
    assert clock.now() - NOON >= timedelta(seconds=0.3)


def test_joining_waits_for_the_end_or_a_virtual_time(clock):
    outcome = []

    def outer():
        inner = clock.thread(lambda: clock.sleep(100))
        inner.start()
        inner.join(10)
        outcome.append((inner.is_alive(), clock.now() - NOON))
        inner.join()
        outcome.append((inner.is_alive(), clock.now() - NOON))

    run(clock, outer)
    assert outcome == [(True, timedelta(seconds=10)), (False, timedelta(seconds=100))]


def test_a_closed_clock_ends_threads_that_wait_for_nothing():
    clock = Clock(NOON)
    thread = clock.thread(lambda: clock.event().wait())
    thread.start()
    clock.close()
    threading.Thread.join(thread, 5)
    assert not threading.Thread.is_alive(thread)


def test_a_clock_with_a_pace_does_not_jump_and_says_the_time_between_two_deadlines(clock):
    """An hour passes in a tenth of a second; who looks meanwhile sees it pass."""
    clock.set_pace(36_000)
    over, began = threading.Event(), time.monotonic()

    def wait():
        clock.sleep(3600)
        over.set()

    clock.thread(wait).start()
    assert NOON <= clock.now() < NOON + timedelta(hours=1) or time.monotonic() - began > 0.1
    assert over.wait(10)
    assert time.monotonic() - began > 0.09
    assert clock.now() >= NOON + timedelta(hours=1)


def test_without_a_pace_again_time_stands_still_and_jumps(clock):
    clock.set_pace(1e-6)
    over = threading.Event()

    def wait():
        clock.sleep(3600)
        over.set()

    clock.thread(wait).start()
    assert not over.wait(0.05)
    clock.set_pace(None)
    assert over.wait(10)
    assert timedelta(hours=1) <= clock.now() - NOON < timedelta(hours=1, seconds=1)


def test_beside_real_work_a_clock_with_a_pace_runs_with_the_real_one(clock):
    clock.set_pace(36_000)
    with clock.real_work():
        began = clock.now()
        time.sleep(0.05)
        assert clock.now() - began < timedelta(seconds=10)


@pytest.mark.parametrize("seconds", [{"no": "time"}, 1e300], ids=["a mapping", "too long"])
def test_a_wait_that_cannot_begin_keeps_nobody_else_waiting(clock, seconds):
    """The evaluation of a state that was stopped hands on whatever lies there as its timeout."""
    event, ended = clock.event(), []

    def wait_wrongly():
        with pytest.raises((TypeError, OverflowError)):
            event.wait(seconds)
        event.set()  # nobody waits for it, and nobody is given a turn

    def wait():
        clock.sleep(60)
        ended.append(clock.now() - NOON)

    run(clock, wait_wrongly, wait)
    assert ended == [timedelta(minutes=1)]
