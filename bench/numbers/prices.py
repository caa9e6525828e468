"""Prices of AWS in US dollars, us-east-1, x86_64, without free tiers and discounts.

Where arm64 is cheaper, its price is not taken: a stage may ask for either. Sources:
https://aws.amazon.com/lambda/pricing/, https://aws.amazon.com/codebuild/pricing/ and
https://aws.amazon.com/dynamodb/pricing/on-demand/; transitions as `stepsmith plan` has them. The
peer's: https://docs.github.com/en/billing/reference/actions-runner-pricing
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from compiler.plan.bounds import PRICE_PER_TRANSITION

PER_REQUEST = 0.20 / 1e6
PER_GIGABYTE_SECOND = 0.0000166667
PER_WRITE = 0.625 / 1e6
"""Of an item of 1 KB at most."""
PER_BUILD_MINUTE = 0.005
"""On general1.small with Linux; each build in whole minutes."""

PER_RUNNER_MINUTE = 0.006
"""On GitHub Actions, Linux with two cores, from 2026 on; each job in whole minutes."""

ACTION_MEGABYTES, OWN_MEGABYTES, RECORDS_MEGABYTES = 1024, 256, 512
"""As deployed (`cdk/stack.py`): actions, what latches and tasks are called at, and `records`."""


@dataclass(frozen=True, slots=True)
class Use:
    """What one run takes.

    `action_seconds` and `builds` are how long each call of an action and each build took,
    `own_calls` those of latches and tasks, `writes` what these write, `changes` what `records`
    is told of.
    """

    transitions: int
    action_seconds: tuple[float, ...]
    own_calls: int
    writes: int
    changes: int
    builds: tuple[float, ...]

    @property
    def calls(self) -> int:
        """All calls of functions, those of `records` included."""
        return len(self.action_seconds) + self.own_calls + self.changes

    @property
    def build_minutes(self) -> int:
        """The minutes that are paid for."""
        return sum(ceil(seconds / 60) for seconds in self.builds)

    @property
    def runner_minutes(self) -> int:
        """The least minutes of a runner that carries out the same steps: all are in one job."""
        return max(1, ceil((sum(self.builds) + sum(self.action_seconds)) / 60))


def dollars(use: Use, own_seconds: float) -> float:
    """Return what a run costs; a call of a function that is no action takes `own_seconds`.

    Each change costs a call of `records` and a write of what it keeps.
    """
    gigabyte_seconds = (
        sum(use.action_seconds) * ACTION_MEGABYTES
        + use.own_calls * own_seconds * OWN_MEGABYTES
        + use.changes * own_seconds * RECORDS_MEGABYTES
    ) / 1024
    return (
        use.transitions * PRICE_PER_TRANSITION
        + use.calls * PER_REQUEST
        + gigabyte_seconds * PER_GIGABYTE_SECOND
        + (use.writes + use.changes) * PER_WRITE
        + use.build_minutes * PER_BUILD_MINUTE
    )
