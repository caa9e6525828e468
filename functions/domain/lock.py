"""Concurrency groups: who holds one, who waits, and what a new run or an ended one changes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from protocol.payloads import Json

Conflict = Literal["queue", "cancel_running", "reject"]

MOST_BYTES = 300_000
"""Of ARNs and task tokens of one group: it is one item, and an item has 400 KB.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html"""


@dataclass(frozen=True, slots=True)
class Claimant:
    """An execution that wants a group; `token` is what it waits under."""

    execution: str
    token: str
    limit: int = 1


@dataclass(frozen=True, slots=True)
class Group:
    """The state of a group: at most `limit` hold it, the others wait in their order.

    `superseded` are those that had to leave the queue and have not been told so yet.
    """

    holders: tuple[Claimant, ...] = ()
    queue: tuple[Claimant, ...] = ()
    superseded: tuple[Claimant, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What a change of a group asks for, beside that its superseded ones are told."""

    group: Group
    granted: tuple[Claimant, ...] = ()
    refused: tuple[Claimant, ...] = ()
    stopped: tuple[Claimant, ...] = ()


def group_name(value: Json) -> str:
    """Return a group's name from what the author's expression came out as."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def asked(group: Group, claimant: Claimant, on_conflict: Conflict) -> Turn:
    """Return what a run that asks for a group changes; asked again it has its place already."""
    if any(holder.execution == claimant.execution for holder in group.holders):
        holders = tuple(_renewed(holder, claimant) for holder in group.holders)
        return Turn(replace(group, holders=holders), granted=(claimant,))
    if any(waiting.execution == claimant.execution for waiting in group.queue):
        queue = tuple(_renewed(waiting, claimant) for waiting in group.queue)
        return _stopping(_filled(replace(group, queue=queue)), claimant, on_conflict)
    is_free = len(group.holders) < claimant.limit and not group.queue
    if is_free or (on_conflict == "queue" and _has_room(group)):
        return _filled(replace(group, queue=(*group.queue, claimant)))
    if on_conflict != "cancel_running":
        return Turn(group, refused=(claimant,))
    # The newest run goes first: those that hold it are stopped, those that wait are refused.
    superseded = (*group.superseded, *group.queue)
    turn = _filled(replace(group, queue=(claimant,), superseded=superseded))
    return _stopping(turn, claimant, on_conflict)


def told(group: Group, claimants: Iterable[Claimant]) -> Turn:
    """Return the group without those superseded ones that have been told so."""
    gone = set(claimants)
    return Turn(replace(group, superseded=tuple(x for x in group.superseded if x not in gone)))


def ended(group: Group, *executions: str) -> Turn:
    """Return what the end of executions changes."""
    holders = tuple(one for one in group.holders if one.execution not in executions)
    queue = tuple(one for one in group.queue if one.execution not in executions)
    return _filled(replace(group, holders=holders, queue=queue))


def _has_room(group: Group) -> bool:
    there = (*group.holders, *group.queue, *group.superseded)
    return sum(len(one.execution) + len(one.token) for one in there) < MOST_BYTES


def _stopping(turn: Turn, claimant: Claimant, on_conflict: Conflict) -> Turn:
    """Return a turn in which those are stopped whom a claimant that waits does not wait for."""
    if on_conflict != "cancel_running" or claimant not in turn.group.queue:
        return turn
    return replace(turn, stopped=turn.group.holders)


def _renewed(one: Claimant, claimant: Claimant) -> Claimant:
    return claimant if one.execution == claimant.execution else one


def _filled(group: Group) -> Turn:
    """Let those go on for whom there is room, in their order."""
    holders, queue = list(group.holders), list(group.queue)
    granted = []
    while queue and len(holders) < queue[0].limit:
        granted.append(queue.pop(0))
        holders.append(granted[-1])
    changed = replace(group, holders=tuple(holders), queue=tuple(queue))
    return Turn(changed, granted=tuple(granted))
