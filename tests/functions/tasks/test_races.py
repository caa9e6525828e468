"""Whatever happens at one moment, in whatever order: one decision, and the run agrees with it."""

from __future__ import annotations

import itertools
import os
import threading
from dataclasses import replace
from typing import Any

import pytest

from functions.domain.task import APPROVED, REJECTED, Actor
from functions.domain.task_answers import Succeeds, answer_of
from functions.usecases.reassign import Handover, reassign
from functions.usecases.wake import wake
from tests.functions.tasks.interleaving import (
    Crash,
    MemoryTasks,
    MemoryTokens,
    Schedule,
    schedules,
    stepping,
)
from tests.functions.tasks.office import ALICE, BOB, CAROL, LEAD, Scene

CUTS = int(os.environ.get("STEPSMITH_CUTS", "2"))
REPETITIONS = 20


def decisions_at_once(scene, count):
    """Have `count` people decide at the same moment, half of them each way."""
    start = threading.Barrier(count)
    verdicts = [None] * count

    def decide(number):
        start.wait()
        status, by = ((APPROVED, ALICE), (REJECTED, BOB))[number % 2]
        verdicts[number] = scene.decide(status, by=by)

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return verdicts


@pytest.mark.parametrize("repetition", range(REPETITIONS))
def test_of_many_decisions_at_once_one_wins_and_all_are_told_who(scene, repetition):
    """200 in the first repetition, 40 in the others."""
    token = scene.open()
    verdicts = decisions_at_once(scene, 200 if repetition == 0 else 40)
    scene.stream.read()
    decision = scene.task.decision
    assert [verdict.name for verdict in verdicts].count("decided") == 1
    for number, verdict in enumerate(verdicts):
        status = (APPROVED, REJECTED)[number % 2]
        allowed = {"decided", "repeated"} if status == decision.status else {"conflict"}
        assert verdict.name in allowed
        assert verdict.task.decision == decision
    assert scene.executions.sent == 1
    assert scene.executions.taken[token]["decided_by"] == decision.decided_by


# --- every interleaving of two, read by read and write by write


class Stage(Scene):
    """A scene on tables in memory, under a schedule; the task is open, at its first level."""

    def __init__(self, schedule, **fields):
        tasks = MemoryTasks(schedule, self.woken)
        super().__init__(tasks, MemoryTokens(schedule))
        self.schedule = schedule
        self.waker = replace(self.waker, answers=stepping(schedule, self.executions))
        self.live = self.open(**fields)
        self.clock.forward(hours=72)

    def woken(self, task_id):
        self.schedule.add(lambda: wake(task_id, self.waker))


def approve(stage):
    return lambda: stage.decide(APPROVED, by=ALICE)


def reject(stage):
    return lambda: stage.decide(REJECTED, by=BOB)


def escalate(stage):
    stage.times_out(stage.live)
    stage.live = "level 1"
    stage.executions.waiting.add(stage.live)
    return lambda: stage.escalate(token="level 1")


def escalate_again(stage):
    """The level's first call told whom it names, and got no answer to its own caller."""
    if stage.task.is_open:
        stage.escalate(token="level 1")
    stage.executions.waiting.clear()
    stage.live = "level 1, again"
    stage.executions.waiting.add(stage.live)
    return lambda: stage.escalate(token="level 1, again", entry=1)


def retry(stage):
    stage.times_out(stage.live)
    stage.live = "retry"
    stage.executions.waiting.add(stage.live)
    return lambda: stage.open(token="retry", entry=1)


def expire(stage):
    stage.times_out(stage.live)
    stage.live = None
    return stage.expire


def stop(stage):
    stage.executions.waiting.clear()
    stage.live = None
    return stage.stop


def hand_over(stage):
    """Alice is no longer asked; Bob still is."""
    handover = Handover([BOB, CAROL], "on holiday")
    return lambda: reassign(stage.id, handover, Actor(LEAD, "login"), stage.desk, is_operator=True)


CALLS = (approve, reject, escalate, escalate_again, retry, expire, stop, hand_over)
PAIRS = [
    *((one, other) for one, other in itertools.combinations(CALLS, 2)
      if {one, other} != {escalate, escalate_again}),
    *((call, call) for call in CALLS),
]  # fmt: skip


def after_both(stage, pair, calls):
    """What must hold once everything has happened."""
    task = stage.tasks.rows[stage.id]
    history = stage.tasks.statuses[stage.id]
    assert history in (["pending"], ["pending", task.status]), "an end is an end"
    for made, call in zip(pair, calls, strict=True):
        if made in (approve, reject) and not isinstance(call.result, BaseException):
            told = call.result
            if made is approve and hand_over in pair and told.name == "not_yours":
                continue
            assert told.name in ("decided", "repeated", "conflict", "ended")
            mine = APPROVED if made is approve else REJECTED
            assert (told.name in ("decided", "repeated")) == (task.status == mine)
        if made is expire and not isinstance(call.result, BaseException):
            answer = answer_of(task)
            # A run that is stopped does not expire any more; its call may still be under way.
            if isinstance(answer, Succeeds):
                assert call.result == answer.output
    waits = stage.live is not None and stop not in pair
    if not task.is_open and waits and expire not in pair:
        answer = answer_of(task)
        assert isinstance(answer, Succeeds)
        assert stage.executions.taken == {stage.live: answer.output}, "woken with it"
    assert len(stage.mails.to(LEAD)) <= 1
    assert len(stage.mails.to(ALICE)) == 1


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(one.__name__ for one in pair))
def test_two_at_the_same_moment_in_every_order_of_their_reads_and_writes(pair):
    played = 0
    stages = []

    def play(schedule):
        stage = Stage(schedule)
        calls = [schedule.add(make(stage)) for make in pair]
        schedule.play()
        stages.append((stage, calls))

    for _ in schedules(play, CUTS):
        stage, calls = stages.pop()
        after_both(stage, pair, calls)
        played += 1
    assert played > 5


def approve_too(stage):
    return lambda: stage.decide(APPROVED, by=BOB)


@pytest.mark.parametrize(
    "other", [None, escalate, expire, stop], ids=lambda other: getattr(other, "__name__", "alone")
)
def test_two_votes_at_the_same_moment_both_count_unless_the_time_is_over(other):
    """A task that asks for two, and gets both at once; with whatever else happens then."""
    makers = (approve, approve_too, *(() if other is None else (other,)))
    stages: list[Any] = []

    def play(schedule):
        stage = Stage(schedule, quorum=2)
        calls = [schedule.add(make(stage)) for make in makers]
        schedule.play()
        stages.append((stage, calls))

    for _ in schedules(play, 1):
        stage, calls = stages.pop()
        task = stage.tasks.rows[stage.id]
        told = [call.result.name for call in calls[:2]]
        if task.status == APPROVED:
            assert sorted(told) == ["counted", "decided"]
            assert len(task.votes) == 2
            assert {ALICE, BOB} == set(task.decision.decided_by.split(", "))
        else:
            assert other in (expire, stop)
            assert "decided" not in told
            assert told.count("counted") == len(task.votes)


# --- a crash after any of its writes, and Lambda's retry


@pytest.mark.parametrize("made", CALLS, ids=lambda made: made.__name__)
@pytest.mark.parametrize("other", [None, approve, expire, stop])
def test_a_crash_after_any_write_leaves_nothing_that_a_retry_does_not_mend(made, other):
    """The call is gone after its n-th write; another comes at that moment; then it is repeated."""
    for crash_after in itertools.count(1):
        stages: list[Any] = []

        def play(schedule, crash_after=crash_after, stages=stages):
            stage = Stage(schedule)
            call = schedule.add(made(stage), crash_after)
            others = [] if other is None else [schedule.add(other(stage))]
            schedule.play()
            stages.append((stage, call, others))

        crashed = False
        for _ in schedules(play, 1):
            stage, call, others = stages.pop()
            crashed = crashed or isinstance(call.result, Crash)
            again = Schedule([])
            stage.schedule = stage.tasks.schedule = again
            result = again.add(made_again(stage, made))
            again.play()
            pair = (made, *(() if other is None else (other,)))
            after_both(stage, pair, (result, *others))
        if not crashed:
            return


def made_again(stage, made):
    """The same call once more, as whoever made it does when it got no answer."""
    if made is escalate:
        return lambda: stage.escalate(token="level 1")
    if made is escalate_again:
        return lambda: stage.escalate(token="level 1, again", entry=1)
    if made is retry:
        return lambda: stage.open(token="retry", entry=1)
    return made(stage)
