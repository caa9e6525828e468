"""Run a workflow because somebody asks for it, and wait for how it ends."""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from functions.domain.events import CLAIMED, FAILED, Event, Sent, canonical, event_id, run_id
from functions.domain.inputs import Problem, checked
from functions.domain.records.said import in_words
from functions.domain.triggers.incoming import DEFAULT_WINDOW
from functions.event_ports import Became
from functions.ports import Execution
from functions.usecases.claim import LEASE, Gate, begin, claim
from functions.usecases.start_run import Start, TooLarge, reference_of, start_of
from protocol.manifest import WorkflowManifest
from protocol.names import RUN_FAILED
from protocol.payloads import Json, MachineInput

LONGEST_WAIT = 25
"""Seconds; an HTTP API of API Gateway cuts a call off after 30:
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html"""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 2.0
API = "api"


@dataclass(frozen=True, slots=True)
class Asked:
    """A run that `caller` asks for.

    With a `key` the same wish is one run, however often it comes.
    """

    manifest: WorkflowManifest
    inputs: dict[str, Json]
    caller: str
    key: str | None = None
    rerun_of: str | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """The run that was started; `again`: by an earlier call with the same key."""

    run_id: str
    again: bool = False


class Invalid(Exception):
    """The inputs are not as the workflow's contract says."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("the inputs are not as the contract says")
        self.problems = problems


class Disabled(Exception):
    """The workflow is disabled."""


class KeyReused(Exception):
    """The key was used for another wish."""


def run_workflow(asked: Asked, gate: Gate) -> Ran:
    """Start a run; raises Invalid, Disabled, KeyReused, and Held while an equal call does it."""
    manifest = asked.manifest
    inputs = checked(manifest["inputs"], asked.inputs)
    if inputs.problems:
        raise Invalid(inputs.problems)
    given: MachineInput = {"inputs": inputs.values, "run": {"started_by": asked.caller}}
    if asked.key is None:
        name = run_id(manifest["id"], uuid.uuid4().hex, 1)
        start = _start(asked, given, name)
        _refuse_disabled(manifest, gate)
        gate.start(start)
        with suppress(Exception):  # it runs, and whoever asked could only start another
            gate.tell(start)
        return Ran(name)
    event = _event(asked, asked.key, gate)
    start = _start(asked, given, run_id(manifest["id"], event.event_id, 1))
    if manifest["id"] in gate.switches.disabled():
        return _known(event, gate)
    mine = claim(event, gate)
    is_mine = mine.claim == event.claim
    if not (is_mine and mine.deliveries == 1) and not _is_same(mine, event, gate):
        if is_mine:  # the first call was cut off: its next one may have it
            gate.events.settle(mine, Became(FAILED, error="its call was cut off"))
        raise KeyReused(asked.key)
    if not is_mine:
        return Ran(mine.run_id or "", again=True)
    if mine.number > 1:
        start = _start(asked, given, run_id(manifest["id"], mine.event_id, mine.number))
    return Ran(begin(mine, start, gate).run_id or "", again=mine.deliveries > 1)


def _start(asked: Asked, given: MachineInput, name: str) -> Start:
    more: dict[str, Json] = {} if asked.rerun_of is None else {"rerun_of": asked.rerun_of}
    try:
        return start_of(asked.manifest, name, given, more)
    except TooLarge as error:
        raise Invalid(({"pointer": "", "detail": str(error)},)) from None


def _event(asked: Asked, key: str, gate: Gate) -> Event:
    now = gate.clock.now()
    whole = f"{API}#{asked.caller}#{key}"
    body: dict[str, Json] = {"inputs": asked.inputs, "rerun_of": asked.rerun_of}
    return Event(
        event_id=event_id(whole),
        key=whole,
        workflow_id=asked.manifest["id"],
        trigger="",
        type=API,
        source_id=key,
        received_at=now,
        outcome=CLAIMED,
        claim=uuid.uuid4().hex,
        lease=now + LEASE,
        expires_at=now + timedelta(seconds=DEFAULT_WINDOW),
        sent=Sent(key, body, source=asked.caller),
    )


def _is_same(kept: Event, event: Event, gate: Gate) -> bool:
    """Return whether two calls with one key ask for the same."""
    if kept.workflow_id != event.workflow_id or kept.sent is None or event.sent is None:
        return False
    body = kept.sent.body if kept.kept is None else gate.bodies.get(kept.kept)
    return canonical(body) == canonical(event.sent.body)


def _refuse_disabled(manifest: WorkflowManifest, gate: Gate) -> None:
    if manifest["id"] in gate.switches.disabled():
        raise Disabled(manifest["id"])


def _known(event: Event, gate: Gate) -> Ran:
    """Return the run that an earlier call has started; raises Disabled where there is none."""
    kept = gate.events.get(event.event_id)
    if kept is None or kept.run_id is None:
        raise Disabled(event.workflow_id)
    if not _is_same(kept, event, gate):
        raise KeyReused(event.source_id)
    return Ran(kept.run_id, again=True)


def wait_for_end(
    manifest: WorkflowManifest, run: str, seconds: float, gate: Gate
) -> Execution | None:
    """Return a run's first attempt as soon as it has ended, or as it is when the time is over.

    None where it cannot be described yet, for whatever reason: it runs all the same.
    """
    reference, clock = reference_of(manifest, gate.manifests), gate.clock
    until, pause = clock.now() + timedelta(seconds=seconds), _FIRST_PAUSE
    while True:
        found = None
        if seconds > 0:
            with suppress(Exception):  # throttled, say; whoever hears of it may start another run
                found = gate.machines.describe(reference, run)
        left = (until - clock.now()).total_seconds()
        if left <= 0 or (found is not None and found.stopped_at is not None):
            return found
        clock.sleep(min(pause, left))
        pause = min(pause * 2, _LONGEST_PAUSE)


def failure_of(execution: Execution) -> dict[str, Json]:
    """Return the error of a run that did not succeed: type, message and, of its steps, details."""
    cause: Json = execution.cause
    if execution.error == RUN_FAILED and execution.cause:
        try:
            cause = json.loads(execution.cause)
        except ValueError:
            cause = execution.cause
    if isinstance(cause, dict):
        details = cause.get("details")
        return {**cause, "details": [*map(in_words, details if isinstance(details, list) else [])]}
    told = {"TIMED_OUT": "the run took too long", "ABORTED": "the run was cancelled"}
    message = cause or told.get(execution.status, "the run failed")
    return {"type": execution.error or execution.status, "message": message, "details": []}
