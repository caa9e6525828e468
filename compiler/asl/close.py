"""The close machine: fetches the stored records, undoes newest first, then runs the handlers."""

from __future__ import annotations

from dataclasses import replace

from compiler.asl import failures
from compiler.asl.bodies import ordered
from compiler.asl.children import INHERITED_OF_RUN, again_code
from compiler.asl.context import Context, Item, State, States
from compiler.asl.loops import again
from compiler.asl.resolver import member
from compiler.asl.retrying import SERVICE, TRANSIENT, is_looped
from compiler.asl.tasks import INVOKE, task_of
from compiler.asl.undone import outputs_of_close
from compiler.asl.values import code_of
from compiler.check.program import Step, SubWorkflow
from compiler.document.nodes import Json
from compiler.expressions.quoting import json_literal, text_literal, wrap
from compiler.plan.closing import Closing
from compiler.plan.model import Do
from protocol.names import RECORDS, STARTED_BY, child_machine

STORED, UNDO, ONLY = "Stored", "Undo", "Undone"
BESIDE = "undo_beside"
"""The variable with the records that an undo reads out of its own step's item."""
END = "Undo.end"
INPUT = "$states.input"
_ITEMS: dict[str, Json] = {"items": "{% $undo_items %}"}
"""The places of the items that a step is undone for, the outermost first."""
GIVEN = "$states.context.Execution.Input"
"""What the close machine was started with, in all of its states."""


def prelude(context: Context, closing: Closing, following: str) -> tuple[str, States]:
    """Return the states in front of the handlers, and the first of them (or `following`)."""
    states: States = {}
    first = following
    if closing.undone and context.plan.program.steps:
        only = "$states.context.Execution.Input.undo_only = true"
        states[ONLY] = {
            "Type": "Choice",
            "Choices": [{"Condition": wrap(only), "Next": f"{ONLY}.done"}],
            "Default": following,
        }
        end: State = {"Type": "Pass", "Output": outputs_of_close(closing), "End": True}
        states[f"{ONLY}.done"] = end
        following = ONLY
    if closing.undone:
        states[UNDO] = ordered(_undo(context, closing, following))
        first = UNDO
    if closing.undone or closing.read:
        states[STORED] = ordered(_stored(closing, first))
        first = STORED
    return first, states


def variable(step: Step) -> str:
    """Return the variable that holds a step's stored record in the close machine."""
    return f"s_{step.variable}"


def failure_of(closing: Closing) -> str:
    """Return JSONata of the context `failure`: the first failed step in file order, and all."""
    order = ", ".join(
        f"{text_literal(step)}: [{at}, {text_literal(name)}]"
        for at, (step, name) in enumerate(closing.order)
    )
    return (
        f"($o := {{{order}}}; "
        "$l := $type($states.input.failure.steps) = 'array' ? "
        "$append([], $filter($states.input.failure.steps, "
        "function($d) { $type($d.step_id) = 'string' })) : []; "
        "$p := function($d) { $exists($lookup($o, $d.step_id)) ? $lookup($o, $d.step_id)[0] "
        f": {len(closing.order)} }}; "
        "$s := [$map($sort($l, function($a, $b) { $p($a) > $p($b) }), function($x) { "
        "{'step_id': $x.step_id, 'name': $exists($lookup($o, $x.step_id)) ? "
        "$lookup($o, $x.step_id)[1] : $x.step_id, 'status': $x.status, "
        "'error': {'type': $x.type, 'message': $x.message}} })]; "
        "$count($s) > 0 ? $merge([$s[0], {'steps': $s}]) : {'steps': []})"
    )


def _stored(closing: Closing, following: str) -> State:
    """Asks `records` for stored records; without an answer the handlers still run."""
    cut_off = f"{GIVEN}.cut_off"
    payload: dict[str, Json] = {
        "op": "stored",
        "run": "{% $run %}",
        "steps": [step.id for step in closing.read],
        "undo": [step.id for step in closing.undone],
    }
    at = "$states.result.Payload"
    assign: dict[str, Json] = {}
    empty: dict[str, Json] = {}
    for step in closing.read:
        path = f"$lookup({at}.steps, {text_literal(step.id)})"
        stored, nothing = f"$exists({path}) ? {path} : null", "null"
        if step.id in closing.told:
            # A run that was cut off has handed on nothing; a null says that the step was skipped.
            told = f"$lookup({GIVEN}.known, {text_literal(step.id)})"
            is_told = f"$type({told}) = 'object' ?"
            both = (
                f"$exists($s) ? $merge([$s, {told}, $exists($s.error) ? "
                f"{{'error': $s.error}} : {{}}]) : {told}"
            )
            stored = f"($s := {path}; {is_told} ({both}) : $exists($s) ? $s : null)"
            nothing = f"{is_told} {told} : null"
        assign[variable(step)] = wrap(stored)
        empty[variable(step)] = wrap(nothing)
    if closing.undone:
        payload["cut_off"] = wrap(f"$exists({cut_off}) ? {cut_off} : []")
        if _calls(closing):
            # Whoever closes a run again tells all that is left. Else the run cannot know: what it
            # called may have been stopped with a branch, and ended without a word.
            called = f"$exists({GIVEN}.called) ? {GIVEN}.called : {GIVEN}.{STARTED_BY}"
            told = f"$exists({cut_off}) and $type({GIVEN}.again) = 'number'"
            payload["execution"] = wrap(f"{told} ? null : {called}")
            payload["close"] = "{% $states.context.Execution.Id %}"
        assign["undos"] = wrap(f"$type({at}.undo) = 'array' ? {at}.undo : []")
        empty["undos"] = []
        empty["lost"] = wrap("true")
    return {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {"FunctionName": RECORDS, "Payload": payload},
        "TimeoutSeconds": 60,
        "Retry": [TRANSIENT],
        "Catch": [{"ErrorEquals": ["States.ALL"], "Assign": empty, "Next": following}],
        "Assign": assign,
        "Next": following,
    }


def _undo(context: Context, closing: Closing, following: str) -> State:
    """One undo after the other; a failed one does not stop the others.

    `records` first notes that the result no longer counts, and says whether an earlier close
    machine has undone it; in the end it notes that it is undone.
    """
    in_items = any(closing.around[step.id] for step in closing.undone)
    which: dict[str, Json] = {"step": wrap(f"{INPUT}.step")}
    if in_items:
        which |= _ITEMS
    ways: list[Json] = [{"Condition": "{% $states.input.done %}", "Next": "Undo.done"}]
    ways += [
        {
            "Condition": wrap(f"$states.input.step = {text_literal(step.id)}"),
            "Next": f"{step.id}.undo",
        }
        for step in closing.undone
    ]
    begun: dict[str, Json] = _noted("undo", INPUT)
    ended: dict[str, Json] = {
        **_noted("undone", INPUT),
        "items": "{% $undo_items %}",
        "status": wrap(f"{INPUT}.status"),
    }
    if _calls(closing):
        begun["child"] = wrap(_child_of(f"{INPUT}.record"))
        ended["child"] = wrap(_child_of("$undo_record"))
    assign: dict[str, Json] = {
        "undo_record": wrap(f"{INPUT}.record"),
        "undo_items": wrap(f"$type({INPUT}.items) = 'array' ? {INPUT}.items : []"),
    }
    if closing.beside:
        asked: dict[str, Json] = {step: {**steps} for step, steps in closing.beside.items()}
        own = f"$lookup({json_literal(asked)}, {INPUT}.step)"
        begun["beside"] = wrap(f"$exists({own}) ? {own} : {{}}")
        given = "$states.result.Payload.steps"
        assign[BESIDE] = wrap(f"$type({given}) = 'object' ? {given} : {{}}")
    states: States = {
        "Undo.begin": {
            "Type": "Task",
            "Resource": INVOKE,
            "Arguments": {"FunctionName": RECORDS, "Payload": begun},
            "TimeoutSeconds": 60,
            "Retry": [TRANSIENT],
            "Catch": [
                {
                    "ErrorEquals": ["States.ALL"],
                    "Output": wrap(
                        "$merge([$states.errorOutput, "
                        f"{{'step': {INPUT}.step, 'items': {INPUT}.items}}])"
                    ),
                    "Next": "Undo.lost",
                }
            ],
            "Assign": assign,
            "Output": {
                "step": wrap(f"{INPUT}.step"),
                "done": "{% $states.result.Payload.done = true %}",
            },
            "Next": "Undo.which",
        },
        "Undo.which": {
            "Type": "Choice",
            "Choices": ways,
            "Default": "Undo.unknown",
        },
        "Undo.unknown": {
            "Type": "Pass",
            "Output": {**which, "status": "failed"},
            "End": True,
        },
        "Undo.lost": _failed_undo(which | ({"items": wrap(f"{INPUT}.items")} if in_items else {})),
        "Undo.done": {
            "Type": "Pass",
            "Output": {**which, "status": "undone"},
            "End": True,
        },
    }
    for step in closing.undone:
        states |= _undo_of(context, step)
    states[END] = {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {
            "FunctionName": RECORDS,
            "Payload": ended,
        },
        "TimeoutSeconds": 60,
        "Retry": [TRANSIENT],
        # It is undone, if nobody knows it: whoever closes the run again may do so once more.
        "Catch": [{"ErrorEquals": ["States.ALL"], "Output": wrap(INPUT), "Next": f"{END}.unnoted"}],
        "Output": wrap(INPUT),
        "End": True,
    }
    states[f"{END}.unnoted"] = {"Type": "Pass", "End": True}
    return {
        "Type": "Map",
        "Items": "{% $undos %}",
        "ItemSelector": {
            "step": "{% $states.context.Map.Item.Value.step %}",
            "record": "{% $states.context.Map.Item.Value.record %}",
            "items": "{% $states.context.Map.Item.Value.items %}",
        },
        "MaxConcurrency": 1,
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "INLINE"},
            "StartAt": "Undo.begin",
            "States": {name: ordered(state) for name, state in states.items()},
        },
        "Assign": {"undone": "{% [$states.result] %}"},
        "Next": following,
    }


def _noted(op: str, at: str) -> dict[str, Json]:
    """Return what `records` is told about the undo of the step at `at`."""
    return {
        "op": op,
        "run": "{% $run %}",
        "step": wrap(f"{at}.step"),
        "items": wrap(f"$type({at}.items) = 'array' ? {at}.items : []"),
    }


def _calls(closing: Closing) -> bool:
    """Whether a step with an undo calls a workflow."""
    return any(isinstance(step.kind, SubWorkflow) for step in closing.undone)


def _child_of(record: str) -> str:
    """Return JSONata of the run that was called, null where the record is of no call."""
    child = f"{record}.child"
    number = f"$exists({child}.attempt) ? {child}.attempt : 1"
    return f"$exists({child}.id) ? {{'id': {child}.id, 'attempt': {number}}} : null"


def _undo_of_child(context: Context, step: Step) -> States:
    """A child that ended well, or was cut off, is undone by its own close machine.

    Its handlers are left out. The child was started under the id that was stored, so its close
    machine has the name that `records` would use.
    """
    assert isinstance(step.kind, SubWorkflow)
    name = f"{step.id}.undo"
    child = "$undo_record.child"
    started_by = "$exists($run.started_by) ? $run.started_by : null"
    root = "$type($run.root) = 'string' ? $run.root : $run.id"
    attempt = f"$exists({child}.attempt) ? {child}.attempt : 1"
    run = (
        f"{{'id': {child}.id, 'attempt': {attempt}, 'started_by': {started_by}, "
        f"{INHERITED_OF_RUN}, 'parent': $run.id, 'root': {root}}}"
    )
    again = "$states.context.Execution.Input.again"
    closes = f"$substring({child}.id, 0, 60) & '-' & $string({attempt}) & '-close'"
    # One that was cut off may have begun to close itself.
    closes += " & ($undo_record.status = 'cancelled' ? '-cut' : '')"
    state: State = {
        "Type": "Task",
        "Resource": "arn:aws:states:::states:startExecution.sync:2",
        "Arguments": {
            "StateMachineArn": child_machine(f"{step.kind.workflow}--close"),
            "Name": wrap(f"{closes}{again_code(context)}"),
            "Input": {
                "run": wrap(run),
                "inputs": wrap(f"{child}.inputs"),
                "failure": {"steps": []},
                "called": child_machine(step.kind.workflow),
                "undo_only": True,
                "again": wrap(f"$type({again}) = 'number' ? {again} : null"),
                STARTED_BY: "{% $states.context.Execution.Id %}",
            },
        },
        "Retry": [SERVICE],
        "Catch": _lost(step, f"{name}_failed", failures.called()),
        "Output": {
            **_which(context, step),
            "status": wrap(
                "$states.result.Output.compensation in ['complete', 'none'] ? 'undone' : 'failed'"
            ),
        },
        "Next": END,
    }
    return {name: state, f"{name}_failed": _failed_undo(_which(context, step))}


def _lost(step: Step, target: str, error: str = "$states.errorOutput") -> list[Json]:
    return [
        {"ErrorEquals": ["States.ALL"], "Output": failures.caught(step.id, error), "Next": target},
    ]


def _which(context: Context, step: Step) -> dict[str, Json]:
    """Return what tells the undo of a step from others: in a for_each each item has its own."""
    assert context.plan.closing is not None
    return {"step": step.id} | (_ITEMS if context.plan.closing.around[step.id] else {})


def _failed_undo(which: dict[str, Json]) -> State:
    return {
        "Type": "Pass",
        "Output": {
            **which,
            "status": "failed",
            "error": wrap(
                f"{{'type': $string({INPUT}.Error), "
                f"'message': $substring($string({INPUT}.Cause), 0, 200)}}"
            ),
        },
        "End": True,
    }


def _at_items(context: Context, step: Step) -> Context:
    """Return the context of a step's undo, which knows the items that the step was done for.

    Only their places are stored. The lists are made again, of the same inputs and records.
    """
    assert context.plan.closing is not None
    for depth, outer in enumerate(context.plan.closing.around[step.id]):
        assert outer.for_each is not None
        at = f"$undo_items[{depth}]"
        index = f"($exists({at}) ? {at} : 0)"
        made = code_of(outer.for_each.items, context.resolver(outer))
        one = f"$l[{index}]"
        item = f"($l := {made}; $type($l) = 'array' and $exists({one}) ? {one} : null)"
        context = context.at_item(Item(item, index))
    return context


def _undo_of(context: Context, step: Step) -> States:
    """The states of one undo; its key tells the attempt that it undoes from later ones."""
    undo = step.compensate
    if undo is None:
        return _undo_of_child(context, step)
    life = "$exists($undo_record.life) ? $undo_record.life : null"
    assert context.plan.closing is not None
    stored_as = {step.id: "$undo_record"}
    for name in context.plan.closing.beside.get(step.id, {}):
        stored_as[name] = member(f"${BESIDE}", name)
    inside = _at_items(replace(context, stored_as=stored_as, life=life), step)
    task = task_of(inside, undo, inside.resolver(undo))
    name = f"{step.id}.undo"
    states: States = {name: task.state}
    last = task.state
    if task.collects is not None:
        last = states[f"{name}.result"] = task.collects
        task.state["Next"] = f"{name}.result"
        task.state.pop("Output", None)
    last |= {"Output": {**_which(inside, step), "status": "undone"}, "Next": END}
    target = f"{name}_failed"
    if is_looped(undo, limited=inside.limited):
        node = Do(name, undo, END, None, failed=target)
        states |= again(inside, node, target)
        target = f"{name}.again"
    for state in (task.state, last):
        state["Catch"] = _lost(step, target)
    if task.collects is not None:
        fetched: Json = {"ErrorEquals": ["States.TaskFailed"], "Next": f"{name}.result"}
        task.state["Catch"] = [fetched, *_lost(step, target)]
    states[f"{name}_failed"] = _failed_undo(_which(inside, step))
    return states
