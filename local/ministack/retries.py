"""Which retrier or catcher takes an error, and when the next attempt is due.

https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from local.ministack.scopes import Failure

_NOT_ALL = ("States.Runtime",)
_NOT_TASK_FAILED = ("States.Timeout", "States.QueryEvaluationError", "States.Runtime")


def matches(names: Sequence[str], error: str | None) -> bool:
    """Return whether `ErrorEquals` takes an error."""
    if error is None or error not in _NOT_ALL:
        if "States.ALL" in names:
            return True
        if "States.TaskFailed" in names and error not in _NOT_TASK_FAILED:
            return True
    return error in names


def catcher(state: Mapping[str, Any], failure: Failure) -> Mapping[str, Any] | None:
    """Return the catcher that takes a failure; None where none does."""
    for one in state.get("Catch", []):
        if matches(one["ErrorEquals"], failure.error):
            found: Mapping[str, Any] = one
            return found
    return None


@dataclass(slots=True)
class Retries:
    """The retriers of one visit of a state; each counts for itself."""

    retriers: Sequence[Mapping[str, Any]]
    made: dict[int, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Return how many retries there were."""
        return sum(self.made.values())

    def delay(self, failure: Failure) -> float | None:
        """Return the seconds until the next attempt; None where there is none.

        The first retrier that matches decides, also where its attempts are used up.
        """
        for at, one in enumerate(self.retriers):
            if not matches(one["ErrorEquals"], failure.error):
                continue
            before = self.made.get(at, 0)
            if before >= one.get("MaxAttempts", 3):
                return None
            self.made[at] = before + 1
            seconds = one.get("IntervalSeconds", 1) * one.get("BackoffRate", 2.0) ** before
            seconds = min(seconds, one.get("MaxDelaySeconds", seconds))
            if one.get("JitterStrategy") == "FULL":
                seconds *= random.random()  # noqa: S311 (no secrets)
            return float(seconds)
        return None
