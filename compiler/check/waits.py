"""Steps that wait, and steps that publish."""

from __future__ import annotations

import re

from compiler.check.calls import constant_or_fields
from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.check.program import Constant, EventWait, Pause, Publish, Value
from compiler.check.readers import Reader
from compiler.check.valuetypes import type_of, without_nulls
from compiler.document.nodes import Path
from compiler.expressions.types import NUMBER, TEXT, UNKNOWN, Record, Type, accepts, show
from compiler.spec import PublishStep, WaitStep
from compiler.spec.model import MANUAL_TIMEOUT

_DATES = (
    r"20\d\d-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|02-(?:0[1-9]|1\d|2[0-8]))|20(?:[02468][048]|[13579][26])-02-29"
)
_TIMES = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-7]):[0-5]\d)"
TIME_STAMP = rf"(?:{_DATES})T{_TIMES}"
"""A time that Step Functions waits for, as a pattern for Python and for JSONata."""
_REFERENCE = re.compile(r"(?:inputs|vars|env|steps|item|event|run|failure)(?:\.[A-Za-z0-9_-]+)+")

NOTHING = Record({})
EVENT = Record({"event": UNKNOWN})
PUBLISHED = Record({"event_id": TEXT})


def wait(checker: Checker, entry: Entry, reader: Reader) -> tuple[Pause | EventWait, Type]:
    """Return a wait, and the type of its outputs: the event that ended it."""
    step = entry.step
    assert isinstance(step, WaitStep)
    if step.pattern is not None:
        match = None
        if step.match is not None:
            match = checker.typed.condition(step.match, (*step.path, "match"), reader)
        timeout = MANUAL_TIMEOUT if step.timeout is None else step.timeout
        return EventWait(dict(step.pattern), match, timeout), EVENT
    if step.until is not None:
        return Pause(None, _timed(checker, step.until, step, "until", TEXT, reader)), NOTHING
    if isinstance(step.duration, str):
        return Pause(_timed(checker, step.duration, step, "for", NUMBER, reader), None), NOTHING
    return Pause(step.duration, None), NOTHING


def _timed(
    checker: Checker, text: str, step: WaitStep, key: str, wanted: Type, reader: Reader
) -> Value:
    path = (*step.path, key)
    value = checker.value(text, path, reader)
    if key == "until" and isinstance(value, Constant) and isinstance(value.value, str):
        _written_time(checker, value.value, path)
        return value
    given = without_nulls(type_of(value))
    if not accepts(wanted, given):
        checker.error(
            "wrong-wait",
            checker.context.span(path),
            f"`{key}` is {show(given)} here",
            "give a number of seconds, or write a duration such as `10m`"
            if key == "for"
            else "give a time such as '2030-01-31T12:00:00Z'",
        )
    return value


def _written_time(checker: Checker, text: str, path: Path) -> None:
    """Report a time that is known now and is none: the step could only fail."""
    if _is_time(text):
        return
    advice = "write date, time and zone, such as 2030-01-31T12:00:00Z"
    if _REFERENCE.fullmatch(text):
        advice = f"write ${{{{ {text} }}}}"
    for rest in ("T00:00:00Z", ":00Z", "Z"):
        if _is_time(text + rest):
            advice = f"write {text}{rest}, or another zone, such as +01:00, for the Z"
    checker.error(
        "wrong-wait", checker.context.span(path), f"`until` is '{text}', which is no time", advice
    )


def _is_time(text: str) -> bool:
    return re.fullmatch(TIME_STAMP, text, re.ASCII) is not None


def publish(checker: Checker, entry: Entry, reader: Reader) -> tuple[Publish, Type]:
    """Return a step that puts an event on the bus, and the type of its outputs."""
    step = entry.step
    assert isinstance(step, PublishStep)
    event = checker.value(step.event, (*step.path, "event"), reader)
    items, _ = checker.values(step.payload, reader)
    return Publish(event, constant_or_fields(items)), PUBLISHED
