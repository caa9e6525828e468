"""The close machine: fetches the stored records, undoes newest first, then runs the handlers."""

from __future__ import annotations

from dataclasses import replace

from compiler.asl import failures
from compiler.asl.bodies import ordered
from compiler.asl.context import Context, Item, State, States
from compiler.asl.retrying import SERVICE, TRANSIENT
from compiler.asl.tasks import INVOKE, task_of
from compiler.asl.undone import outputs_of_close
from compiler.asl.values import code_of
from compiler.check.program import Step, SubWorkflow
from compiler.document.nodes import Json
from compiler.expressions.quoting import literal, text_literal, wrap
from compiler.plan.closing import Closing
from protocol.names import RECORDS, child_machine

STORED, UNDO, ONLY = "Stored", "Undo", "Undone"


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
        "$s := $sort($l, function($a, $b) { $p($a) > $p($b) }); $x := $s[0]; "
        "$exists($x) ? {'step_id': $x.step_id, 'name': $exists($lookup($o, $x.step_id)) ? "
        "$lookup($o, $x.step_id)[1] : $x.step_id, 'status': $x.status, "
        "'error': {'type': $x.type, 'message': $x.message}, 'steps': $s} : {'steps': []})"
    )


def _stored(closing: Closing, following: str) -> State:
    """Asks `records` for stored records; without an answer the handlers still run."""
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
        assign[variable(step)] = wrap(f"$exists({path}) ? {path} : null")
        empty[variable(step)] = literal(None)
    if closing.undone:
        assign["undos"] = wrap(f"$type({at}.undo) = 'array' ? {at}.undo : []")
        empty["undos"] = []
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
    """One undo after the other; a failed one does not stop the others."""
    items = "$states.input.items"
    states: States = {
        "Undo.begin": {
            "Type": "Pass",
            "Assign": {
                "undo_record": "{% $states.input.record %}",
                "undo_items": wrap(f"$type({items}) = 'array' ? {items} : []"),
            },
            "Next": "Undo.which",
        },
        "Undo.which": {
            "Type": "Choice",
            "Choices": [
                {
                    "Condition": wrap(f"$states.input.step = {text_literal(step.id)}"),
                    "Next": f"{step.id}.undo",
                }
                for step in closing.undone
            ],
            "Default": "Undo.unknown",
        },
        "Undo.unknown": {
            "Type": "Pass",
            "Output": {"step": "{% $states.input.step %}", "status": "failed"},
            "End": True,
        },
    }
    for step in closing.undone:
        states |= _undo_of(context, step)
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
            "States": states,  # type: ignore[dict-item]
        },
        "Assign": {"undone": "{% [$states.result] %}"},
        "Next": following,
    }


def _undo_of_child(step: Step) -> States:
    """A child that ended well is undone by its own close machine, whose handlers are left out.

    The child was started under the id that was stored, so its close machine has the name that
    `records` would start it under.
    """
    assert isinstance(step.kind, SubWorkflow)
    name = f"{step.id}.undo"
    child = "$undo_record.child"
    started_by = "$exists($run.started_by) ? $run.started_by : null"
    root = "$exists($run.root) ? $run.root : $run.id"
    run = (
        f"{{'id': {child}.id, 'attempt': 1, 'started_by': {started_by}, 'parent': $run.id, "
        f"'root': {root}}}"
    )
    state: State = {
        "Type": "Task",
        "Resource": "arn:aws:states:::states:startExecution.sync:2",
        "Arguments": {
            "StateMachineArn": child_machine(f"{step.kind.workflow}--close"),
            "Name": wrap(f"$substring({child}.id, 0, 60) & '-1-close'"),
            "Input": {
                "run": wrap(run),
                "inputs": wrap(f"{child}.inputs"),
                "failure": {"steps": []},
                "undo_only": True,
                "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID": "{% $states.context.Execution.Id %}",
            },
        },
        "Retry": [SERVICE],
        "Catch": [
            {
                "ErrorEquals": ["States.ALL"],
                "Output": failures.caught(step.id),
                "Next": f"{name}_failed",
            }
        ],
        "Output": {
            "step": step.id,
            "status": wrap("$states.result.Output.compensation = 'partial' ? 'failed' : 'undone'"),
        },
        "End": True,
    }
    return {name: ordered(state), f"{name}_failed": ordered(_undo_failed(step))}


def _undo_failed(step: Step) -> State:
    return {
        "Type": "Pass",
        "Output": {
            "step": step.id,
            "status": "failed",
            "error": wrap(
                "{'type': $string($states.input.Error), "
                "'message': $substring($string($states.input.Cause), 0, 200)}"
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
    undo = step.compensate
    if undo is None:
        return _undo_of_child(step)
    inside = _at_items(replace(context, stored_as={step.id: "undo_record"}), step)
    resolve = inside.resolver(undo)
    task = task_of(inside, undo, resolve)
    name = f"{step.id}.undo"
    task.state["Output"] = {"step": step.id, "status": "undone"}
    task.state["End"] = True
    states: States = {name: task.state}
    if task.collects is not None:
        task.state.pop("End")
        task.state.pop("Output")
        task.state["Next"] = f"{name}.result"
        task.collects["Output"] = {"step": step.id, "status": "undone"}
        task.collects["End"] = True
        states[f"{name}.result"] = task.collects
    for state in states.values():
        state["Catch"] = [
            {
                "ErrorEquals": ["States.ALL"],
                "Output": failures.caught(step.id),
                "Next": f"{name}_failed",
            }
        ]
    if task.collects is not None:
        fetched: Json = {"ErrorEquals": ["States.TaskFailed"], "Next": f"{name}.result"}
        task.state["Catch"] = [fetched, *task.state["Catch"]]  # type: ignore[misc]
    states[f"{name}_failed"] = _undo_failed(step)
    return {name: ordered(state) for name, state in states.items()}
