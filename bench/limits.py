"""What the compiler promises of its speed and of the size of its machines."""

from __future__ import annotations

from dataclasses import dataclass

from bench.passes import Best, compiled
from bench.workflows import SURROUNDINGS, chain, name_of, plain_workflow, scattered, workflow
from compiler.plan.limits import DEFINITION_LIMIT, request_size

MOST_GROWTH = 1.5
"""Of the time for a step, from 100 to 5,000 steps."""
MOST_LOADS = 8.0
"""Of a whole compilation of 1,000 twelve-line steps, in times that libyaml needs to load them."""
MOST_BYTES = 1_050
"""Of the request that creates a machine, for each plain action step with a retry."""
FITTING = 800
"""Plain steps that fit one definition."""
MOST_SECONDS = 1.0
"""Of planning a random graph of 1,000 steps."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit and what was measured, which must not be larger; with `is_least`, not smaller."""

    name: str
    measured: float
    limit: float
    is_least: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether the figure is within the limit."""
        if self.is_least:
            return self.measured >= self.limit
        return self.measured <= self.limit

    def __str__(self) -> str:
        word = "at least" if self.is_least else "at most"
        state = "kept" if self.is_kept else "MISSED"
        return f"{state}: {self.name}: {self.measured:,.2f}, {word} {self.limit:,.2f}"


def growth(shape: str, small: float, large: float) -> Limit:
    """Return the limit of growth, from the seconds for a step of each size."""
    return Limit(
        f"growth of the time for a step, 100 to 5,000 ({shape})", large / small, MOST_GROWTH
    )


def loads(shape: str, best: Best) -> Limit:
    """Return the limit of a compilation of 1,000 steps against libyaml."""
    name = f"compiling 1,000 twelve-line steps, in loads by libyaml ({shape})"
    return Limit(name, best.total / best.loading, MOST_LOADS)


def planning(best: Best) -> Limit:
    """Return the limit of planning 1,000 random steps."""
    return Limit("seconds of planning 1,000 random steps", best.seconds["plan"], MOST_SECONDS)


def sizes() -> list[Limit]:
    """Return the limits of what plain steps take of a definition."""
    made = compiled(plain_workflow(chain(FITTING)), SURROUNDINGS)
    size = request_size(made.machines[0].definition)
    return [
        Limit(f"bytes of a request for each of {FITTING} plain steps", size / FITTING, MOST_BYTES),
        Limit(f"bytes of a request with {FITTING} plain steps", size, DEFINITION_LIMIT),
    ]


def advice(steps: int = 1_000) -> Limit:
    """Return whether a workflow above the limit is told which steps to move."""
    made = compiled(workflow(scattered(steps)), SURROUNDINGS)
    helps = [error.help or "" for error in made.errors]
    told = [text for text in helps if text.startswith("move ") and name_of(0)[:-4] in text]
    name = f"errors of a definition too large that name steps to move ({steps:,} steps)"
    return Limit(name, len(told), 1, is_least=True)
