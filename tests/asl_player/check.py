"""What AWS rejects when a machine is created, in as far as emitted machines can get it wrong.

Sources: developer guide and sfnx's measurements; codes as ValidateStateMachineDefinition
gives them where they are known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from local.admission.expressions import UNSUPPORTED, expression_faults
from local.admission.fields import field_faults
from local.admission.scopes import scope_faults, targets
from tests.asl_player.query import is_expression

SCHEMA = "SCHEMA_VALIDATION_FAILED"
DEFINITION_LIMIT = 1_048_576  # bytes

_ENDS = {"Succeed", "Fail", "Choice"}
_LITERAL = {"Type", "Resource", "Next", "Default", "End", "Comment", "QueryLanguage", "Label"}
_BASE = frozenset({"input", "context"})
_WITH_RESULT = {"Task", "Parallel", "Map"}


@dataclass(frozen=True, slots=True)
class Problem:
    """A reason to reject a definition; `where` is the state's name, or empty for the machine."""

    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.code} {self.where}: {self.message}"


def check(definition: Mapping[str, Any]) -> list[Problem]:
    """Return everything AWS would reject the definition for."""
    problems = [Problem(*fault) for fault in _machine(definition)]
    if any(each.code == SCHEMA for each in problems):
        return problems  # the rest presumes the right shape
    names = Counter(name for flow in flows(definition) for name in flow["States"])
    problems += [
        Problem("DUPLICATE_STATE_NAME", name, f"{times} states have this name")
        for name, times in names.items()
        if times > 1
    ]
    for flow in flows(definition):
        problems += [Problem(*fault) for fault in _transitions(flow)]
        for name, state in flow["States"].items():
            problems += [Problem(code, name, text) for code, text in _expressions(state)]
    problems += [Problem("DUPLICATE_VARIABLE_NAME", *fault) for fault in scope_faults(definition)]
    return problems


def flows(flow: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the machine, its branches and Map bodies, outer ones first."""
    yield flow
    for state in flow["States"].values():
        for inner in inner_flows(state):
            yield from flows(inner)


def inner_flows(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the branches of a Parallel, or the body of a Map."""
    found = list(state.get("Branches", []))
    if "ItemProcessor" in state:
        found.append(state["ItemProcessor"])
    return found


def _machine(definition: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if definition.get("QueryLanguage") != "JSONata":
        yield SCHEMA, "", "QueryLanguage must be JSONata"
    timeout = definition.get("TimeoutSeconds", 1)
    if type(timeout) is not int or not 1 <= timeout <= 99_999_999:
        yield SCHEMA, "", f"TimeoutSeconds is {timeout!r}"
    if len(json.dumps(definition, ensure_ascii=False).encode()) > DEFINITION_LIMIT:
        yield SCHEMA, "", "the definition is larger than 1 MiB"
    allowed = {"QueryLanguage", "TimeoutSeconds", "Version"}
    yield from _flow(definition, allowed, "")


def _flow(flow: Mapping[str, Any], allowed: set[str], where: str) -> Iterator[tuple[str, str, str]]:
    for key in set(flow) - allowed - {"StartAt", "States", "Comment"}:
        yield SCHEMA, where, f"unknown field {key}"
    states = flow.get("States")
    if not isinstance(states, dict) or not states or not isinstance(flow.get("StartAt"), str):
        yield SCHEMA, where, "StartAt and States are needed"
        return
    for name, state in states.items():
        if not 1 <= len(name) <= 80:
            yield SCHEMA, name, "a state name has 1 to 80 characters"
        yield from ((SCHEMA, name, text) for text in field_faults(state))
        inner = {"ProcessorConfig"} if state.get("Type") == "Map" else set()
        for each in inner_flows(state):
            yield from _flow(each, inner, name)


def _transitions(flow: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    states = flow["States"]
    wanted = [("", flow["StartAt"])]
    wanted += [(name, target) for name, state in states.items() for target in targets(state)]
    for name, target in wanted:
        if target not in states:
            yield "MISSING_TRANSITION_TARGET", name, f"there is no state {target!r} here"
    reached: set[str] = set()
    ahead = [flow["StartAt"]]
    while ahead:
        name = ahead.pop()
        if name in states and name not in reached:
            reached.add(name)
            ahead += targets(states[name])
    for name in states:
        if name not in reached:
            yield "UNREACHABLE_STATE", name, "no state leads here"


def _expressions(state: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    results = _BASE | {"result"} if state["Type"] in _WITH_RESULT else _BASE
    inner = {"Branches", "ItemProcessor", "Retry", "Catch", "Choices"}
    for key, value in state.items():
        if key in _LITERAL:
            if is_expression(value):
                yield UNSUPPORTED, f"{key} cannot be an expression"
        elif key not in inner:
            at_end = key in ("Assign", "Output")
            yield from _texts(value, key, frozenset(results if at_end else _BASE))
    for rule in state.get("Choices", []):
        yield from _texts(rule, "Choices", _BASE)
    for catcher in state.get("Catch", []):
        yield from _texts(catcher, "Catch", _BASE | {"errorOutput"})
    arguments = json.dumps(state.get("Arguments", ""))
    token = str(state.get("Resource", "")).endswith(".waitForTaskToken")
    if token and "$states.context" not in arguments:
        yield SCHEMA, "Arguments do not pass $states.context.Task.Token"


def _texts(value: Any, where: str, available: frozenset[str]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, f"{where}.{key}", available)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, where, available)
    elif is_expression(value):
        for code, message in expression_faults(value[2:-2].strip(), available):
            yield code, f"{where}: {message}"
