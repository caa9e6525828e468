"""Resume a run that is over: the same run again, in which what has a result that counts stays.

The plan is worked out beforehand, and what it says is written into the stored results before the
next attempt begins: the steps that it names run again, and no others. One resume of a run wins:
who takes the next attempt in the run's item, by one conditional write. Whoever dies on the way
leaves an attempt without an execution, which another call takes over: all that is written here
may be written twice, and the attempt's input, once kept, is the one that is started.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any, cast

from functions.domain.events import canonical
from functions.domain.inputs import checked
from functions.domain.keys import StepPlace, child_id
from functions.domain.records.item import CLOSED, RunItem, next_attempt
from functions.domain.records.said import stamp
from functions.domain.records.shape import StepRecord
from functions.domain.resuming import Child, Entry, Known, Resumption, Wishes
from functions.domain.resumption import resumption
from functions.ports import Clock, Machines, Manifests, StoredResults
from functions.record_ports import Runs
from functions.usecases.start_run import MOST_BYTES, Start, Starter, reference_of, start_run
from protocol.manifest import StepManifest, WorkflowManifest
from protocol.payloads import Envelope, Json

LEASE = timedelta(minutes=2)
"""For whoever has taken an attempt to start it; then another call may."""
_MOST_CHILDREN = 100_000
"""Ids of children that are tried for one step, whose counters and lists say how many may be."""
_SUCCEEDED = "succeeded"


@dataclass(frozen=True, slots=True)
class Resumer:
    """What runs are resumed with."""

    clock: Clock
    runs: Runs
    results: StoredResults
    manifests: Manifests
    machines: Machines


@dataclass(frozen=True, slots=True)
class Resumed:
    """A resume as it is told of: which attempt it is, or would be, and what becomes of steps."""

    run_id: str
    run_attempt: int
    plan: Resumption

    def told(self) -> dict[str, Json]:
        """Return it as JSON."""
        plan = self.plan
        return {
            "run_id": self.run_id,
            "run_attempt": self.run_attempt,
            "again": _entries(plan.again),
            "perhaps": _entries(plan.perhaps),
            "kept": [*plan.kept],
            "following": [*plan.following],
            "removed": [*plan.removed],
            "refused": _entries(plan.refused),
        }


class NotResumed(Exception):
    """The run cannot be resumed; `plan` is there where steps are what is in the way."""

    def __init__(self, why: str, plan: Resumed | None = None) -> None:
        super().__init__(why)
        self.plan = plan


class UnknownRun(Exception):
    """There is no such run."""


class Unknown(Exception):
    """Some wishes name steps that the workflow does not have."""

    def __init__(self, addresses: Sequence[str], steps: Sequence[str]) -> None:
        named = ", ".join(f"'{one}'" for one in addresses)
        super().__init__(f"there is no step {named}; there are: {', '.join(steps)}")
        self.addresses = tuple(addresses)


@dataclass(frozen=True, slots=True)
class _Ground:
    """What a resume starts from: the run, its next attempt, both versions, and the last input.

    `last` is the attempt that this input is of: the last one that began.
    """

    item: RunItem
    attempt: int
    last: int
    old: WorkflowManifest
    new: WorkflowManifest
    given: Mapping[str, Json]
    is_taken: bool = False
    inputs: Mapping[str, Json] = field(default_factory=dict)


def plan_resume(run_id: str, wishes: Wishes, resumer: Resumer) -> Resumed:
    """Return what a resume would do; nothing is changed.

    Raises UnknownRun, NotResumed (it is not over, or of no version that is known) and Unknown.
    """
    return _planned(_ground(run_id, resumer), wishes, resumer)


def resume(run_id: str, wishes: Wishes, by: str, resumer: Resumer) -> Resumed:
    """Resume a run and return what becomes of its steps.

    Raises UnknownRun, Unknown, and NotResumed: it is not over, steps are in the way, or another
    resume was first.
    """
    ground = _ground(run_id, resumer)
    planned = _planned(ground, wishes, resumer)
    if planned.plan.refused:
        raise NotResumed("some steps are in the way", planned)
    if _goes_nowhere(ground, planned.plan):
        raise NotResumed("it succeeded: say where it is to start again (--from)", planned)
    given = _input(ground, planned)
    _take(ground, resumer)
    _write(planned, by, resumer)
    _start(ground, given, resumer)
    return planned


def _ground(run_id: str, resumer: Resumer) -> _Ground:
    item = resumer.runs.get(run_id)
    if item is None:
        raise UnknownRun(run_id)
    if item.parent is not None:
        raise NotResumed(f"another run called it: resume {item.root or item.parent}")
    before, is_taken = item.attempt, False
    if not item.is_over:
        if not _is_left(item, resumer.clock.now()):
            raise NotResumed("it is not over")
        before, is_taken = item.attempt - 1, True
    elif item.phase < CLOSED:
        raise NotResumed("what follows its end (undos, handlers) is not over")
    last, given = _last_input(run_id, before, resumer.runs)
    run = given.get("run") if given is not None else None
    digest = run.get("manifest") if isinstance(run, dict) else None
    old = resumer.manifests.by_digest(digest) if isinstance(digest, str) else None
    new = _present(item, resumer.manifests)
    if given is None or old is None:
        raise NotResumed("nobody knows any more which version of its workflow it was of")
    if new is None:
        raise NotResumed(f"there is no workflow '{item.workflow_id}' any more")
    inputs = checked(new["inputs"], cast("Mapping[str, Json]", given.get("inputs") or {}))
    if inputs.problems:
        found = "; ".join(f"{one['pointer']}: {one['detail']}" for one in inputs.problems)
        raise NotResumed(
            f"the workflow asks for other inputs now, and a run keeps its own: {found}"
        )
    return _Ground(item, before + 1, last, old, new, given, is_taken, inputs.values)


def _last_input(run_id: str, before: int, runs: Runs) -> tuple[int, Mapping[str, Json] | None]:
    """Return the last attempt that began and its input.

    One that somebody took, and that came to nothing before its input was kept, never began.
    """
    for attempt in range(before, 0, -1):
        given = runs.given(run_id, attempt)
        if given is not None:
            return attempt, given
    return before, None


def _is_left(item: RunItem, now: datetime) -> bool:
    """Whether somebody took an attempt and did not start it."""
    if item.execution or item.attempt == 1 or not item.began_at:
        return False
    return now > datetime.fromisoformat(item.began_at) + LEASE


def _present(item: RunItem, manifests: Manifests) -> WorkflowManifest | None:
    """Return the version of a run's workflow that is deployed now."""
    same = None
    if item.workflow_version:
        same = manifests.current(f"{item.workflow_id}@{item.workflow_version}")
    return same or manifests.current(item.workflow_id)


def _planned(ground: _Ground, wishes: Wishes, resumer: Resumer) -> Resumed:
    known = _Reading(resumer, ground.attempt).run(ground)
    plan = resumption(known, wishes)
    if plan.unknown:
        steps = [step["id"] for step in ground.new["steps"]]
        raise Unknown(plan.unknown, steps)
    return Resumed(ground.item.run_id, ground.attempt, plan)


def _goes_nowhere(ground: _Ground, plan: Resumption) -> bool:
    is_good = ground.item.status == _SUCCEEDED and not ground.is_taken
    return is_good and not (plan.takes_along or plan.by_hand)


class _Reading:
    """Reads what is known of a run and of the runs it called."""

    def __init__(self, resumer: Resumer, attempt: int) -> None:
        self._resumer = resumer
        self._attempt = attempt
        self._now = resumer.clock.now()

    def run(self, ground: _Ground) -> Known:
        resumed = ground.given.get("resume")
        told = resumed if isinstance(resumed, dict) else {}
        return self._known(ground.item.run_id, ground.last, ground.old, ground.new, told)

    def _known(
        self,
        run_id: str,
        last: int,
        old: WorkflowManifest,
        new: WorkflowManifest,
        resumed: Mapping[str, Json],
    ) -> Known:
        kept = self._resumer.runs.kept(run_id, last)
        steps = [] if kept is None else kept.record["steps"]
        own = resumed.get(run_id)
        renewed = own.get("renewed") if isinstance(own, dict) else None
        known = Known(
            run_id,
            self._attempt,
            self._now,
            old,
            new,
            self._resumer.results.of_run(run_id),
            {step["step_id"]: _status(step) for step in steps},
            frozenset(step["step_id"] for step in steps if step.get("tolerated")),
            cast("Mapping[str, int]", renewed if isinstance(renewed, dict) else {}),
        )
        return replace(known, children=self._children(known, resumed))

    def _children(self, known: Known, resumed: Mapping[str, Json]) -> list[Child]:
        found: list[Child] = []
        old = {step["id"]: step for step in known.old["steps"] if step["kind"] == "subworkflow"}
        if not old:
            return found
        called = [one for one in self._resumer.runs.known(known.run_id) if one.role == "child"]
        for step in known.new["steps"]:
            before = old.get(step["id"])
            if before is None or step["kind"] != "subworkflow":
                continue
            ids = {
                one.run_id: one.attempt
                for one in sorted(called, key=lambda one: one.attempt)
                if one.step in (None, step["id"])
            }
            places = _places(known, before, ids)
            if not places:
                continue
            was, now = self._was(known.old, before), self._now_is(known.new, step)
            for place, run_id in places:
                child = self._known(run_id, ids[run_id], was, now, resumed)
                found.append(Child(place, child))
        return found

    def _was(self, manifest: WorkflowManifest, step: StepManifest) -> WorkflowManifest:
        """Return the version that a step called; raises NotResumed where nobody knows it."""
        digest = manifest["children"].get(step.get("action", ""))
        found = None if digest is None else self._resumer.manifests.by_digest(digest)
        if found is None:
            raise NotResumed(f"nobody knows any more which version '{step['id']}' called")
        return found

    def _now_is(self, manifest: WorkflowManifest, step: StepManifest) -> WorkflowManifest:
        reference = step.get("action", "")
        present = self._resumer.manifests.current(reference)
        if present is not None and present["digest"] == manifest["children"].get(reference):
            return present
        return self._was(manifest, step)


def _status(step: StepRecord) -> str:
    """Return a step's status; of a run that was stopped, the steps it did not come to are too."""
    is_stopped = step["status"] == "cancelled"
    return "pending" if is_stopped and not step.get("started_at") else step["status"]


def _places(
    known: Known, step: StepManifest, ids: Mapping[str, int]
) -> list[tuple[StepPlace, str]]:
    """Return where the children of a step stand, and the ids of those that have run."""
    about = step.get("resume")
    loops = {} if about is None else about.get("loops", {})
    ranges = [range(most) for most in ([] if about is None else about.get("each", []))]
    counters = [range(1, most + 1) for most in loops.values()]
    renewed = known.renewed.get(step["id"])
    found: dict[str, StepPlace] = {}
    for number, chosen in enumerate(product(*ranges, *counters)):
        if number >= _MOST_CHILDREN or len(found) == len(ids):
            break
        items, counted = chosen[: len(ranges)], chosen[len(ranges) :]
        place = StepPlace(step["id"], tuple(items))
        run_id = child_id(known.run_id, place, dict(zip(loops, counted, strict=True)), renewed)
        if run_id in ids:
            found[run_id] = place
    return [(place, run_id) for run_id, place in found.items()]


def _take(ground: _Ground, resumer: Resumer) -> None:
    """Take the next attempt of a run; raises NotResumed where another was first."""
    at = stamp(resumer.clock.now())
    reference = reference_of(ground.new, resumer.manifests)
    taken: list[bool] = []

    def wish(item: RunItem | None) -> RunItem | None:
        taken.clear()
        if item is None:
            return None
        if ground.is_taken:
            is_same = item.attempt == ground.attempt and item.began_at == ground.item.began_at
            taken.append(is_same and not item.execution)
            return replace(item, began_at=at, reference=reference) if taken[0] else None
        taken.append(item.attempt == ground.attempt - 1 and item.is_over)
        # With its machine: whoever finds that it was not started has to know which.
        begins = replace(item, reference=reference)
        return next_attempt(begins, ground.attempt, at) if taken[0] else None

    resumer.runs.change(ground.item.run_id, wish)
    if not (taken and taken[0]):
        raise NotResumed("another resume was first")


def _write(planned: Resumed, by: str, resumer: Resumer) -> None:
    """Write what the plan says into the stored results; what has changed meanwhile stays."""
    plan, results = planned.plan, resumer.results
    for run_id, result in plan.let_go:
        results.let_go(run_id, result)
    for one in plan.recheck:
        results.recheck(one.run_id, one.result, one.steps)
    now = stamp(resumer.clock.now())
    for told in plan.by_hand:
        envelope: Envelope = {
            "step": told.path.partition("/")[0],
            "status": "succeeded",
            "attempt": 1 if told.before is None else told.before.attempt,
            "started_at": now,
            "timestamp": now,
            "outputs": dict(told.outputs),
            "by": by,
        }
        before = None if told.before is None else told.before.claim
        results.record_done(told.run_id, told.path, planned.run_attempt, envelope, before)


def _input(ground: _Ground, planned: Resumed) -> dict[str, Any]:
    """Return the input of the next attempt; raises NotResumed where it is too large."""
    run = dict(cast("Mapping[str, Json]", ground.given["run"]))
    run |= {
        "attempt": ground.attempt,
        "manifest": ground.new["digest"],
        "started_at": ground.item.started_at,
    }
    given: dict[str, Any] = {**ground.given, "inputs": dict(ground.inputs), "run": run}
    given.pop("resume", None)
    if planned.plan.resumed:
        given["resume"] = planned.plan.resumed
    if len(canonical(given).encode()) > MOST_BYTES:
        raise NotResumed("what it keeps is too much for the input of one execution", planned)
    return given


def _start(ground: _Ground, given: Mapping[str, Any], resumer: Resumer) -> None:
    run_id, attempt = ground.item.run_id, ground.attempt
    resumer.runs.give(run_id, attempt, given)
    # Another call may have got here before: what is kept is what is started.
    kept = resumer.runs.given(run_id, attempt) or given
    start = Start(ground.new, f"{run_id}-{attempt}", canonical(kept))
    start_run(start, Starter(resumer.manifests, resumer.machines))


def _entries(entries: Sequence[Entry]) -> list[Json]:
    return [{"step_id": one.step, "why": one.why} for one in entries]
