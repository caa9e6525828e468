"""A call that ends anywhere: the effect is counted once, or in doubt and said so; never twice.

The process is killed before and after everything it does, and so is each of its calls made to
fail. What comes then is what a machine with `retry` does, and a resume long after.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from functions.adapters.results import DynamoResults
from functions.domain import errors
from functions.domain.action import Action
from functions.usecases.carry_out import Surroundings, carry_out
from local.workflow import SETTINGS
from protocol.names import NEVER_RETRIED

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
A_DAY = timedelta(days=1)


class Killed(BaseException):
    """The process is gone: nothing after this happens in it."""


class Clock:
    def __init__(self):
        self.moment = NOON

    def now(self):
        return self.moment

    def sleep(self, seconds):
        self.moment += timedelta(seconds=seconds)


class Points:
    """Counts what a process does, before and after each; at one of them something happens."""

    def __init__(self, at: int | None, fault: type[BaseException]):
        self.at, self.fault = at, fault
        self.passed = 0
        self.names: list[str] = []
        self.is_dead = False

    def pass_one(self, name: str) -> None:
        if self.is_dead:
            raise Killed
        self.passed += 1
        self.names.append(name)
        if self.passed - 1 == self.at:
            self.is_dead = self.fault is Killed
            raise self.fault(f"at {name}")

    def around(self, owner: Any) -> Any:
        return _Watched(owner, self)


class _Watched:
    def __init__(self, owner: Any, points: Points):
        self._owner, self._points = owner, points

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._owner, name)
        label = f"{type(self._owner).__name__}.{name}"

        def call(*arguments: Any, **keywords: Any) -> Any:
            self._points.pass_one(f"before {label}")
            result = method(*arguments, **keywords)
            self._points.pass_one(f"after {label}")
            return result

        return call


class Payments:
    """A service outside; what it was asked to do, by key."""

    def __init__(self):
        self.asked: list[str] = []

    def pay(self, key):
        self.asked.append(key)


class Blobs:
    def put(self, _place, name, _value):
        return {"bucket": "b", "key": name, "bytes": 1}


class Files:
    def store(self, _place, _workspace, _paths):
        pass

    def lay(self, _run, _step, _workspace):
        pass


class Sources:
    def lay(self, _run, workspace: Path, _wanted):
        (workspace / "receipt").touch()


class Secrets:
    def get(self, _name):
        return "hunter2"


class Values(BaseModel):
    model_config = ConfigDict(extra="allow")


class World:
    """Everything that outlives a process."""

    def __init__(self, dynamodb, run: str, *, repeatable: bool):
        self.results = DynamoResults(dynamodb, SETTINGS.results_table)
        self.payments, self.clock = Payments(), Clock()
        self.run, self.repeatable = run, repeatable
        self.attempt = 0

    def call(self, points: Points) -> Any:
        """Call the function in a process of its own."""
        self.attempt += 1
        payments = points.around(self.payments)

        def pay(_inputs, context):
            payments.pay(context.key)
            return Values(id="p-1", receipt="x" * 99)

        action = Action("pay", Values, Values, pay, repeatable=self.repeatable, reads_files=True)
        around = Surroundings(
            clock=self.clock,
            results=points.around(self.results),
            blobs=points.around(Blobs()),
            files=points.around(Files()),
            sources=points.around(Sources()),
            secrets=points.around(Secrets()),
            evaluate=lambda _portable, _values: None,
            inherited={},
        )
        request: Any = {
            "run": {"id": self.run, "attempt": 1, "started_at": "t", "workflow": "w",
                    "version": "1", "contract": 1},
            "step": "pay", "attempt": self.attempt, "inputs": {}, "env": {"TOKEN": None},
            "secrets": {"/env/TOKEN": "TOKEN"}, "files": ["before"], "artifacts": ["receipt"],
            "limit": 80, "timeout": 60,
        }  # fmt: skip
        return carry_out(request, action, around)

    def settle(self) -> Any:
        """Do what a machine with a retry for every error does, then a resume after a day."""
        last: errors.StepError | None = None
        for _ in range(3):
            try:
                return self.call(Points(None, Killed))
            except errors.StepError as error:
                last = error
                if type(error).__name__ in NEVER_RETRIED:
                    break
            self.clock.sleep(30)
        self.clock.moment += A_DAY
        try:
            return self.call(Points(None, Killed))
        except errors.StepInDoubt as error:
            return error
        except errors.StepError:
            return last


def points_of(dynamodb, fault: type[BaseException], *, repeatable: bool) -> list[str]:
    points = Points(None, fault)
    World(dynamodb, f"plain-{fault.__name__}-{repeatable}", repeatable=repeatable).call(points)
    return points.names


def all_points(dynamodb, fault: type[BaseException], *, repeatable: bool):
    """Yield what is left after a first call in which something happened at each point."""
    names = points_of(dynamodb, fault, repeatable=repeatable)
    assert len(names) == 16  # claim, secret, source, files, effect, store, blob, finish
    for at, name in enumerate(names):
        world = World(dynamodb, f"{fault.__name__}-{repeatable}-{at}", repeatable=repeatable)
        with pytest.raises((Killed, errors.StepError)):
            world.call(Points(at, fault))
        yield name, world


def test_a_process_killed_anywhere_pays_once_or_leaves_the_step_in_doubt(dynamodb):
    ends = {}
    for name, world in all_points(dynamodb, Killed, repeatable=False):
        end = world.settle()
        paid = len(world.payments.asked)
        assert paid <= 1, name
        ends[name] = "in doubt" if isinstance(end, errors.StepInDoubt) else f"paid {paid}"
    finished = {"before DynamoResults.claim", "after DynamoResults.finish"}
    assert {name for name, end in ends.items() if end == "paid 1"} == finished
    assert {end for name, end in ends.items() if name not in finished} == {"in doubt"}


def test_while_the_lease_holds_nobody_is_told_more_than_that(dynamodb):
    for name, world in all_points(dynamodb, Killed, repeatable=True):
        if name in ("before DynamoResults.claim", "after DynamoResults.finish"):
            continue
        with pytest.raises(errors.StepInProgress):
            world.call(Points(None, Killed))


def test_a_repeatable_action_is_carried_out_again_under_the_same_key(dynamodb):
    for name, world in all_points(dynamodb, Killed, repeatable=True):
        assert world.settle()["status"] == "succeeded", name
        assert set(world.payments.asked) == {f"{world.run}/pay"}


@pytest.mark.parametrize(
    "fault", [ConnectionResetError, ConnectionRefusedError, TimeoutError, KeyError]
)
def test_a_call_that_fails_anywhere_pays_once_or_leaves_the_step_in_doubt(dynamodb, fault):
    """`after` is an answer that was lost: the effect is there, and looks as if it was not.

    An error of the action's own, as KeyError, is its report that it failed: left out here.
    """
    for name, world in all_points(dynamodb, fault, repeatable=False):
        if "Payments" in name and fault in (KeyError, ConnectionRefusedError):
            continue
        end = world.settle()
        paid = len(world.payments.asked)
        assert paid <= 1, name
        assert paid == 1 or isinstance(end, errors.StepInDoubt), name
