"""A step for every item of a list: an inline Map, then a look at what came of the items."""

from __future__ import annotations

from collections.abc import Callable

from compiler.asl import fail_fast, records
from compiler.asl.chunks import INLINE_CONCURRENCY, chunked, is_chunked
from compiler.asl.context import Context, Item, State, States
from compiler.asl.entering import entered
from compiler.asl.leaving import leave
from compiler.asl.values import code_of
from compiler.check.program import Constant, Step
from compiler.document.nodes import Json
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.bounds import ways
from compiler.plan.model import Do, Scope
from protocol.names import FIRST_ITEM, ITEMS_FAILED, TOO_MANY_ITEMS, VALIDATION_ERROR

Emit = Callable[[Context], States]


def each(context: Context, node: Do, emit: Emit) -> States:
    """Return the states of a for_each step: look at the list, map it, judge the items."""
    step = node.step
    assert step.for_each is not None
    resolve = context.resolver(step, clean=node.clean)
    items = code_of(step.for_each.items, resolve)
    mapped = f"{node.name}.each"
    look = _look(context, node, items, mapped)
    if step.for_each.deadline is not None:
        context, look["Assign"] = context.with_deadline(step, step.for_each.deadline)
    body = _processor(context, step, node.inner[0], emit)
    if is_chunked(context, step, body):
        wide = chunked(context, node, items, body)
        return {node.name: look, mapped: wide, **_after(context, node, wide)}
    concurrency = step.for_each.max_concurrency or INLINE_CONCURRENCY
    state: State = {
        "Type": "Map",
        "Items": wrap(items),
        "ItemSelector": {
            "item": "{% $states.context.Map.Item.Value %}",
            "index": "{% $states.context.Map.Item.Index %}",
        },
        "MaxConcurrency": min(concurrency, INLINE_CONCURRENCY),
        "ItemProcessor": body,
    }
    states: States = {}
    if _is_known(step) and step.for_each.deadline is None:
        states[node.name] = state
    else:
        states[node.name] = look
        states[mapped] = state
    return states | _after(context, node, state)


def _is_known(step: Step) -> bool:
    """Whether the list stands in the file and is short enough."""
    assert step.for_each is not None
    items = step.for_each.items
    if not isinstance(items, Constant) or not isinstance(items.value, list):
        return False
    return len(items.value) <= step.for_each.max_items


def _look(context: Context, node: Do, items: str, mapped: str) -> State:
    step = node.step
    assert step.for_each is not None
    most = step.for_each.max_items
    no_list = _error(step, VALIDATION_ERROR, f"for_each of {step.id} is no list")
    too_many = _error(step, TOO_MANY_ITEMS, f"for_each of {step.id} has more than {most} items")
    variable = records.variable_of(context, step)

    def lost(error: str) -> dict[str, Json]:
        record = records.failed(context, step, error)
        rule: dict[str, Json] = {"Output": wrap(error), "Next": node.failed}
        if variable is not None and record is not None:
            rule["Assign"] = {variable: record}
        return rule

    return {
        "Type": "Choice",
        "Choices": [
            {
                "Condition": wrap(f"($w := {items}; $type($w) != 'array')"),
                **lost(no_list),
            },
            {
                "Condition": wrap(f"$count({items}) > {most}"),
                **lost(too_many),
            },
        ],
        "Default": mapped,
    }


def _error(step: Step, name: str, message: str) -> str:
    return (
        f"{{'step_id': {text_literal(step.id)}, 'Error': '{name}', "
        f"'Cause': {text_literal(message)}}}"
    )


def _processor(context: Context, step: Step, scope: Scope, emit: Emit) -> State:
    name = f"{step.variable}_{scope.key}"
    item = Item(f"$item_{name}", f"$index_{name}")
    inner = context.inside(scope).at_item(item)
    states = _reached(scope.start, fail_fast.noted(inner, step, emit(inner)))
    return _map_body(*entered(f"{step.id}.begin", scope.start, states, item))


def _reached(start: str, states: States) -> States:
    """Leave out the ends of a body whose only step tells its end itself."""
    wanted = {start, *(name for state in states.values() for name in ways(state))}
    return {name: state for name, state in states.items() if name in wanted}


def _map_body(start: str, states: States) -> State:
    return {
        "ProcessorConfig": {"Mode": "INLINE"},
        "StartAt": start,
        "States": states,  # type: ignore[dict-item]
    }


def _after(context: Context, node: Do, mapped: State) -> States:
    """Return what follows a Map, and let the Map lead to it.

    Where the first bad item ends it, all items are good behind it, and nothing is to be asked.
    """
    assert node.step.for_each is not None
    name = f"{node.name}.items"
    if not node.step.for_each.fail_fast:
        mapped["Next"] = name
        return _judged(context, node)
    stopped = fail_fast.stopped(context, node)
    mapped["Catch"] = [{"ErrorEquals": ["States.ALL"], "Next": next(iter(stopped))}]
    variable = records.variable_of(context, node.step)
    if variable is None:
        mapped["Next"] = node.next
        return stopped
    mapped["Next"] = name
    kept: State = {"Type": "Pass", "Assign": {variable: _record(context, node.step)}}
    return {name: {**kept, "Next": node.next}, **stopped}


def _record(context: Context, step: Step) -> dict[str, Json]:
    """Return the record of a for_each whose items are in the state's input."""
    reads = context.plan.reads.get(step.id)
    record: dict[str, Json] = {"status": "succeeded"}

    def part(name: str, otherwise: str) -> str:
        path = f"$r.{records.key_of(step)}.{name}"
        return f"$exists({path}) ? {path} : {otherwise}"

    if reads is not None and reads.items:
        fields = (
            f"'index': $i, 'status': {part('status', chr(39) + 'failed' + chr(39))}, "
            f"'outputs': {part('outputs', 'null')}, 'error': {part('error', 'null')}"
        )
        record["items"] = wrap(f"[$map($states.input, function($r, $i) {{ {{{fields}}} }})]")
    if reads is not None and (reads.all_outputs or reads.outputs):
        outputs = part("outputs", "null")
        record["outputs"] = wrap(f"[$map($states.input, function($r) {{ {outputs} }})]")
    return record


def _judged(context: Context, node: Do) -> States:
    """The Choice behind the Map: failed if an item failed."""
    step = node.step
    bad = (
        "$filter($map($states.input, function($r, $i) { $count($r.f) > 0 ? $string($i) : '' }), "
        "function($i) { $i != '' })"
    )
    first = "($states.input.f)[0]"
    told = (
        f"$string($count({bad})) & ' items failed: ' & $substring($join([{bad}], ', '), 0, 60) & "
        f"'{FIRST_ITEM}' & $substring($string({first}.type) & ': ' & $string({first}.message), "
        "0, 200) & ')'"
    )
    variable = records.variable_of(context, step)
    keep: dict[str, Json] = {}
    lost: dict[str, Json] = {}
    if variable is not None:
        record = _record(context, step)
        keep = {"Assign": {variable: record}}
        error = f"{{'type': '{ITEMS_FAILED}', 'message': {told}}}"
        lost = {"Assign": {variable: record | {"status": "failed", "error": wrap(error)}}}
    choice: State = {
        "Type": "Choice",
        "Choices": [
            {
                "Condition": "{% $count($states.input.f) > 0 %}",
                **lost,
                "Output": wrap(
                    f"{{'step_id': {text_literal(step.id)}, 'Error': '{ITEMS_FAILED}', "
                    f"'Cause': {told}}}"
                ),
                "Next": node.failed,
            }
        ],
        **keep,
        "Default": node.next or f"{node.name}.done",
    }
    states: States = {f"{node.name}.items": choice}
    if node.next is None:
        done: State = {"Type": "Pass"}
        leave(context, node, "{}", done)
        states[f"{node.name}.done"] = done
    return states
