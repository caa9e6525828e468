"""Steps that call something with inputs: actions, AWS operations, other workflows."""

from __future__ import annotations

from dataclasses import replace

from compiler.check.checker import Checker
from compiler.check.contracts import Taker, fit
from compiler.check.failed import FAILED
from compiler.check.groups import Entry
from compiler.check.program import Action, AwsCall, Constant, Fields, SubWorkflow, Value
from compiler.check.readers import Reader
from compiler.check.runners import runner_of_action
from compiler.check.scripts import Variables, without_expressions
from compiler.check.suggest import suggestion
from compiler.check.surroundings import Nearest, Schema
from compiler.check.workflows import is_undone, resolve
from compiler.document.nodes import Mapping, Node
from compiler.expressions.types import UNKNOWN, Record, Type
from compiler.spec import ActionStep, AwsStep, SubworkflowStep, Values

OPEN = Record({}, open=True)
SHELL = "shell"
"""The format, in an action's schema, of inputs that are scripts."""


def action(checker: Checker, entry: Entry, reader: Reader) -> tuple[Action, Type]:
    """Return the call of an action, and the type of its outputs."""
    step = entry.step
    assert isinstance(step, ActionStep)
    catalogue = checker.context.surroundings.catalogue
    contract = catalogue.get(step.action)
    own, schema = replace(reader, secrets=True), {} if contract is None else contract.inputs
    inputs, node, variables = _with_scripts(checker, step.inputs, own, schema)
    if contract is None:
        checker.error(
            "unknown-action",
            checker.context.span((*step.path, "action")),
            f"there is no action '{step.action}'",
            suggestion(step.action, catalogue, "the actions")
            or "write one under `actions/`, or use a `run` step",
        )
        return Action(step.action, inputs, step.callback), UNKNOWN
    if step.callback and not contract.hands_on_callback:
        checker.error(
            "callback-goes-nowhere",
            checker.context.span((*step.path, "callback")),
            f"'{step.action}' tells nobody where to answer to, so nothing ends '{entry.id}'",
            "leave `callback` out, or use `http-request` or an action of your own that hands on "
            "`context.callback`",
        )
    runner, why = runner_of_action(checker, step, contract)
    taker = Taker(f"action '{step.action}'")
    inputs = _fitted(checker, step, inputs, node, contract.inputs, taker)
    outputs = checker.context.type_of_schema(contract.outputs)
    if step.callback and isinstance(outputs, Record):
        outputs = Record(outputs.fields, open=True)
    made = Action(step.action, inputs, step.callback, runner, step.image, why, variables)
    return made, outputs


def _with_scripts(
    checker: Checker, written: Values, reader: Reader, schema: Schema
) -> tuple[Value, Node | None, Variables]:
    """Return inputs whose scripts read variables where expressions stood, and the variables.

    A script is what the action's schema gives the format `shell`: no value becomes its text.
    """
    texts = ((name, text) for name, text in written.entries.items() if isinstance(text, str))
    scripts = {name: text for name, text in texts if _is_script(schema, name)}
    if not scripts:
        items, node = checker.values(written, reader)
        return constant_or_fields(items), node, ()
    others = {name: raw for name, raw in written.entries.items() if name not in scripts}
    items, node = checker.values(written.model_copy(update={"entries": others}), reader)
    # What an action is given as a mapping it may hand on as variables: `options`.
    given = {option.upper() for raw in others.values() if isinstance(raw, dict) for option in raw}
    read, variables = dict(items), dict[str, Value]()
    for name, text in scripts.items():
        # What one script reads is taken for the next: no variable means two values.
        own = replace(reader, env={**reader.env, **variables})
        at = checker.context.document.nearest((*written.path, name))
        safe, more = without_expressions(checker, text, at, own, given) or (text, ())
        read[name] = Constant(safe)
        variables.update(more)
    ordered = tuple((name, read[name]) for name in written.entries)
    return constant_or_fields(ordered), node, tuple(variables.items())


def _is_script(schema: Schema, name: str) -> bool:
    parts = schema.get("properties")
    part = parts.get(name) if isinstance(parts, dict) else None
    return isinstance(part, dict) and part.get("format") == SHELL


def aws_call(checker: Checker, entry: Entry, reader: Reader) -> tuple[AwsCall, Type]:
    """Return a direct call of an AWS operation, and the type of its outputs."""
    step = entry.step
    assert isinstance(step, AwsStep)
    arguments, node = _inputs(checker, step.inputs, reader)
    found = checker.context.surroundings.operation(step.service, step.operation)
    if found is None:
        return AwsCall(step.service, step.operation, arguments), OPEN
    if isinstance(found, Nearest):
        _report_operation(checker, step, found)
        return AwsCall(step.service, step.operation, arguments), UNKNOWN
    name = f"aws:{found.service}:{found.operation}"
    taker = Taker(
        name, "parameter", "", ("unknown-parameter", "missing-parameter", "wrong-parameter")
    )
    arguments = _fitted(checker, step, arguments, node, found.inputs, taker)
    outputs = checker.context.type_of_schema(found.outputs)
    return AwsCall(found.service, found.operation, arguments), outputs


def _report_operation(checker: Checker, step: AwsStep, near: Nearest) -> None:
    span = checker.context.span((*step.path, "action"))
    if near.operation is None:
        advice = None if near.service is None else f"did you mean 'aws:{near.service}:...'?"
        message = f"there is no AWS service '{step.service}'"
    else:
        service = near.service or step.service
        advice = f"did you mean 'aws:{service}:{near.operation}'?"
        message = f"AWS service '{step.service}' has no operation '{step.operation}'"
    checker.error("unknown-operation", span, message, advice)


def sub_workflow(checker: Checker, entry: Entry, reader: Reader) -> tuple[SubWorkflow, Type]:
    """Return the call of another workflow, and the type of the outputs its contract gives."""
    step = entry.step
    assert isinstance(step, SubworkflowStep)
    inputs, node = _inputs(checker, step.inputs, reader)
    span = checker.context.span((*step.path, step.reference_key))
    called, name = resolve(step, checker.context, span)
    if called is None:
        return SubWorkflow(name, inputs, ()), UNKNOWN
    taker = Taker(f"workflow '{step.reference}'")
    schema = called.free_inputs if called.inputs is None else called.inputs
    inputs = _fitted(checker, step, inputs, node, schema, taker)
    outputs = (
        Record({}) if called.outputs is None else checker.context.type_of_schema(called.outputs)
    )
    gives = tuple(outputs.fields) if isinstance(outputs, Record) else ()
    # What a handler calls, or an undo, is not undone again: no close machine follows theirs.
    comes_after = entry.group.is_of_handlers or entry.undoes is not None
    undoes = not comes_after and is_undone(called, checker.context.surroundings.workflows)
    return SubWorkflow(name, inputs, gives, undoes), outputs


def _inputs(checker: Checker, written: Values, reader: Reader) -> tuple[Value, Node | None]:
    items, node = checker.values(written, reader)
    return constant_or_fields(items), node


def constant_or_fields(items: tuple[tuple[str, Value], ...]) -> Value:
    """Return names with values as one value."""
    if all(isinstance(item, Constant) and item is not FAILED for _, item in items):
        return Constant({name: item.value for name, item in items if isinstance(item, Constant)})
    return Fields(items)


def _fitted(
    checker: Checker,
    step: ActionStep | AwsStep | SubworkflowStep,
    inputs: Value,
    node: Node | None,
    schema: Schema,
    taker: Taker,
) -> Value:
    """Return what a step gives as its taker wants it.

    Where the step has other mistakes, its inputs may be written under a name that nobody knows:
    then none of them is missing.
    """
    if not isinstance(node, Mapping) and (step.broken or node is not None):
        return inputs
    key = step.reference_key if isinstance(step, SubworkflowStep) else "action"
    span = checker.context.span((*step.path, key))
    if node is not None:
        span = checker.context.key_span(step.inputs.path)
    return fit(inputs, node, schema, taker, checker.context, span)
