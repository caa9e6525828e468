"""Three public samples as our workflows and as machines by hand, run on the same local engine.

Which samples, and where they come from, is in `samples/README.md`. Lambda functions and AWS calls
are answered by stubs, people decide; a run by hand has to call the same in the same order, end
the same and take as long as ours, or nothing is counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from bench.numbers.sample_runs import Case, Ran, compiled, run_by_hand, run_ours
from bench.table import Group, Number
from compiler.plan.limits import request_size
from local.stubs import Fail, Stub
from protocol.payloads import Json

FOLDER = Path(__file__).parent / "samples"
PEER = "by hand"
_NEVER = 1_000_000.0
_TRIP = {"trip": {"id": "trip-1", "from": "Graz", "to": "Porto"}}
_MESSAGES: list[Json] = [
    {"id": f"m{at}", "body": f"text {at}", "receipt": f"r{at}"} for at in range(3)
]


@dataclass(frozen=True, slots=True)
class Most:
    """The limits of a sample: of both counts of each case, and of bytes."""

    transitions: tuple[float, ...]
    events: tuple[float, ...]
    compact: float
    request: float


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample: its folder, its steps (by hand, a Task each) and the runs that are counted."""

    name: str
    steps: int
    cases: tuple[Case, ...]
    most: Most
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def workflow(self) -> str:
        """The sample in our language."""
        return (FOLDER / self.name / "workflow.yaml").read_text(encoding="utf-8")

    @property
    def by_hand(self) -> dict[str, Any]:
        """The sample as a definition by hand."""
        text = (FOLDER / self.name / "by_hand.asl.json").read_text(encoding="utf-8")
        definition: dict[str, Any] = json.loads(text)
        return definition


_SENT = {"tell-booked": Stub(), "tell-failed": Stub(), "store": Stub(), "tell": Stub()}


def _read(messages: list[Json]) -> Stub:
    return Stub(outputs={"messages": messages})


_EARLY, _LATE = Stub(takes=3_600.0), Stub(takes=7_200.0)

SAMPLES = (
    Sample(
        "saga",
        steps=10,
        cases=(
            Case("all goes well", stubs=_SENT),
            Case("the last step fails", stubs={**_SENT, "confirm-car": Stub(fail=Fail("Refused"))}),
        ),
        most=Most((1.2, 2.7), (1.1, 2.5), 4.5, 4.2),
        inputs=_TRIP,
    ),
    Sample(
        "approvals",
        steps=3,
        cases=(
            Case("all approve", people={"first": _LATE, "second": _EARLY, "third": _LATE}),
            Case(
                "one refuses",
                people={
                    "first": _EARLY,
                    "second": Stub(takes=7_200.0, fail=Fail("Refused")),
                    "third": Stub(takes=_NEVER),
                },
            ),
        ),
        most=Most((3.0, 3.3), (2.0, 2.5), 11.0, 8.2),
        inputs={"request": "a week in May"},
    ),
    Sample(
        "messages",
        steps=4,
        cases=(
            Case("three messages", stubs={**_SENT, "read-messages": _read(_MESSAGES)}),
            Case("no message", stubs={**_SENT, "read-messages": _read([])}),
        ),
        most=Most((1.7, 1.4), (1.4, 1.2), 7.0, 5.2),
    ),
)


def group(*, quick: bool = False) -> Group:
    """Run all cases both ways and count; quick is the same, for a run takes a fraction of 1 s."""
    del quick
    numbers = tuple(number for one in SAMPLES for number in counted(one, one.workflow, one.by_hand))
    how = (
        "Three workflows of aws-samples/step-functions-workflows-collection (saga-pattern-sam, "
        "parallel-human-approval, dynamically-process-data-with-map-state), written in our "
        "language and, minimally, by hand in JSONata mode. Both run on the local engine: the same "
        "calls in the same order, the same end at the same time. Transitions and events are those "
        "of all executions of a run, bytes those of all machines, for each Task by hand. On top "
        "ours carries, for the same steps: a claim for each call, so that no step is done twice; "
        "a stored result, so that a failed run can be resumed and is shown step by step; an undo "
        "that is noted before and after it, runs after a time-out and an abort as well, and that "
        "outlives the run; tasks for people with a page, a deadline, reminders and a record of who "
        "decided; the failing steps by name in the run's error; expressions that no value breaks."
    )
    return Group("Public samples beside machines by hand", how, numbers)


def counted(sample: Sample, workflow: str, by_hand: Mapping[str, Any]) -> Iterator[Number]:
    """Yield the numbers of a sample's workflow beside a definition by hand."""
    ours, most = compiled(workflow), sample.most
    for case, transitions, events in zip_longest(sample.cases, most.transitions, most.events):
        what = f"{sample.name}, {case.name}"
        run = run_ours(ours, case, sample.inputs)
        peer = run_by_hand(by_hand, case, sample.inputs)
        same(what, run, peer)
        yield _number(f"{what}: transitions", run.transitions, peer.transitions, transitions)
        yield _number(f"{what}: events", run.events, peer.events, events)
    for name, size, limit in (
        ("compact JSON", _compact, most.compact),
        ("request", request_size, most.request),
    ):
        mine = sum(size(machine.definition) for machine in ours.machines) / sample.steps
        theirs = size(by_hand) / sample.steps
        yield _number(f"{sample.name}: {name} for a step", mine, theirs, limit, "bytes")


def _compact(definition: Mapping[str, Any]) -> int:
    return len(json.dumps(definition, ensure_ascii=False, separators=(",", ":")).encode())


def same(what: str, ours: Ran, theirs: Ran) -> None:
    """Make sure that two runs did the same; raises AssertionError where they differ."""
    assert ours.calls == theirs.calls, f"{what}: {ours.calls} called, by hand {theirs.calls}"
    assert ours.status == theirs.status, f"{what}: {ours.status}, by hand {theirs.status}"
    assert ours.seconds == theirs.seconds, f"{what}: {ours.seconds} s, by hand {theirs.seconds} s"


def _number(what: str, ours: float, theirs: float, most: float, unit: str = "") -> Number:
    return Number(what, ours, unit, PEER, theirs, most, is_counted=True)
