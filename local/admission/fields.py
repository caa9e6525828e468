"""Which fields a state may have, and what their literal values may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local.parsing import is_expression

_NEXT = {"Next", "End"}
_RESULTS = {"Assign", "Output"}
_GUARDS = {"Retry", "Catch"}
_FIELDS: dict[str, set[str]] = {
    "Pass": _RESULTS | _NEXT,
    "Task": _RESULTS
    | _NEXT
    | _GUARDS
    | {"Resource", "Arguments", "TimeoutSeconds", "HeartbeatSeconds", "Credentials"},
    "Choice": _RESULTS | {"Choices", "Default"},
    "Wait": _RESULTS | _NEXT | {"Seconds", "Timestamp"},
    "Succeed": {"Output"},
    "Fail": {"Error", "Cause"},
    "Parallel": _RESULTS | _NEXT | _GUARDS | {"Branches", "Arguments"},
    "Map": _RESULTS
    | _NEXT
    | _GUARDS
    | {"Items", "ItemReader", "ItemSelector", "ItemBatcher", "ItemProcessor", "ResultWriter"}
    | {"MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage", "Label"},
}
_NEEDED = {
    "Task": {"Resource"},
    "Choice": {"Choices"},
    "Parallel": {"Branches"},
    "Map": {"ItemProcessor"},
}
_WHOLE: dict[str, tuple[int, int]] = {
    "Seconds": (0, 99_999_999),
    "TimeoutSeconds": (1, 99_999_999),
    "HeartbeatSeconds": (1, 99_999_999),
    "MaxConcurrency": (0, 2**31),
    "ToleratedFailureCount": (0, 2**31),
    "ToleratedFailurePercentage": (0, 100),
}
_RETRY: dict[str, tuple[int, int]] = {
    "IntervalSeconds": (1, 99_999_999),
    "MaxAttempts": (0, 99_999_999),
    "MaxDelaySeconds": (1, 31_622_400),
}


def field_faults(state: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a state by itself."""
    kind = state.get("Type")
    if kind not in _FIELDS:
        yield f"Type is {kind!r}"
        return
    for key in sorted(set(state) - _FIELDS[kind] - {"Type", "Comment", "QueryLanguage"}):
        yield f"a {kind} has no field {key}"
    for key in sorted(_NEEDED.get(kind, set()) - set(state)):
        yield f"a {kind} needs {key}"
    if state.get("QueryLanguage", "JSONata") != "JSONata":
        yield "a state cannot leave JSONata"
    if "Next" in _FIELDS[kind] and ("Next" in state) == (state.get("End") is True):
        yield "needs either Next or End"
    if kind == "Wait" and ("Seconds" in state) == ("Timestamp" in state):
        yield "needs either Seconds or Timestamp"
    yield from _values(state)
    yield from _guards(state)
    yield from _choices(state)
    for source in (state, *state.get("Choices", []), *state.get("Catch", [])):
        yield from _variables(source.get("Assign", {}))


def _values(state: Mapping[str, Any]) -> Iterator[str]:
    for key, (least, most) in _WHOLE.items():
        value = state.get(key, least)
        if not is_expression(value) and not _whole(value, least, most):
            yield f"{key} is {value!r}"
    limit, beat = state.get("TimeoutSeconds"), state.get("HeartbeatSeconds")
    if isinstance(limit, int) and isinstance(beat, int) and beat >= limit:
        yield "HeartbeatSeconds must be below TimeoutSeconds"
    for key in ("Error", "Cause"):
        if not isinstance(state.get(key, ""), str):
            yield f"{key} is {state[key]!r}"
    items = state.get("Items", [])
    if not isinstance(items, list) and not is_expression(items):
        yield "Items is neither an array nor an expression"
    if "Branches" in state and not state["Branches"]:
        yield "Branches is empty"


def _guards(state: Mapping[str, Any]) -> Iterator[str]:
    for key in ("Retry", "Catch"):
        entries = state.get(key, [])
        for index, entry in enumerate(entries):
            names = entry.get("ErrorEquals", [])
            if not names:
                yield f"{key}[{index}] has no ErrorEquals"
            last = index == len(entries) - 1
            if "States.ALL" in names and (len(names) > 1 or not last):
                yield f"{key}[{index}]: States.ALL must be alone, and last"
    for index, catcher in enumerate(state.get("Catch", [])):
        unknown = set(catcher) - {"ErrorEquals", "Next", "Assign", "Output", "Comment"}
        if unknown or "Next" not in catcher:
            yield f"Catch[{index}]: unknown {sorted(unknown)}" if unknown else "Catch needs Next"
    for index, retrier in enumerate(state.get("Retry", [])):
        yield from (f"Retry[{index}]: {text}" for text in _retrier(retrier))


def _retrier(retrier: Mapping[str, Any]) -> Iterator[str]:
    known = {*_RETRY, "ErrorEquals", "BackoffRate", "JitterStrategy", "Comment"}
    if set(retrier) - known:
        yield f"unknown {sorted(set(retrier) - known)}"
    for key, (least, most) in _RETRY.items():
        if not _whole(retrier.get(key, least), least, most):
            yield f"{key} is {retrier[key]!r}"
    rate = retrier.get("BackoffRate", 2.0)
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or rate < 1:
        yield f"BackoffRate is {rate!r}"
    longest = retrier.get("MaxDelaySeconds")
    if longest is not None and longest <= retrier.get("IntervalSeconds", 1):
        yield "MaxDelaySeconds must be above IntervalSeconds"
    if retrier.get("JitterStrategy", "NONE") not in ("NONE", "FULL"):
        yield "JitterStrategy is NONE or FULL"


def _choices(state: Mapping[str, Any]) -> Iterator[str]:
    if "Choices" in state and not state["Choices"]:
        yield "Choices is empty"
    for index, rule in enumerate(state.get("Choices", [])):
        unknown = set(rule) - {"Condition", "Next", "Assign", "Output", "Comment"}
        if unknown or not {"Condition", "Next"} <= set(rule):
            yield f"Choices[{index}]: needs Condition and Next; unknown {sorted(unknown)}"
        condition = rule.get("Condition")
        if not isinstance(condition, bool) and not is_expression(condition):
            yield f"Choices[{index}]: Condition is {condition!r}"


def _variables(assign: Any) -> Iterator[str]:
    if not isinstance(assign, dict):
        yield "Assign is not an object"
        return
    for name in assign:
        if not name.isidentifier() or name.startswith("_") or len(name) > 80 or name == "states":
            yield f"{name!r} is no name for a variable"


def _whole(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most
