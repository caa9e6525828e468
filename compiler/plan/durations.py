"""How long a run may take at most: the longest way through the dependencies, every try in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.check.lengths import most_items
from compiler.check.program import (
    Action,
    AwsCall,
    Block,
    EventWait,
    Manual,
    Pause,
    Program,
    Publish,
    Script,
    Step,
    SubWorkflow,
)
from compiler.check.retries import pauses
from compiler.plan.graph import topological

GRACE = 15 * 60
"""What handlers, undos and `always()` steps get after a deadline."""

BUILD = 3600
"""What an attempt on CodeBuild may take where it says nothing."""

_LAMBDA = 900
_AWS_CALL = 300
_PUBLISH = 60
_CALLBACK = 86_400
_PAUSED = 14 * 86_400
_AT_ONCE = 40
_YEAR = 365 * 86_400


@dataclass(frozen=True, slots=True)
class Longest:
    """A bound in seconds. `open` names steps that end when something outside ends."""

    seconds: int
    open: tuple[str, ...] = ()


def longest_run(program: Program) -> Longest:
    """Return how long a run takes at most, handlers and undos included, a year at most.

    Steps in `open` (a wait until a time that is computed, a sub-workflow without a timeout) count
    with nothing: the bound is theirs, too.
    """
    open_: list[str] = []
    seconds = _way(program.steps, open_)
    if program.timeout is not None:
        seconds = program.timeout if open_ else min(seconds, program.timeout)
        open_.clear()  # the deadline ends them
    after = _way(program.handlers, open_) + sum(
        _step(step.compensate, open_)
        for step in program.by_id.values()
        if step.compensate is not None
    )
    if program.timeout is not None:
        after = min(after, GRACE)
    return Longest(min(seconds + after, _YEAR), tuple(dict.fromkeys(open_)))


def _way(steps: Sequence[Step], open_: list[str]) -> int:
    places = {step.id: at for at, step in enumerate(steps)}
    needs = [[places[name] for name in step.depends_on if name in places] for step in steps]
    ends = [0] * len(steps)
    for at in topological(needs):
        ends[at] = max((ends[need] for need in needs[at]), default=0) + _step(steps[at], open_)
    return max(ends, default=0)


def _step(step: Step, open_: list[str]) -> int:
    seconds = _once(step, open_)
    if step.retry is not None and not isinstance(step.kind, Block | Manual):
        seconds = seconds * step.retry.attempts + pauses(step.retry)
    if step.repeat is not None:
        seconds = (seconds + step.repeat.delay) * step.repeat.attempts
    if step.on_error == "pause":
        seconds += _PAUSED
    if step.for_each is not None:
        at_once = min(step.for_each.max_concurrency or _AT_ONCE, _AT_ONCE)
        seconds *= -(-most_items(step.for_each) // at_once)
        if step.for_each.deadline is not None:
            seconds = min(seconds, step.for_each.deadline)
    return min(seconds, _YEAR)


def _once(step: Step, open_: list[str]) -> int:
    limit = step.timeout
    kind = step.kind
    if isinstance(kind, Manual | EventWait):
        return kind.timeout
    if isinstance(kind, Pause) and isinstance(kind.seconds, int):
        return kind.seconds
    if isinstance(kind, Block):
        inside: list[str] = []
        seconds = _way(kind.steps, inside)
        if limit is not None:
            return limit if inside else min(seconds, limit)
        open_ += inside
        return seconds
    if isinstance(kind, SubWorkflow | Pause):
        if limit is None:
            open_.append(step.id)
        return limit or 0
    return limit or _default(kind)


def _default(kind: Action | Script | AwsCall | Publish) -> int:
    match kind:
        case Action(callback=callback):
            return _CALLBACK if callback else _of(kind)
        case Script():
            return _of(kind)
        case AwsCall():
            return _AWS_CALL
        case Publish():
            return _PUBLISH


def _of(kind: Action | Script) -> int:
    return BUILD if kind.runner == "codebuild" else _LAMBDA
