"""Keys of steps and latches, the same for every retry and resume of a call."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from protocol.payloads import ActionCall, Run

_PREFIX, _DIGITS = 40, 32


@dataclass(frozen=True, slots=True)
class StepPlace:
    """A step's place in its run; `round` is that of a `repeat`, 0 without one."""

    step: str
    items: tuple[int, ...] = ()
    round: int = 0


def step_path(call: ActionCall) -> str:
    """Return the step's place in its run: `step[/item...][/r<n>]`."""
    parts = [call["step"], *map(str, call.get("items", ()))]
    if call.get("iteration") is not None:
        parts.append(f"r{call['iteration']}")
    return "/".join(parts)


def place_of(path: str) -> StepPlace:
    """Return the place that a path stands for."""
    step, *parts = path.split("/")
    rounds = [part for part in parts if part.startswith("r")]
    items = tuple(int(part) for part in parts if part.isdigit())
    return StepPlace(step, items, int(rounds[0][1:]) if rounds else 0)


def child_id(
    run: str, place: StepPlace, loops: Mapping[str, int], renewed: int | None = None
) -> str:
    """Return the id of the run that a step's sub-workflow is, as machines spell it.

    `loops` are the counters around the step by their letters: `a` attempts, `n` rounds, `p`
    tries that a person asked for. `renewed` is the attempt of the run that let it begin anew.
    See `compiler.asl.children.child_id`.
    """
    parts: Iterable[str] = (
        run,
        place.step,
        *map(str, place.items),
        *(f"{letter}{loops[letter]}" for letter in "anp" if letter in loops),
    )
    path = "/".join(parts) + (f"/v{renewed}" if renewed else "")
    return f"{run[:_PREFIX]}-{hashlib.sha256(path.encode()).hexdigest()[:_DIGITS]}"


def latch_key(run: Run, scope: str, consumer: str) -> str:
    """Return the key of the item that brings a consumer and its producers together.

    The run's attempt is a part of it: a resume starts with no signal given.
    """
    return f"{run['id']}/{run['attempt']}/{scope}/{consumer}"
