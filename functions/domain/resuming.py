"""What a resume does with each step of a run: pure, from what is stored to what is to happen.

A result that is stored counts if the step is still the same and nothing before it is carried out
anew. Two kinds of ways lead from a step to those behind it. What was changed, failed, undone or
forced takes everything behind it along: a result was made on the ground of another one. What is
merely repeated (approvals, what nothing is stored of, a failure that was tolerated) takes nothing
along by the order of steps; what reads it is looked at again when it is called, and stays where
its inputs came out the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from functions.domain.keys import StepPlace
from functions.domain.stored import AGAIN, FAILED, UNDONE, StoredResult
from protocol.manifest import RuleManifest, StepManifest, WorkflowManifest
from protocol.payloads import Json, Resumed

BAD = frozenset({"failed", "timed_out", "rejected", "cancelled"})
NOT_RUN = frozenset({"skipped", "pending"})


@dataclass(frozen=True, slots=True)
class Wishes:
    """What whoever resumes a run says of its steps, by their addresses.

    An address is a step's id, an item's behind a slash, and what is inside a sub-workflow behind
    a dot: `build`, `deploy/2`, `build.compile`. `start` begins at steps whatever is stored,
    `redo` forgets what is in doubt, `done` tells outputs of what somebody did by hand.
    """

    start: frozenset[str] = frozenset()
    redo: frozenset[str] = frozenset()
    done: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)

    def inside(self, address: str) -> Wishes:
        """Return what is said of the steps inside a sub-workflow."""
        head = f"{address}."
        return Wishes(
            frozenset(one[len(head) :] for one in self.start if one.startswith(head)),
            frozenset(one[len(head) :] for one in self.redo if one.startswith(head)),
            {one[len(head) :]: given for one, given in self.done.items() if one.startswith(head)},
        )

    def addresses(self) -> set[str]:
        """Return all that is named."""
        return {*self.start, *self.redo, *self.done}


@dataclass(frozen=True, slots=True)
class Child:
    """A run that a step's sub-workflow was: where it stands, and what is known of it."""

    place: StepPlace
    known: Known


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a run. `old` is the version its last attempt was of, `new` the present one.

    `statuses` are those of its last record, `tolerated` the steps whose bad end stopped nothing;
    empty where there is none. `renewed` is what its last attempt was given as such
    (`protocol.payloads.Resumed`), `attempt` the one that is to begin, at `now`.
    """

    run_id: str
    attempt: int
    now: datetime
    old: WorkflowManifest
    new: WorkflowManifest
    rows: Sequence[StoredResult]
    statuses: Mapping[str, str] = field(default_factory=dict)
    tolerated: frozenset[str] = frozenset()
    renewed: Mapping[str, int] = field(default_factory=dict)
    children: Sequence[Child] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A step by its address, and why it is listed."""

    step: str
    why: str


@dataclass(frozen=True, slots=True)
class Recheck:
    """A result that stays if its call comes out the same and `steps` have not run again."""

    run_id: str
    result: StoredResult
    steps: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ByHand:
    """A result that a person tells of, in the place of what was stored (`before`)."""

    run_id: str
    path: str
    outputs: Mapping[str, Json]
    before: StoredResult | None


@dataclass(slots=True)
class Resumption:
    """What a resume does. Each step is in one of the first five lists, by its address.

    `again` ran before and runs again, or is new; `perhaps` does so if what it reads came out
    otherwise, or its condition holds; `following` has not run yet. The rest is what has to be
    written before the run goes on.
    """

    again: list[Entry] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    perhaps: list[Entry] = field(default_factory=list)
    following: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    refused: list[Entry] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # addresses of wishes that name no step
    let_go: list[tuple[str, StoredResult]] = field(default_factory=list)
    recheck: list[Recheck] = field(default_factory=list)
    by_hand: list[ByHand] = field(default_factory=list)
    resumed: dict[str, Resumed] = field(default_factory=dict)
    takes_along: bool = False  # something in it runs again for more than being repeated each time

    def settle(self) -> None:
        """Name each step once: each try of a called workflow is a run, with the same steps."""
        self.again, self.perhaps, self.refused = (
            list(dict.fromkeys(one)) for one in (self.again, self.perhaps, self.refused)
        )
        named = {one.step for one in (*self.again, *self.perhaps)}
        self.following = [one for one in dict.fromkeys(self.following) if one not in named]
        others = named.union(self.following)
        self.kept = [one for one in dict.fromkeys(self.kept) if one not in others]

    def take_in(self, address: str, made: Resumption) -> None:
        """Add what becomes of the steps inside a sub-workflow, under their addresses."""
        for mine, entries in (
            (self.again, made.again),
            (self.perhaps, made.perhaps),
            (self.refused, made.refused),
        ):
            mine += [Entry(f"{address}.{one.step}", one.why) for one in entries]
        for names, inside in (
            (self.kept, made.kept),
            (self.following, made.following),
            (self.removed, made.removed),
            (self.unknown, made.unknown),
        ):
            names += [f"{address}.{one}" for one in inside]
        self.let_go += made.let_go
        self.recheck += made.recheck
        self.by_hand += made.by_hand
        self.resumed |= made.resumed


class Shape:
    """The steps of a version and how they hang together; parallel steps stand for their children.

    Only leaves are carried out: a dependency on a parallel step is one on all in it, and what it
    comes after its children come after.
    """

    def __init__(self, manifest: WorkflowManifest) -> None:
        self.steps: dict[str, StepManifest] = {step["id"]: step for step in manifest["steps"]}
        self.rules: Mapping[str, RuleManifest] = manifest["rules"]
        self._blocks = manifest["blocks"]
        self._inside: dict[str, list[str]] = {}
        for child, block in self._blocks.items():
            self._inside.setdefault(block, []).append(child)

    @property
    def leaves(self) -> list[str]:
        """The steps that are carried out, in file order."""
        return [name for name in self.steps if self.steps[name]["kind"] != "parallel"]

    def after(self, step: str) -> list[str]:
        """Return the leaves that a step comes directly after."""
        found: dict[str, None] = {}
        here: str | None = step
        while here is not None:
            for one in self.rules[here]["depends_on"]:
                found.update(dict.fromkeys(self._leaves_of(one)))
            here = self._blocks.get(here)
        return list(found)

    def reads(self, step: str) -> list[str]:
        """Return the leaves whose results a step's call holds."""
        about = self.steps[step].get("resume")
        named = [] if about is None else about["reads"]
        return [leaf for one in named for leaf in self._leaves_of(one) if leaf != step]

    def _leaves_of(self, step: str) -> Iterator[str]:
        if step not in self.steps:
            return
        if self.steps[step]["kind"] != "parallel":
            yield step
        for child in self._inside.get(step, ()):
            yield from self._leaves_of(child)

    def in_order(self) -> list[str]:
        """Return the leaves so that each comes after all that it comes after or reads."""
        ordered: dict[str, None] = {}
        stack = self.leaves[::-1]
        while stack:
            step = stack[-1]
            waiting = [o for o in (*self.after(step), *self.reads(step)) if o not in ordered]
            if waiting and step not in ordered:
                stack += waiting
                continue
            ordered[stack.pop()] = None
        return list(ordered)

    def tolerates(self, step: str, status: str) -> bool:
        """Return whether a step's bad end stopped nothing.

        A decision against that the author lets pass decides about its dependents all the same.
        """
        rule = self.rules[step]
        return not rule["manual"] and status in rule["continues"]


def is_of(address: str, step: str) -> bool:
    """Whether an address is that of a step, or of an item of it: of nothing inside it."""
    return "." not in address and address.partition("/")[0] == step


def address_of(child: Child) -> str:
    """Return the address of the step, or item, that a child is of."""
    return "/".join([child.place.step, *map(str, child.place.items)])


def in_words(status: str) -> str:
    """Return a bad status as it stands behind "it"."""
    said = {"timed_out": "timed out", "cancelled": "was cancelled", "rejected": "was rejected"}
    return said.get(status, status)


def why_of(row: StoredResult) -> str:
    """Return why a result does not count."""
    if row.status == UNDONE:
        return "it was undone"
    if row.status == AGAIN:
        return "an earlier resume did not come to it"
    if row.status == FAILED:
        return "it timed out" if row.is_late else "it failed"
    return "it is in doubt, and may be repeated"


def doubt_about(row: StoredResult, address: str, known: Known) -> str:
    """Return what is not known of a step that may have had its effect."""
    if row.status == UNDONE:
        return f"'{address}' was to be undone, and whether it is, is unknown"
    if row.lease is not None and row.lease > known.now:
        until = row.lease.isoformat(timespec="seconds")
        return f"an attempt at '{address}' may be at work until {until}"
    return f"'{address}' may have had its effect, and did not report"
