"""Concurrency groups: whatever is cut off, repeated or done at the same moment.

Never more runs are at work than the limit says, and every run is told in the end: that it may go
on, that it is refused, or that it is stopped.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import pytest

from functions.domain.lock import Group, Turn
from functions.usecases.lock import lock, release
from protocol.names import GROUP_TAKEN, SUPERSEDED
from tests.functions.tasks.interleaving import Crash, Schedule, schedules


@dataclass
class Town:
    """Runs, their group and what they wait under; each use of a port is a step of a schedule.

    A token takes one answer. A run that was let on is at work until it ends or is stopped.
    """

    schedule: Schedule = field(default_factory=lambda: Schedule([]))
    limit: int = 1
    group: Group = field(default_factory=Group)
    waiting: dict[str, str] = field(default_factory=dict)  # runs by the tokens they wait under
    at_work: list[str] = field(default_factory=list)
    over: dict[str, str] = field(default_factory=dict)  # why, by run
    most: int = 0
    tokens: Any = field(default_factory=itertools.count)

    # --- ports

    def remember(self, execution: str, name: str) -> None:
        del execution, name
        self._step()

    def group_of(self, execution: str) -> str | None:
        del execution
        self._step()
        return "g"

    def change(self, name: str, wish: Any) -> Turn:
        del name
        while True:
            self.schedule.point()
            read = self.group
            turn: Turn = wish(read)
            if turn.group == read:
                return turn
            self.schedule.point()
            if self.group is read:
                self.group = turn.group
                self.schedule.written()
                return turn

    def succeed(self, token: str, output: Any) -> bool:
        del output
        self.schedule.point()
        run = self.waiting.pop(token, None)
        if run is not None:
            self.at_work.append(run)
            self.most = max(self.most, len(self.at_work))
        self.schedule.written()
        return run is not None

    def fail(self, token: str, error: str, cause: str) -> bool:
        assert cause == '{"group": "g"}'
        self.schedule.point()
        run = self.waiting.pop(token, None)
        if run is not None:
            self.over[run] = error
        self.schedule.written()
        return run is not None

    def stop(self, execution: str, error: str, cause: str) -> None:
        del cause
        self.schedule.point()
        self.end(execution, error)
        self.schedule.written()

    def is_over(self, execution: str) -> bool:
        self.schedule.point()
        return execution in self.over

    def _step(self) -> None:
        self.schedule.point()
        self.schedule.written()

    # --- runs

    def end(self, run: str, why: str = "done") -> None:
        """A run has ended; its end has not been told yet."""
        if run in self.over:
            return
        self.over[run] = why
        self.at_work = [one for one in self.at_work if one != run]
        self.waiting = {token: one for token, one in self.waiting.items() if one != run}

    def asks(self, run: str, on_conflict: str = "queue") -> None:
        """Call `latches` for a run, under a new token, as the machine does each time it tries."""
        if run in self.over or run in self.at_work:
            return  # the state is left
        token = f"{run}-{next(self.tokens)}"
        self.waiting = {t: r for t, r in self.waiting.items() if r != run} | {token: run}
        message: Any = {
            "op": "lock", "run": {"id": run}, "execution": run, "token": token, "group": "g",
            "limit": self.limit, "on_conflict": on_conflict,
        }  # fmt: skip
        lock(message, self, self, self)

    def releases(self, run: str) -> None:
        """Tell of the end of a run."""
        release({"op": "release", "execution": run}, self, self, self)

    def settle(self) -> None:
        """Let all runs that are at work end, and tell of every end, until nothing happens."""
        told: set[str] = set()
        while self.at_work or self.over.keys() - told:
            for run in sorted(self.over.keys() - told):
                self.releases(run)
                told.add(run)
            if self.at_work:
                self.end(self.at_work[0])


def town(*held: str, queue: tuple[str, ...] = (), limit: int = 1) -> Town:
    found = Town(limit=limit)
    for run in (*held, *queue):
        found.asks(run)
    assert found.at_work == list(held)
    return found


def test_a_run_that_two_calls_let_on_keeps_its_group():
    """The end of the holder is told twice at once; the next run is let on, and no other."""

    def play(schedule):
        found = town("a", queue=("b", "c"))
        found.end("a")
        found.schedule = schedule
        for _ in range(2):
            schedule.add(lambda: found.releases("a"))
        schedule.play()
        assert (found.at_work, found.most) == (["b"], 1)
        found.schedule = Schedule([])
        found.settle()
        assert found.over == {"a": "done", "b": "done", "c": "done"}
        assert found.most == 1

    assert len([*schedules(play, 2)]) > 20


def test_ends_and_wishes_at_the_same_moment_let_nobody_wait_for_ever():
    def play(schedule):
        found = town("a", queue=("b",))
        found.end("a")
        found.end("b")  # it was cancelled while it waited
        found.schedule = schedule
        schedule.add(lambda: found.releases("a"))
        schedule.add(lambda: found.asks("c"))
        schedule.add(lambda: found.releases("b"))
        schedule.play()
        assert (found.at_work, found.most) == (["c"], 1)
        assert not found.waiting

    assert len([*schedules(play, 2)]) > 50


def test_a_run_that_ended_before_its_wish_came_holds_nothing():
    """Its end was told when nobody knew it: what comes late finds it gone."""
    found = town("a")
    for run in ("b", "c", "d"):
        found.asks(run)
    for run in ("b", "c"):
        found.end(run)
    found.end("a")
    found.releases("a")
    assert (found.at_work, found.group.queue) == (["d"], ())


def test_of_several_that_are_gone_none_keeps_its_place():
    found = town("a", "b", queue=("c", "d", "e", "f"), limit=2)
    for run in ("c", "d", "a", "b"):
        found.end(run)
    found.releases("a")
    found.releases("b")
    assert found.at_work == ["e", "f"]
    assert [one.execution for one in found.group.holders] == ["e", "f"]


WISHES = {
    "a free group": ((), (), "queue"),
    "a taken one, in the queue": (("a",), ("b",), "queue"),
    "a taken one, rejecting": (("a",), (), "reject"),
    "a taken one, as the newest": (("a",), ("b", "c"), "cancel_running"),
}


@pytest.mark.parametrize("wish", WISHES)
def test_a_wish_that_is_cut_off_anywhere_and_made_again_comes_to_the_same(wish):
    """The machine tries again under another token."""
    held, queue, on_conflict = WISHES[wish]

    def played(crash_after):
        found = town(*held, queue=queue)
        schedule = found.schedule = Schedule([])
        call = schedule.add(lambda: found.asks("z", on_conflict), crash_after)
        schedule.play()
        found.schedule = Schedule([])
        if isinstance(call.result, Crash):
            found.asks("z", on_conflict)
        found.settle()
        assert (found.most, found.waiting) == (1, {})
        return isinstance(call.result, Crash), found.over

    _, whole = played(None)
    if on_conflict == "cancel_running":
        assert whole == {"a": SUPERSEDED, "b": GROUP_TAKEN, "c": GROUP_TAKEN, "z": "done"}
    for point in itertools.count(1):
        was_cut_off, ends = played(point)
        assert ends == whole, point
        if not was_cut_off:
            assert point > 2
            break


@pytest.mark.parametrize("limit", [1, 2])
def test_an_end_that_is_cut_off_anywhere_and_told_again_lets_the_next_ones_on(limit):
    def played(crash_after):
        held = ("a", "b")[:limit]
        found = town(*held, queue=("c", "d", "e"), limit=limit)
        found.end("a")
        found.end("c")
        schedule = found.schedule = Schedule([])
        call = schedule.add(lambda: found.releases("a"), crash_after)
        schedule.play()
        found.schedule = Schedule([])
        found.settle()
        assert (found.most, found.waiting) == (limit, {})
        assert set(found.over) == {*held, "c", "d", "e"}
        return isinstance(call.result, Crash)

    points = next(point for point in itertools.count(1) if not played(point))
    assert points > 2
