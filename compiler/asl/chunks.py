"""A for_each too wide or too long for one execution: chunks of items in child executions."""

from __future__ import annotations

import json
import re

from compiler.asl import fail_fast, failures
from compiler.asl.begin import contexts
from compiler.asl.children import again_code
from compiler.asl.context import Context, State
from compiler.asl.model import StateMachine
from compiler.asl.resuming import asks_what_is_kept, handed_on, own_part
from compiler.asl.retrying import SERVICE
from compiler.check.program import Block, Step
from compiler.document.nodes import Json
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.bounds import Counter, chunk_size
from compiler.plan.model import Do
from protocol.names import STARTED_BY, child_machine

INLINE_CONCURRENCY = 40
"""Iterations of an inline Map that run at once at most (Step Functions service quotas)."""
INLINE_EVENTS = 5_000
"""History events that the items of an inline Map may take of an execution's 25,000."""
EVENTS_OF_A_CALL = 12
"""History events of one item's call: iteration, state and task, and a few of Lambda's retries."""

_VARIABLE = re.compile(r"\$([A-Za-z]\w*)")


def is_chunked(context: Context, step: Step, body: State) -> bool:
    """Whether a for_each step with such a body goes to child executions in chunks."""
    assert step.for_each is not None
    if (step.for_each.max_concurrency or 0) > INLINE_CONCURRENCY:
        return True
    calls = len(step.kind.steps) if isinstance(step.kind, Block) else 1
    attempts = 1 if step.retry is None else step.retry.attempts
    rounds = 1 if step.repeat is None else step.repeat.attempts
    rough = calls * (EVENTS_OF_A_CALL + 5 * attempts) * rounds
    events = max(rough, Counter(context.plan.program).flow(body).events)
    return step.for_each.max_items * events > INLINE_EVENTS


def machine_id(context: Context, step: Step) -> str:
    """Return the id of the machine that carries out a chunk."""
    # `--close` is what follows a failed run. No step is called `Close`: see compiler.spec.names.
    name = "Close" if step.id == "close" else step.id
    return f"{context.plan.program.id}--{name}"


def chunked(context: Context, node: Do, items: str, body: State) -> State:
    """Return the Map over chunks; the machine of a chunk is added to the context's children."""
    step = node.step
    assert step.for_each is not None
    size = chunk_size(Counter(context.plan.program).flow(body).events)
    most = step.for_each.max_concurrency or INLINE_CONCURRENCY
    chunks = min(INLINE_CONCURRENCY, -(-most // size))
    at_once = min(size, most // chunks)
    kept = _kept(context, body)
    context.children.append(_machine(context, step, body, kept, at_once))
    call = f"{node.name}.chunk"
    lost = f"{node.name}.chunk_failed"
    entry = failures.entry(context.plan, 60)
    # Every item of a chunk that was lost has failed: the others keep their places in the list.
    caught = (
        f"$merge([$states.errorOutput, {{'step_id': {text_literal(step.id)}, "
        "'count': $count($states.input.items), 'index': $states.input.index}])"
    )
    at = "".join(f" & $string({item.index}) & '/'" for item in context.items)
    name = (
        "$substring($run.id, 0, 40) & '-' & $substring($hash($run.id & "
        f"{text_literal('/' + step.id + '/')}{at} & $string($run.attempt) & '/' & "
        f"$string($states.input.index), 'SHA-256'), 0, 32){again_code(context)}"
    )
    payload: dict[str, Json] = {
        "run": "{% $run %}",
        "inputs": "{% $inputs %}",
        "items": "{% $states.input.items %}",
        "offset": wrap(f"$states.input.index * {size}"),
        STARTED_BY: "{% $states.context.Execution.Id %}",
    }
    for root in sorted(context.plan.carried):
        payload[root] = f"{{% ${root} %}}"
    if asks_what_is_kept(context.plan):
        payload["resume"] = handed_on()
    if kept:
        payload["kept"] = {one: wrap(f"$exists(${one}) ? ${one} : null") for one in kept}
    states: dict[str, Json] = {
        call: {
            "Type": "Task",
            "Resource": "arn:aws:states:::states:startExecution.sync:2",
            "Arguments": {
                "StateMachineArn": child_machine(machine_id(context, step)),
                "Name": wrap(name),
                "Input": payload,
            },
            "Retry": [SERVICE],
            "Catch": [
                {
                    "ErrorEquals": ["States.ALL"],
                    "Output": wrap(caught),
                    "Next": lost,
                }
            ],
            "Output": "{% $states.result.Output.items %}",
            "End": True,
        },
        lost: fail_fast.lost_chunk(size)
        if step.for_each.fail_fast
        else {
            "Type": "Pass",
            "Output": wrap(f"[[1..$states.input.count].{{'f': [{entry}]}}]"),
            "End": True,
        },
    }
    return {
        "Type": "Map",
        "Items": wrap(f"$count({items}) = 0 ? [] : [$partition({items}, {size})]"),
        "ItemSelector": {
            "items": "{% $states.context.Map.Item.Value %}",
            "index": "{% $states.context.Map.Item.Index %}",
        },
        "MaxConcurrency": chunks,
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "INLINE"},
            "StartAt": call,
            "States": states,
        },
        "Output": "{% $count($states.result) = 0 ? [] : $reduce($states.result, $append) %}",
    }


def _kept(context: Context, body: Json) -> list[str]:
    """Return the variables of outer scopes that a body reads; a child execution sees none."""
    text = json.dumps(body)
    known = {*context.plan.variables.values()}
    known |= {name for code in context.bad_ids.values() for name in _VARIABLE.findall(code)}
    closing = context.plan.closing
    if closing is not None:
        known |= {"failure", *(f"s_{stored.variable}" for stored in closing.read)}
    if context.deadline is not None:
        known.add(context.deadline)
    for item in context.items:
        known |= {name for code in (item.item, item.index) for name in _VARIABLE.findall(code)}
    known -= {"states"}
    inside = set(re.findall(r'"(s_\w+)": ', text))
    return sorted(name for name in set(_VARIABLE.findall(text)) & known if name not in inside)


def _machine(
    context: Context, step: Step, body: Json, kept: list[str], at_once: int
) -> StateMachine:
    assign: dict[str, Json] = {
        "run": "{% $states.input.run %}",
        "inputs": "{% $states.input.inputs %}",
        "offset": "{% $states.input.offset %}",
        **contexts(context),
    }
    if asks_what_is_kept(context.plan):
        assign["resume"] = own_part("$states.input")
    for name in kept:
        path = f"$states.input.kept.{name}"
        assign[name] = wrap(f"$exists({path}) ? {path} : null")
    each: State = {
        "Type": "Map",
        "Items": "{% $states.input.items %}",
        "ItemSelector": {
            "item": "{% $states.context.Map.Item.Value %}",
            "index": "{% $states.context.Map.Item.Index + $offset %}",
        },
        "MaxConcurrency": at_once,
        "ItemProcessor": body,
        "Output": {"items": "{% [$states.result] %}"},
        "End": True,
    }
    definition: dict[str, Json] = {
        "Comment": f"Some items of {step.name}",
        "QueryLanguage": "JSONata",
        "StartAt": "Start",
        "States": {
            "Start": {"Type": "Pass", "Assign": assign, "Next": f"{step.id}.items"},
            f"{step.id}.items": dict(each),
        },
    }
    return StateMachine(machine_id(context, step), definition, {step.id: step.span})
