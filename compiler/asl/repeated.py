"""A step for every item of a list: an inline Map of one Task, then a look at what failed."""

from __future__ import annotations

from dataclasses import replace

from compiler.asl import failures, loops, records
from compiler.asl.context import Context, Item, State, States
from compiler.asl.leaving import leave
from compiler.asl.tasks import task_of
from compiler.asl.values import code_of
from compiler.check.program import Json, Step
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.model import Do
from protocol.names import TOO_MANY_ITEMS, VALIDATION_ERROR

ITEMS_FAILED = "ItemsFailed"
INLINE_CONCURRENCY = 40
"""Iterations of an inline Map that run at once at most (Step Functions service quotas)."""


def each(context: Context, node: Do) -> States:
    """Return the states of a for_each step: check the list, map it, judge the items."""
    step = node.step
    assert step.for_each is not None
    resolve = context.resolver(step, clean=node.clean)
    items = code_of(step.for_each.items, resolve)
    most = step.for_each.max_items
    mapped = f"{node.name}.each"
    not_list = _error(step, VALIDATION_ERROR, f"for_each of {step.id} is no list")
    too_many = _error(step, TOO_MANY_ITEMS, f"for_each of {step.id} has more than {most} items")
    look: State = {
        "Type": "Choice",
        "Choices": [
            {
                "Condition": wrap(f"($w := {items}; $type($w) != 'array')"),
                "Output": not_list,
                "Next": node.failed,
            },
            {
                "Condition": wrap(f"$count({items}) > {most}"),
                "Output": too_many,
                "Next": node.failed,
            },
        ],
        "Default": mapped,
    }
    concurrency = step.for_each.max_concurrency or INLINE_CONCURRENCY
    state: State = {
        "Type": "Map",
        "Items": wrap(items),
        "ItemSelector": {
            "item": "{% $states.context.Map.Item.Value %}",
            "index": "{% $states.context.Map.Item.Index %}",
        },
        "MaxConcurrency": min(concurrency, INLINE_CONCURRENCY),
        "ItemProcessor": _processor(context, node),
        "Next": f"{node.name}.items",
    }
    states: States = {node.name: look, mapped: state}
    states |= _judged(context, node)
    return states


def _error(step: Step, name: str, message: str) -> str:
    return wrap(
        f"{{'step_id': {text_literal(step.id)}, 'Error': '{name}', "
        f"'Cause': {text_literal(message)}}}"
    )


def _processor(context: Context, node: Do) -> Json:
    """The body: its first state keeps the item, so that every state of the body can read it."""
    step = replace(node.step, for_each=None, condition=None)
    name = step.variable
    inner = context.at_item(Item(f"$item_{name}", f"$index_{name}"))
    begin: State = {
        "Type": "Pass",
        "Assign": {
            f"item_{name}": "{% $states.input.item %}",
            f"index_{name}": "{% $states.input.index %}",
        },
        "Next": f"{node.name}.item",
    }
    states: States = {f"{node.name}.begin": begin} | _body(inner, node, step)
    return {
        "ProcessorConfig": {"Mode": "INLINE"},
        "StartAt": f"{node.name}.begin",
        "States": states,
    }


def _body(context: Context, node: Do, step: Step) -> States:
    resolve = context.resolver(step)
    looped = step.retry is not None and bool(step.retry.conditions)
    attempt = loops.attempt(step) if looped else "$states.context.State.RetryCount + 1"
    name = f"{node.name}.item"
    failed = f"{node.name}.item_failed"
    task = task_of(context, step, resolve, attempt)
    states: States = {name: task.state}
    last = task.state
    if task.collects is not None:
        task.state["Next"] = f"{name}_result"
        states[f"{name}_result"] = last = task.collects
    outputs = task.outputs
    index = context.items[-1].index
    last["Output"] = {
        "index": wrap(index),
        "status": "succeeded",
        "outputs": wrap(f"$exists({outputs}) ? {outputs} : {{}}"),
        "error": None,
    }
    last["End"] = True
    inside = replace(node, name=name, step=step, failed=failed)
    target = failed
    if looped:
        states |= loops.again(context, inside, None)
        target = f"{name}.again"
    for state in (task.state, last):
        state["Catch"] = [
            {"ErrorEquals": ["States.ALL"], "Output": failures.caught(step.id), "Next": target}
        ]
    error = (
        "{'type': $string($states.input.Error), "
        f"'message': $substring($string($states.input.Cause), 0, {_kept(context)})}}"
    )
    states[failed] = {
        "Type": "Pass",
        "Output": {
            "index": wrap(index),
            "status": wrap(failures.status_of("$states.input")),
            "outputs": None,
            "error": wrap(error),
        },
        "End": True,
    }
    return states


def _kept(context: Context) -> int:
    return min(200, context.plan.message_length)


def _judged(context: Context, node: Do) -> States:
    """The Choice behind the Map: failed if an item failed."""
    step = node.step
    bad = "$states.input[status != 'succeeded']"
    variable = records.variable_of(context, step)
    listed = "[$states.input]"
    record: dict[str, Json] = {
        "status": "succeeded",
        "items": wrap(listed),
        "outputs": wrap("[$map($states.input, function($i) { $i.outputs })]"),
    }
    keep: dict[str, Json] = {} if variable is None else {"Assign": {variable: record}}
    lost: dict[str, Json] = {}
    if variable is not None:
        error = f"{{'type': '{ITEMS_FAILED}', 'message': $string($count({bad})) & ' items failed'}}"
        lost = {"Assign": {variable: record | {"status": "failed", "error": wrap(error)}}}
    choice: State = {
        "Type": "Choice",
        "Choices": [
            {
                "Condition": wrap(f"$exists({bad})"),
                **lost,
                "Output": wrap(
                    f"{{'step_id': {text_literal(step.id)}, 'Error': '{ITEMS_FAILED}', "
                    f"'Cause': $string($count({bad})) & ' items failed: ' & "
                    f"$substring($join([{bad}.$string(index)], ', '), 0, 200)}}"
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
