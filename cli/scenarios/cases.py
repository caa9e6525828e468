"""Scenarios: cases of a workflow, each with what happens and what has to come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from compiler.document.nodes import Json
from compiler.source import Source, Span

if TYPE_CHECKING:
    from local.people import Said
    from local.record import RunRecord
    from local.stubs import Stub
    from protocol.payloads import MachineInput

SUFFIXES = (".test.yaml", ".test.yml")

Aspect: TypeAlias = Literal[
    "status", "reason", "attempt", "tolerated", "in_doubt", "outputs", "error", "notifications",
    "at_most", "at_least",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """One thing that has to come of a run, and where the file says so.

    It is about a step, or, with None, about the run. `names` lead into outputs or an error.
    Times are seconds.
    """

    aspect: Aspect
    value: Json
    span: Span
    step: str | None = None
    names: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """Return what it is about, as the file would say it: `steps.build.status`."""
        above = () if self.step is None else ("steps", self.step)
        takes = ("takes",) if self.aspect in ("at_most", "at_least") else ()
        return ".".join((*above, *takes, self.aspect, *self.names))


@dataclass(frozen=True, slots=True)
class Case:
    """One case: what a run is given, what its steps come to, what people decide, what is expected.

    `given` is the machine's input without `run`. `span` is that of the case's name.
    """

    name: str
    span: Span
    given: MachineInput
    stubs: Mapping[str, Stub] = field(default_factory=dict)
    decisions: Mapping[str, tuple[Said, ...]] = field(default_factory=dict)
    expect: tuple[Expected, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario file that was read: its cases, in their order, and the workflow's file."""

    path: Path
    source: Source
    workflow: Path
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as expected; `got` is what is there, `hint` why it may be so."""

    expected: Expected
    got: Json
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """A case that was played: the run's record, what differs, and what was noticed meanwhile."""

    case: Case
    record: RunRecord
    differences: tuple[Difference, ...]
    remarks: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether all is as the case expects."""
        return not self.differences

    @property
    def takes(self) -> float:
        """How long the run took, in seconds of the workflow's time."""
        return seconds_of(self.record)


def seconds_of(record: RunRecord) -> float:
    """Return how long a run took, in seconds of the workflow's time."""
    began, ended = record["started_at"], record["completed_at"]
    assert ended is not None  # a run that was played is over
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


def is_scenario(path: Path) -> bool:
    """Whether a file is one that holds scenarios, by its name."""
    return path.name.endswith(SUFFIXES)
