"""What the run of a case is given: its inputs, or an event that a trigger maps to inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cli.scenarios.event import NothingStarts, started
from cli.scenarios.subject import Subject
from cli.scenarios.written import CasePart
from compiler.check.context import Context
from compiler.check.contracts import Taker, fit
from compiler.check.program import Constant, Fields, Items, Value
from compiler.check.suggest import suggestion
from compiler.document.nodes import Json, Path
from compiler.source import Span
from compiler.spec import Trigger
from compiler.spec.names import same
from compiler.spec.report import Reporter
from functions.domain.formats import EXAMPLES
from functions.domain.inputs import Fault, clause, faults

if TYPE_CHECKING:
    from protocol.payloads import MachineInput

_TAKER = Taker("the workflow")
_LOOKED_AT = frozenset(
    {"type", "enum", "const", "pattern", "required", "additionalProperties", "anyOf", "oneOf"}
    | {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
)
"""Keywords of a contract that the compiler looks at itself."""
_SHOWN, _LONGEST = 100, 300


def given(part: CasePart, path: Path, subject: Subject, reporter: Reporter) -> MachineInput:
    """Return the machine's input, the inputs held against the contract, defaults filled in."""
    if part.event is None and part.trigger is None:
        whole: MachineInput = {"inputs": dict(part.inputs or {}), "run": {"started_by": None}}
        at, span = (*path, "inputs"), reporter.value((*path, "name"))
        whole["inputs"] = _checked(whole["inputs"], at, span, subject, reporter)
        return whole
    if part.inputs is not None:
        reporter.error_at_key(
            "conflicting-keys",
            (*path, "inputs"),
            "a case has either inputs, or an event that gives them",
            "leave one of them out",
        )
    trigger = _trigger(part, path, subject, reporter)
    nothing: MachineInput = {"inputs": {}, "run": {"started_by": None}}
    if trigger is None:
        return nothing
    place = (*path, "trigger" if part.event is None else "event")
    try:
        made = started(subject.compiled, trigger.name, part.event or {})
    except NothingStarts as why:
        message = f"the trigger '{trigger.name}' starts no run from this event: {why}"
        reporter.error_at_key("wrong-input", place, message, "write an event that it takes")
        return nothing
    made["inputs"] = _checked(made["inputs"], None, reporter.key(place), subject, reporter)
    return made


def _trigger(part: CasePart, path: Path, subject: Subject, reporter: Reporter) -> Trigger | None:
    workflow = subject.compiled.own.workflow
    triggers: Sequence[Trigger] = () if workflow is None else workflow.triggers
    names = [one.name for one in triggers]
    if part.trigger is not None:
        wanted = same(part.trigger)
        found = next((one for one in triggers if same(one.name) == wanted), None)
        if found is None:
            help_ = suggestion(part.trigger, names, "its triggers") or "it has no trigger"
            message = f"the workflow has no trigger '{part.trigger}'"
            reporter.error("unknown-value", (*path, "trigger"), message, help_)
        return found
    if len(triggers) == 1:
        return triggers[0]
    message = "it is not said which trigger takes the event"
    help_ = f"add `trigger:`, one of {', '.join(names)}" if names else "the workflow has no trigger"
    reporter.error_at_key("missing-key", (*path, "event"), message, help_)
    return None


def _checked(
    inputs: dict[str, Json], at: Path | None, span: Span, subject: Subject, reporter: Reporter
) -> dict[str, Json]:
    """Return inputs as the contract wants them; `at` is where they stand, if they are written."""
    contract = subject.compiled.program.inputs
    declared = subject.program.inputs
    workflow = subject.compiled.own.workflow
    if contract is None or declared is None or workflow is None:
        return inputs
    around = subject.compiled.project.surroundings(subject.path)
    context = Context(workflow, reporter.document, around, reporter.diagnostics)
    node = None if at is None else reporter.document.find(at)
    before = reporter.count
    fitted = _plain(fit(Constant(inputs), node, contract, _TAKER, context, span))
    assert isinstance(fitted, dict)
    defaults = {one.name: one.default for one in declared if one.default is not None}
    whole = {**defaults, **fitted}
    _hold(whole, at, span, contract, reporter, is_right=reporter.count == before)
    return whole


def _hold(
    inputs: Mapping[str, Json],
    at: Path | None,
    span: Span,
    contract: Mapping[str, Json],
    reporter: Reporter,
    *,
    is_right: bool,
) -> None:
    """Report what a run would refuse: formats, and what else the compiler does not look at.

    What it does look at was reported already, unless nothing was.
    """
    for fault in faults(contract, inputs):
        if fault.keyword in _LOOKED_AT and not is_right:
            continue
        place = span if at is None else reporter.value((*at, *fault.path))
        reporter.diagnostics.error(
            "wrong-input",
            place,
            f"{_called(fault)} {clause(fault.detail[:_LONGEST])}",
            help=_help(fault),
        )


def _called(fault: Fault) -> str:
    """Return what a message calls the place of a fault, as the compiler does."""
    if not fault.path:
        return "what is given"
    first, *rest = fault.path
    inner = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)
    return f"input '{first}{''.join(inner)}'"


def _help(fault: Fault) -> str:
    """Return what to write instead."""
    wanted = fault.wanted
    match fault.keyword:
        case "format" if wanted in EXAMPLES:
            return f"write it as `{EXAMPLES[str(wanted)]}`"
        case "multipleOf":
            return f"give a multiple of {wanted}"
        case "exclusiveMinimum":
            return f"more than {wanted}"
        case "exclusiveMaximum":
            return f"less than {wanted}"
        case "uniqueItems":
            return "write each item once"
        case "minProperties" | "maxProperties":
            return f"give {'at least' if fault.keyword[:3] == 'min' else 'at most'} {wanted} keys"
        case _:
            shown = json.dumps({fault.keyword: wanted}, ensure_ascii=False)
            cut = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
            return f"the workflow's contract asks for `{cut}`"


def _plain(value: Value) -> Json:
    """Return a value that holds no expression as JSON."""
    match value:
        case Constant(value=plain):
            return plain
        case Fields(items=fields):
            return {name: _plain(inner) for name, inner in fields}
        case Items(items=items):
            return [_plain(inner) for inner in items]
        case _:
            raise AssertionError(value)
