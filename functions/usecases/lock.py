"""Concurrency groups: a run waits for its group before it begins, its end lets the next one on.

Each change is one conditional write of the group's item; what it asks for (answers, stops)
follows it. A call that is repeated after a crash asks for the same again: an answered token no
longer waits, which is as good.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from functions.domain.lock import Claimant, Turn, asked, ended, group_name
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
    cause = json.dumps({"group": name})
    for one in turn.refused:
        answers.fail(one.token, GROUP_TAKEN, cause)
    for one in turn.stopped:
        executions.stop(one.execution, SUPERSEDED, f"run {message['run']['id']} took its group")
    _let_on(name, turn, locks, answers)


def release(message: Release, locks: Locks, answers: Answers) -> None:
    """Free what an ended execution held or waited for, and let the next ones on."""
    name = locks.group_of(message["execution"])
    if name is None:
        return
    turn = locks.change(name, lambda group: ended(group, message["execution"]))
    # Also those who hold it already: the call that let them on may have died before it said so.
    for holder in turn.group.holders:
        if holder not in turn.granted:
            answers.succeed(holder.token, {})
    _let_on(name, turn, locks, answers)


def _let_on(name: str, turn: Turn, locks: Locks, answers: Answers) -> None:
    """Tell runs that they may go on; who no longer waits leaves the group to the next."""
    while turn.granted:
        gone = [one for one in turn.granted if not answers.succeed(one.token, {})]
        if not gone:
            return
        first = gone[0].execution
        turn = locks.change(name, lambda group, gone=first: ended(group, gone))  # type: ignore[misc]
