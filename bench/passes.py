"""Times a compilation pass by pass, in seconds of the process's own time.

That time passes only while the process computes, so what else the machine does counts little.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import process_time

import yaml

from compiler.asl import StateMachine, emit
from compiler.check import Surroundings, check
from compiler.diagnostics import Diagnostic, Diagnostics, Severity
from compiler.document import read
from compiler.pipeline import uncollected
from compiler.plan import plan
from compiler.plan.limits import check_limits, request_size
from compiler.source import Source
from compiler.spec import decode

PASSES = ("document", "spec", "check", "plan", "asl", "limits", "json")

LIMITS = {"definition-too-large", "too-many-events"}
"""The errors that a workflow to measure with may have."""


class Refused(Exception):
    """A workflow to measure with has a mistake of its own; the text says which."""


@dataclass(slots=True)
class Compiled:
    """What one compilation took and gave. `seconds` are by pass."""

    seconds: dict[str, float] = field(default_factory=dict)
    machines: tuple[StateMachine, ...] = ()
    errors: tuple[Diagnostic, ...] = ()

    @property
    def total(self) -> float:
        """The seconds of all passes."""
        return sum(self.seconds.values())

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        """Add what the block takes to a pass."""
        start = process_time()
        yield
        self.seconds[name] = process_time() - start


@uncollected()
def compiled(text: str, surroundings: Surroundings) -> Compiled:
    """Compile as `compiler.pipeline` does, except that a limit passed keeps nothing from going on.

    Raises Refused where the workflow has another error.
    """
    source = Source("bench.yaml", text)
    diagnostics = Diagnostics(source)
    made = Compiled()
    with made.timing("document"):
        document = read(source, diagnostics)[0]
    with made.timing("spec"):
        workflow = decode(document, diagnostics)
    _refuse(diagnostics)
    assert workflow is not None
    with made.timing("check"):
        program = check(workflow, document, surroundings, diagnostics)
    _refuse(diagnostics)
    assert program is not None
    with made.timing("plan"):
        planned = plan(program)
    with made.timing("asl"):
        made.machines = emit(planned)
    with made.timing("limits"):
        check_limits(planned, made.machines, diagnostics)
    _refuse(diagnostics)
    with made.timing("json"):
        for machine in made.machines:
            machine.to_json()
    made.errors = tuple(d for d in diagnostics if d.severity is Severity.ERROR)
    return made


def _refuse(diagnostics: Diagnostics) -> None:
    for found in diagnostics:
        if found.severity is Severity.ERROR and found.code not in LIMITS:
            raise Refused(f"{found.code}: {found.message}")


def loaded(text: str) -> float:
    """Return the seconds that libyaml's C loader takes for a text, with Python as it comes.

    What was made before is cleared away first: the loader is not to look after it.
    """
    gc.collect()
    start = process_time()
    yaml.load(text, Loader=yaml.CSafeLoader)
    return process_time() - start


@dataclass(frozen=True, slots=True)
class Best:
    """The best of some rounds, each of which compiles a text once and loads it once."""

    seconds: dict[str, float]  # of the round with the smallest total
    loading: float
    request: int  # bytes of the request that creates the first machine

    @property
    def total(self) -> float:
        """The seconds of all passes."""
        return sum(self.seconds.values())


def best_of(rounds: int, text: str, surroundings: Surroundings) -> Best:
    """Return the best round; compiling and loading are each taken at their best."""
    found: list[Best] = []
    for _ in range(rounds):
        loading = loaded(text)
        made = compiled(text, surroundings)
        found.append(Best(made.seconds, loading, request_size(made.machines[0].definition)))
        del made
    best = min(found, key=lambda one: one.total)
    return replace(best, loading=min(one.loading for one in found))
