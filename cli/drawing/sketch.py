"""A workflow as a drawing has to show it: cards, boxes around cards, arrows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from compiler.check.lengths import length
from compiler.check.program import (
    Action,
    AwsCall,
    Block,
    EventWait,
    Manual,
    Pause,
    Program,
    Publish,
    Script,
    Step,
    SubWorkflow,
)
from compiler.pipeline import Compilation
from compiler.plan.graph import members, reduce
from compiler.spec import (
    DatabaseTrigger,
    EventTrigger,
    GitPushTrigger,
    HttpTrigger,
    QueueTrigger,
    ScheduleTrigger,
    Trigger,
    Workflow,
)
from compiler.spec import Step as Written
from compiler.spec.durations import shown

Kind: TypeAlias = Literal[
    "action", "aws", "script", "manual", "block", "workflow", "wait", "event", "publish"
]


@dataclass(frozen=True, slots=True)
class Card:
    """A step. `about` says what it does in a few words; `condition` is the author's text.

    A step with `inside` is drawn as a box around that. `times` says for what it is repeated.
    """

    id: str
    title: str
    kind: Kind
    about: str
    condition: str | None = None
    notes: tuple[str, ...] = ()
    times: str | None = None
    inside: Sketch | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """Cards by their places; `latch` where one waits for the other through a latch."""

    source: int
    target: int
    latch: bool = False


@dataclass(frozen=True, slots=True)
class Sketch:
    """Cards and the arrows between them; what an arrow says twice is said once."""

    cards: tuple[Card, ...] = ()
    arrows: tuple[Arrow, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole workflow; `handlers` are the steps after a failure."""

    name: str
    description: str | None
    started_by: tuple[str, ...]
    steps: Sketch
    handlers: Sketch = field(default_factory=Sketch)


def drawing(compilation: Compilation) -> Drawing:
    """Return the drawing of a compiled workflow, which must be without errors."""
    program, workflow, plan = compilation.program, compilation.workflow, compilation.plan
    assert program is not None
    assert workflow is not None
    assert plan is not None
    written = dict(_written(workflow))
    latches = frozenset(plan.latches)
    return Drawing(
        program.name,
        program.description,
        tuple(map(_started, workflow.triggers)),
        _sketch(program.steps, written, latches, program),
        _sketch(program.handlers, written, latches, program),
    )


def _written(workflow: Workflow) -> Iterator[tuple[str, Written]]:
    pending = [*workflow.steps, *workflow.on_failure]
    while pending:
        step = pending.pop()
        yield step.id, step
        pending += step.children


def _sketch(
    steps: Sequence[Step],
    written: Mapping[str, Written],
    latches: frozenset[tuple[str, str]],
    program: Program,
) -> Sketch:
    places = {step.id: at for at, step in enumerate(steps)}
    needs = [[places[name] for name in step.depends_on if name in places] for step in steps]
    arrows = [
        Arrow(source, target, (steps[source].id, steps[target].id) in latches)
        for target, near in enumerate(reduce(needs))
        for source in members(near)
    ]
    return Sketch(
        tuple(_card(step, written.get(step.id), written, latches, program) for step in steps),
        tuple(arrows),
    )


def _card(
    step: Step,
    text: Written | None,
    written: Mapping[str, Written],
    latches: frozenset[tuple[str, str]],
    program: Program,
) -> Card:
    kind, about = _about(step)
    inside = None
    if isinstance(step.kind, Block):
        inside = _sketch(step.kind.steps, written, latches, program)
    return Card(
        id=step.id,
        title=step.name,
        kind=kind,
        about=about,
        condition=None if text is None or text.condition is None else bare(text.condition),
        notes=tuple(_notes(step)),
        times=_times(step),
        inside=inside,
    )


def bare(expression: str) -> str:
    """Return an expression as one line without its braces."""
    text = " ".join(expression.split())
    if text.startswith("${{") and text.endswith("}}") and text.count("${{") == 1:
        text = text[3:-2].strip()
    return text


def _about(step: Step) -> tuple[Kind, str]:
    found: tuple[Kind, str]
    match step.kind:
        case Action(action=action, callback=callback):
            place = " on CodeBuild" if step.is_build else ""
            found = "action", f"{action}, answered later" if callback else f"{action}{place}"
        case AwsCall(service=service, operation=operation):
            found = "aws", f"{service} {operation}"
        case Script():
            found = "script", "script on CodeBuild" if step.is_build else "script"
        case Manual(timeout=timeout):
            found = "manual", f"a person decides, within {shown(timeout)}"
        case Block():
            found = "block", "parallel"
        case SubWorkflow(workflow=workflow):
            found = "workflow", f"runs {workflow}"
        case Pause(seconds=seconds):
            found = "wait", f"waits {shown(seconds)}" if isinstance(seconds, int) else "waits"
        case EventWait(timeout=timeout):
            found = "event", f"waits for an event, {shown(timeout)}"
        case Publish():
            found = "publish", "publishes an event"
    return found


def _notes(step: Step) -> Iterator[str]:
    if step.retry is not None and step.retry.attempts > 1:
        yield f"{step.retry.attempts} attempts"
    if step.timeout is not None and not isinstance(step.kind, Manual | EventWait):
        yield f"at most {shown(step.timeout)}"
    if step.on_error == "continue" and not isinstance(step.kind, Manual):
        yield "failure tolerated"
    if step.on_error == "pause":
        yield "pauses on failure"
    if isinstance(step.kind, Manual) and step.kind.escalations:
        yield f"escalates after {shown(step.kind.escalations[0].after)}"
    ends_all = isinstance(step.kind, Block) and step.kind.fail_fast
    if ends_all or (step.for_each is not None and step.for_each.fail_fast):
        yield "stops at the first failure"
    if step.compensate is not None:
        yield "can be undone"


def _times(step: Step) -> str | None:
    if step.for_each is not None:
        count = length(step.for_each.items)
        if count is not None:
            return f"for each of {count} item{'s' * (count != 1)}"
        return f"for each item, {step.for_each.max_items} at most"
    if step.repeat is not None:
        return f"repeated, {step.repeat.attempts} times at most"
    return None


def _pushed(trigger: GitPushTrigger) -> str:
    what = " or ".join(event.replace("_", " ") for event in trigger.events)
    where = f" to {trigger.repository}" if trigger.repository else ""
    names = [*trigger.branches, *(f"tag {name}" for name in trigger.tags)]
    return f"{what}{where} ({', '.join(names)})" if names else f"{what}{where}"


def _started(trigger: Trigger) -> str:
    match trigger:
        case GitPushTrigger():
            return _pushed(trigger)
        case ScheduleTrigger(cron=cron, rate=rate, timezone=zone):
            return f"every {shown(rate)}" if rate else f"schedule {cron} ({zone})"
        case QueueTrigger(queue=queue):
            return f"messages in {queue}"
        case DatabaseTrigger(table=table):
            return f"changes of table {table}"
        case HttpTrigger():
            return "HTTP requests"
        case EventTrigger(pattern=pattern):
            kinds = pattern.get("detail-type")
            named = [str(kind) for kind in kinds] if isinstance(kinds, list) else []
            return f"event {' or '.join(named)}" if named else "an event"
