"""Concurrency groups: a run waits for its group before it begins, its end lets the next one on.

Each change is one conditional write of the group's item; what it asks for (answers, stops)
follows it. A call that is repeated after a crash asks for the same again: an answered token no
longer waits, which is as good.

A token that no longer waits does not say why. Two calls may answer the same run, and the one that
comes second must not give its group away: whether the run is over is asked before.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from functions.domain.lock import Claimant, Group, Turn, asked, ended, group_name, told
from protocol.names import GROUP_TAKEN, SUPERSEDED
from protocol.payloads import Lock, Release

if TYPE_CHECKING:
    from functions.ports import Answers, Executions, Locks


def lock(message: Lock, locks: Locks, answers: Answers, executions: Executions) -> None:
    """Give a run its group, let it wait, or refuse it."""
    name = group_name(message["group"])
    claimant = Claimant(message["execution"], message["token"], message["limit"])
    # First where it will be: its end, however soon, then finds the group.
    locks.remember(claimant.execution, name)
    turn = locks.change(name, lambda group: asked(group, claimant, message["on_conflict"]))
    for one in turn.refused:
        answers.fail(one.token, GROUP_TAKEN, _cause(name))
    for one in turn.stopped:
        executions.stop(one.execution, SUPERSEDED, f"run {message['run']['id']} took its group")
    _go_on(name, turn, locks, answers, executions)


def release(message: Release, locks: Locks, answers: Answers, executions: Executions) -> None:
    """Free what an ended execution held or waited for, and let the next ones on."""
    name = locks.group_of(message["execution"])
    if name is None:
        return
    turn = locks.change(name, lambda group: ended(group, message["execution"]))
    # Also those who hold it already: the call that let them on may have died before it said so.
    for holder in turn.group.holders:
        if holder not in turn.granted:
            answers.succeed(holder.token, {})
    _go_on(name, turn, locks, answers, executions)


def _go_on(name: str, turn: Turn, locks: Locks, answers: Answers, executions: Executions) -> None:
    """Tell runs that they may go on, or are superseded; who is over leaves it to the next."""
    superseded = turn.group.superseded
    for one in superseded:
        answers.fail(one.token, GROUP_TAKEN, _cause(name))
    if superseded:
        locks.change(name, lambda group: told(group, superseded))
    while turn.granted:
        deaf = [one.execution for one in turn.granted if not answers.succeed(one.token, {})]
        gone = [one for one in deaf if executions.is_over(one)]
        if not gone:
            return
        turn = locks.change(name, partial(_without, gone))


def _without(gone: Sequence[str], group: Group) -> Turn:
    return ended(group, *gone)


def _cause(name: str) -> str:
    return json.dumps({"group": name})
