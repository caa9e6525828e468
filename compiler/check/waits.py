"""Steps that wait, and steps that publish."""

from __future__ import annotations

from compiler.check.calls import constant_or_fields
from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.check.program import EventWait, Pause, Publish, Value
from compiler.check.readers import Reader
from compiler.check.valuetypes import type_of, without_nulls
from compiler.expressions.types import NUMBER, TEXT, UNKNOWN, Record, Type, accepts, show
from compiler.spec import PublishStep, WaitStep
from compiler.spec.model import MANUAL_TIMEOUT

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


def publish(checker: Checker, entry: Entry, reader: Reader) -> tuple[Publish, Type]:
    """Return a step that puts an event on the bus, and the type of its outputs."""
    step = entry.step
    assert isinstance(step, PublishStep)
    event = checker.value(step.event, (*step.path, "event"), reader)
    items, _ = checker.values(step.payload, reader)
    return Publish(event, constant_or_fields(items)), PUBLISHED
