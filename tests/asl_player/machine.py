"""A definition compiled once, to be played many times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.asl_player.check import Problem, check
from tests.asl_player.query import Template


class Rejected(Exception):
    """A definition that AWS does not accept; `problems` says why."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Results:
    """What a state, a Choice rule or a catcher makes of the data: its Assign and its Output."""

    assign: Template | None
    output: Template | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a Choice."""

    condition: Template
    results: Results
    next: str


@dataclass(frozen=True, slots=True)
class Retrier:
    """An entry of Retry; times in seconds, the jitter left out."""

    errors: frozenset[str]
    interval: float
    attempts: int
    backoff: float
    longest: float | None

    def delay(self, made: int) -> float:
        """Return the seconds before the next attempt, after `made` retries by this retrier."""
        seconds = self.interval * self.backoff**made
        return seconds if self.longest is None else min(seconds, self.longest)


@dataclass(frozen=True, slots=True)
class Catcher:
    """An entry of Catch."""

    errors: frozenset[str]
    results: Results
    next: str


@dataclass(frozen=True, slots=True)
class Flow:
    """A StartAt with its States: the machine itself, a branch, or the body of a Map."""

    start: str
    states: Mapping[str, State]


@dataclass(frozen=True, slots=True)
class State:
    """A state; `fields` holds its other fields with expressions, compiled, by their name."""

    name: str
    type: str
    next: str | None
    results: Results
    fields: Mapping[str, Template]
    resource: str = ""
    retry: tuple[Retrier, ...] = ()
    catch: tuple[Catcher, ...] = ()
    rules: tuple[Rule, ...] = ()
    flows: tuple[Flow, ...] = ()
    distributed: bool = False
    waits_for_token: bool = field(init=False)
    has_token: bool = field(init=False)

    def __post_init__(self) -> None:
        waits = self.resource.endswith(".waitForTaskToken")
        object.__setattr__(self, "waits_for_token", waits)
        object.__setattr__(self, "has_token", waits or ".sync" in self.resource)


class Machine:
    """A compiled definition; raises `Rejected` where AWS would not create the machine."""

    def __init__(self, definition: Mapping[str, Any]) -> None:
        problems = check(definition)
        if problems:
            raise Rejected(problems)
        self.timeout: float | None = definition.get("TimeoutSeconds")
        self.flow = _flow(definition)


_EXPRESSION_FIELDS = (
    "Arguments", "Seconds", "Timestamp", "TimeoutSeconds", "HeartbeatSeconds", "Error", "Cause",
    "Items", "ItemSelector", "MaxConcurrency", "ToleratedFailureCount",
    "ToleratedFailurePercentage",
)  # fmt: skip


def _flow(source: Mapping[str, Any]) -> Flow:
    states = {name: _state(name, state) for name, state in source["States"].items()}
    return Flow(source["StartAt"], states)


def _state(name: str, source: Mapping[str, Any]) -> State:
    processor = source.get("ItemProcessor")
    flows = [processor] if processor is not None else source.get("Branches", [])
    config = (processor or {}).get("ProcessorConfig", {})
    return State(
        name=name,
        type=source["Type"],
        next=source.get("Next", source.get("Default")),
        results=_results(source),
        fields={key: Template(source[key]) for key in _EXPRESSION_FIELDS if key in source},
        resource=source.get("Resource", ""),
        retry=tuple(map(_retrier, source.get("Retry", []))),
        catch=tuple(map(_catcher, source.get("Catch", []))),
        rules=tuple(map(_rule, source.get("Choices", []))),
        flows=tuple(map(_flow, flows)),
        distributed=config.get("Mode") == "DISTRIBUTED",
    )


def _results(source: Mapping[str, Any]) -> Results:
    def compiled(key: str) -> Template | None:
        return Template(source[key]) if key in source else None

    return Results(compiled("Assign"), compiled("Output"))


def _rule(source: Mapping[str, Any]) -> Rule:
    return Rule(Template(source["Condition"]), _results(source), source["Next"])


def _catcher(source: Mapping[str, Any]) -> Catcher:
    return Catcher(frozenset(source["ErrorEquals"]), _results(source), source["Next"])


def _retrier(source: Mapping[str, Any]) -> Retrier:
    """Defaults: 1 s, 3 attempts, doubling (developer guide, error handling)."""
    return Retrier(
        errors=frozenset(source["ErrorEquals"]),
        interval=source.get("IntervalSeconds", 1),
        attempts=source.get("MaxAttempts", 3),
        backoff=source.get("BackoffRate", 2.0),
        longest=source.get("MaxDelaySeconds"),
    )
