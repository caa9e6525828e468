"""Take in an event that came for a trigger: start its run, or note why it starts none."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from functions.domain.events import (
    CLAIMED,
    IGNORED,
    MOST_DEPTH,
    REJECTED,
    WAITING,
    Event,
    Sent,
    event_id,
    noted_id,
    run_id,
)
from functions.domain.triggers.incoming import DEFAULT_WINDOW, Problem
from functions.domain.triggers.occurrences import is_due
from functions.domain.triggers.taking import Ignored, Incoming, Rejected, Taken, take
from functions.event_ports import Became
from functions.usecases.claim import LEASE, Gate, begin, claim
from functions.usecases.start_run import Start, TooLarge, start_of
from protocol.manifest import TriggerManifest, WorkflowManifest
from protocol.payloads import Json, Reference


@dataclass(frozen=True, slots=True)
class Again:
    """A repetition that somebody asks for: a run of its own.

    `word` tells it from others; `event` and `run` are what it repeats.
    """

    word: str
    event: str
    run: str | None


@dataclass(frozen=True, slots=True)
class Came:
    """An event at a trigger of a workflow; `kept` is where its body lies, if that is large."""

    manifest: WorkflowManifest
    trigger: TriggerManifest
    incoming: Incoming
    kept: Reference | None = None
    again: Again | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """An event that may start a run, and the run that its claim starts."""

    event: Event
    start: Start


def take_in(came: Came, gate: Gate) -> Event:
    """Start the run of an event, unless it is known; return the event as it is then.

    Raises Held. Whatever else it raises, another delivery may do better.
    """
    now = gate.clock.now()
    judged = judge(came, now)
    if not isinstance(judged, Ready):
        return gate.events.receive(noted(came, judged, now))
    event = judged.event
    if came.manifest["id"] in gate.switches.disabled():
        event = replace(event, outcome=WAITING)
    mine = claim(event, gate)
    if mine.claim != event.claim or mine.outcome != CLAIMED:
        return mine
    if mine.deliveries == 1 and is_missed(mine, came.trigger, gate):
        return miss(mine, gate)
    if mine.number != 1 or (mine.deliveries > 1 and mine.sent != event.sent):
        # Of what was sent first, if an earlier claim was lost: its run may have started.
        first = came_from(mine, came.manifest, came.trigger, gate)
        judged = judge(first, now, mine)
    return start_claimed(mine, judged, gate)


def start_claimed(mine: Event, judged: Ready | Ignored | Rejected, gate: Gate) -> Event:
    """Start the run of a claimed event, or write why it starts none after all."""
    if isinstance(judged, Ready):
        return begin(mine, judged.start, gate)
    outcome, problems = became(judged)
    gate.events.settle(mine, Became(outcome, problems=problems))
    return replace(mine, outcome=outcome, problems=problems)


def is_missed(event: Event, trigger: TriggerManifest, gate: Gate) -> bool:
    """Return whether an event is an occurrence of a schedule that is not made up for."""
    if trigger["type"] != "schedule" or event.replay_of is not None:
        return False
    scheduled = datetime.fromisoformat(event.source_id.rpartition("@")[2])
    return not is_due(trigger["settings"], scheduled, gate.clock.now())


def miss(mine: Event, gate: Gate) -> Event:
    """Write that a claimed occurrence of a schedule is not made up for."""
    return start_claimed(mine, Ignored("the schedule's time was missed (`missed`)"), gate)


def judge(came: Came, now: datetime, kept: Event | None = None) -> Ready | Ignored | Rejected:
    """Return what an event is to its trigger, before anything is reserved for it.

    `kept` is the event as it is kept already, under a key that stays.
    """
    try:
        return _judge(came, now, kept)
    except UnicodeEncodeError:
        told = "a text in it holds half of a surrogate pair, which nothing can store"
        return Rejected(({"pointer": "", "detail": told},))


def _judge(came: Came, now: datetime, kept: Event | None) -> Ready | Ignored | Rejected:
    taken = take(came.manifest, came.trigger, came.incoming)
    if not isinstance(taken, Taken):
        return taken
    if depth_of(taken) > MOST_DEPTH:
        told = f"loop guard: {MOST_DEPTH} runs have started one another by events"
        return Rejected(({"pointer": "", "detail": told},))
    event = kept or _event(came, taken, now)
    more: dict[str, Json] = {"rerun_of": came.again.run} if came.again else {}
    name = run_id(event.workflow_id, event.event_id, event.number)
    try:
        start = start_of(came.manifest, name, taken.given, more)
    except TooLarge as error:
        return Rejected(({"pointer": "", "detail": str(error)},))
    return Ready(event, start)


def depth_of(taken: Taken) -> int:
    """Return how many runs led to an event, one by one."""
    depth = taken.given["run"].get("depth")
    return depth if isinstance(depth, int) else 0


def _event(came: Came, taken: Taken, now: datetime) -> Event:
    key, again = taken.key, came.again
    if again is not None:
        key = f"{key}#again#{again.word}"
    return replace(
        _kept(came, event_id(key), now, taken.window),
        key=key,
        source_id=taken.event_id,
        replay_of=None if again is None else again.event,
    )


def noted(came: Came, judged: Ignored | Rejected, now: datetime) -> Event:
    """Return an event that starts nothing, as it is kept; its key is not reserved."""
    sent = sent_of(came.incoming)
    outcome, problems = became(judged)
    id_ = noted_id(came.manifest["id"], came.trigger["name"], sent)
    return replace(_kept(came, id_, now, DEFAULT_WINDOW), outcome=outcome, problems=problems)


def _kept(came: Came, id_: str, now: datetime, window: int) -> Event:
    return Event(
        event_id=id_,
        key="",
        workflow_id=came.manifest["id"],
        trigger=came.trigger["name"],
        type=came.trigger["type"],
        source_id=came.incoming.id,
        received_at=came.incoming.received_at,
        outcome=CLAIMED,
        claim=uuid.uuid4().hex,
        lease=now + LEASE,
        expires_at=now + timedelta(seconds=window),
        sent=sent_of(came.incoming),
        kept=came.kept,
    )


def became(judged: Ignored | Rejected) -> tuple[str, tuple[Problem, ...]]:
    """Return the outcome of an event that starts nothing, and why."""
    if isinstance(judged, Rejected):
        return REJECTED, judged.problems
    return IGNORED, ({"pointer": "", "detail": judged.reason},)


def sent_of(incoming: Incoming) -> Sent:
    """Return what is kept of an event."""
    return Sent(incoming.id, incoming.body, incoming.headers, incoming.source)


def came_from(
    event: Event, manifest: WorkflowManifest, trigger: TriggerManifest, gate: Gate
) -> Came:
    """Return an event, as it is kept, as it came in the first place."""
    sent = event.sent
    assert sent is not None
    body = sent.body if event.kept is None else gate.bodies.get(event.kept)
    incoming = Incoming(sent.id, event.received_at, body, sent.headers, sent.source)
    again = None
    if event.replay_of is not None:
        first = gate.events.get(event.replay_of)
        again = Again("", event.replay_of, first.run_id if first else None)
    return Came(manifest, trigger, incoming, event.kept, again)
