"""What a latch answers its consumer once all producers have ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from protocol.names import LATCH_SKIP, LATCH_SKIP_FAILED
from protocol.payloads import Json, Released


@dataclass(frozen=True, slots=True)
class Arrival:
    """What one producer signalled."""

    status: str
    counts: bool
    bad: tuple[str, ...]
    values: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the consumer said when it came to wait."""

    token: str
    producers: tuple[str, ...]
    guard: bool = False
    bad: tuple[str, ...] = ()
    counting: bool = False


@dataclass(frozen=True, slots=True)
class Latch:
    """The state of one latch after a call has been written to it."""

    waiting: Waiting | None = None
    arrivals: Mapping[str, Arrival] = field(default_factory=dict)

    def complete(self) -> Waiting | None:
        """Return who waits if everything has arrived, else None."""
        if self.waiting is None or not set(self.waiting.producers) <= self.arrivals.keys():
            return None
        return self.waiting


def release(waiting: Waiting, arrivals: Mapping[str, Arrival]) -> Released:
    """Return what a complete latch answers; `bad` holds the consumer's own bad steps too."""
    signals = [arrivals[producer] for producer in waiting.producers]
    values: dict[str, Json] = {}
    for signal in signals:
        values.update(signal.values)
    return {
        "bad": _distinct(waiting.bad, *(signal.bad for signal in signals)),
        "statuses": {producer: arrivals[producer].status for producer in waiting.producers},
        "values": values,
    }


def refusal(waiting: Waiting, arrivals: Mapping[str, Arrival]) -> str | None:
    """Return the error for a guarded consumer that the default guard skips, else None.

    The guard is that of `protocol.status.decide` for a step without a condition of its own.
    """
    if not waiting.guard:
        return None
    signals = [arrivals[producer] for producer in waiting.producers]
    if waiting.bad or any(signal.bad for signal in signals):
        return LATCH_SKIP_FAILED
    if not waiting.counting and not any(signal.counts for signal in signals):
        return LATCH_SKIP
    return None


def _distinct(*groups: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))
