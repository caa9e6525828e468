"""A workflow as its author wrote it, with everything left out filled in: what versions differ in.

Keys are those of the file. Durations are written as in a file, in the largest unit that fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from compiler.document.nodes import Json
from compiler.spec import model
from compiler.spec.interface import Part, Trigger, Values

Said: TypeAlias = "dict[str, Json]"

_SECONDS = frozenset({"after", "delay", "due_in", "duration", "timeout", "window"})
_CALLED = {"duration": "for", "pattern": "event", "reference": "workflow", "items": "for_each"}
"""Keys of the file where the model has other names."""
_UNSAID = frozenset(
    {
        *("broken", "file", "given_id", "id", "kind", "operation", "path", "pattern_key"),
        *("compensate", "depends_on", "for_each", "reference_key", "retry", "service", "steps"),
        *("type", "version", "workflow"),
    }
)
_OWN = frozenset({"concurrency", "description", "env", "name", "notify", "source", "timeout"})
"""Keys of a workflow that are compared by themselves."""


@dataclass(frozen=True, slots=True)
class SaidStep:
    """A step: its kind, what it says, and the ids of those it comes after.

    `block` is the parallel step it is in, `is_handler` says that it is one of `on_failure`.
    """

    id: str
    kind: str
    says: Said
    after: tuple[str, ...]
    block: str | None = None
    is_handler: bool = False


def steps_of(workflow: model.Workflow) -> dict[str, SaidStep]:
    """Return all steps by their ids, in the order of the file; undos are what their steps say."""
    found = [*_steps(workflow.steps, waits=workflow.form == "steps")]
    found += _steps(workflow.on_failure, waits=False, is_handler=True)
    return {one.id: one for one in found}


def workflow_says(workflow: model.Workflow) -> Said:
    """Return what the root says beside steps, contract and triggers."""
    return {key: value for key, value in _said(workflow).items() if key in _OWN}


def trigger_says(trigger: Trigger) -> Said:
    """Return what a trigger says, its name apart."""
    says = _said(trigger)
    if isinstance(trigger, model.ScheduleTrigger) and trigger.rate is not None:
        says["rate"] = written(trigger.rate)
    return {"type": trigger.type, **{key: says[key] for key in says if key != "name"}}


def input_says(given: model.Input) -> Said:
    """Return the contract of an input."""
    return {**given.json_schema, "required": given.required}


def output_says(output: model.Output) -> Said:
    """Return the contract of an output, and where its value comes from."""
    says: Said = {**output.json_schema}
    if output.has_value:
        says["value"] = output.value
    return says


def written(seconds: int) -> str:
    """Return a duration as it is written in a file: `72h` is `3d`."""
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "m")):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _steps(
    steps: tuple[model.Step, ...],
    *,
    waits: bool,
    block: str | None = None,
    is_handler: bool = False,
) -> Iterator[SaidStep]:
    """Yield steps, and those in parallel ones; `waits`: after the one above if nothing is said."""
    ids = {name: one.id for one in steps for name in (one.name, one.id, _alike(one.id))}
    above: tuple[str, ...] = ()
    for one in steps:
        named = one.depends_on
        after = (
            (above if waits else ())
            if named is None
            else tuple(ids.get(name) or ids.get(_alike(name), name) for name in named)
        )
        yield SaidStep(one.id, one.kind, _step_says(one), after, block, is_handler)
        yield from _steps(one.children, waits=False, block=one.id, is_handler=is_handler)
        above = (one.id,)


def _alike(id: str) -> str:
    return id.replace("-", "_")


def _step_says(step: model.Step) -> Said:
    says = _said(step)
    if step.for_each is not None:
        says |= _said(step.for_each)
    if step.compensate is not None:
        says["compensate"] = {"kind": step.compensate.kind, **_step_says(step.compensate)}
    if step.retry is not None:
        says["retry"] = _retry_says(step.retry)
    return says


def _retry_says(retry: model.Retry) -> Said:
    says: Said = {
        "max_attempts": retry.max_attempts,
        "delay": written(retry.base_delay),
        "backoff": retry.rate,
        "jitter": retry.jitter,
        "conditions": [one.error_type or one.expression for one in retry.conditions],
    }
    return says if retry.max_delay is None else {**says, "max_delay": written(retry.max_delay)}


def _said(part: Part) -> Said:
    """Return the fields of a part under the keys of the file; those that say nothing are out."""
    found: Said = {}
    for name in type(part).model_fields:
        value = getattr(part, name)
        if name in _UNSAID or value is None or value == ():
            continue
        if name in _SECONDS and isinstance(value, int):
            value = written(value)
        said = _plain(value)
        if said != {}:
            found[_CALLED.get(name, name)] = said
    return found


def _plain(value: object) -> Json:
    match value:
        case Values():
            return dict(value.entries)
        case Part():
            return _said(value)
        case tuple() | list():
            return [_plain(one) for one in value]
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case None | bool() | int() | float() | str():
            return value
        case _:
            raise TypeError(type(value).__name__)
