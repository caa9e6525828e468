"""A parallel step: its branches, and what takes it as one step."""

from __future__ import annotations

from collections.abc import Callable

from compiler.asl import failures, records
from compiler.asl.context import Context, State, States
from compiler.asl.retrying import TRANSIENT
from compiler.asl.tasks import INVOKE, code_of_field
from compiler.check.program import (
    Action,
    Block,
    EventWait,
    Manual,
    Step,
    SubWorkflow,
    every_step,
)
from compiler.document.nodes import Json
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.model import Do, End, Ending, Scope, Stop
from protocol.names import LONGEST_FIRST, RECORDS, STEPS_FAILED, TASKS

Fork = Callable[[Context, tuple[Scope, ...], str | None], State]


def block(context: Context, node: Do, fork: Fork) -> States:
    """Return the states of a parallel step; `fork` makes the Parallel of its branches."""
    step = node.step
    assert isinstance(step.kind, Block)
    inner = context
    states: States = {}
    first = node.name
    if step.timeout is not None:
        inner, assign = context.with_deadline(step, step.timeout)
        first = f"{node.name}.all"
        states[node.name] = {"Type": "Pass", "Assign": assign, "Next": first}
    joined = f"{node.name}.joined"
    state = states[first] = fork(inner, node.inner, joined)
    kept: dict[str, Json] = {**records.taken_over(context, node.binds, "$states.input")}
    variable = records.variable_of(context, step)
    if variable is not None:
        kept[variable] = records.succeeded(context, step, "{}", own=False)
    good, bad = _ends(context, node)
    if not step.kind.fail_fast:
        states[joined] = (
            _joined(context, node, kept)
            if good is None or bad is None
            else _told(context, step, good, bad)
        )
        return states
    stopped = _stopped(context, node, step.kind)
    state["Catch"] = [{"ErrorEquals": ["States.ALL"], "Next": next(iter(stopped))}]
    if good is not None:
        states[joined] = _told(context, step, good, None)
    elif kept:
        states[joined] = {"Type": "Pass", "Assign": kept, "Next": node.next}
    else:
        state["Next"] = node.next
    return states | stopped


def _joined(context: Context, node: Do, kept: dict[str, Json]) -> State:
    """The Choice behind the branches: the step is failed if one tells of a failure."""
    step = node.step
    failed = "[$states.input.f]"
    said = _said(step, failed)
    error = (
        f"{{'step_id': {text_literal(step.id)}, 'Error': '{STEPS_FAILED}', "
        f"'Cause': {said}, 'details': {failed}}}"
    )
    lost: dict[str, Json] = {**records.taken_over(context, node.binds, "$states.input")}
    variable = records.variable_of(context, step)
    if variable is not None:
        lost[variable] = _failed(context, step, _cut(context, said))
    rule: dict[str, Json] = {"Condition": "{% $count($states.input.f) > 0 %}"}
    if lost:
        rule["Assign"] = lost
    rule |= {"Output": wrap(error), "Next": node.failed}
    choice: State = {"Type": "Choice", "Choices": [rule]}
    if kept:
        choice["Assign"] = kept
    choice["Default"] = node.next
    return choice


def _ends(context: Context, node: Do) -> tuple[Ending | None, Ending | None]:
    """Return how an item ends well, and badly, whose block it is; None where more follows."""
    ends = {one.name: one.ending for one in context.scope.nodes if isinstance(one, End)}
    if context.each is None or node.binds:
        return None, None
    return ends.get(node.next or ""), ends.get(node.failed or "")


def _told(context: Context, step: Step, good: Ending, bad: Ending | None) -> State:
    """The end of an item whose block it is: what a Choice and an end behind it would tell."""
    found = "$states.input.f"
    message = _cut(context, _said(step, f"[{found}]"))
    entry = (
        f"[{{'step_id': {text_literal(step.id)}, 'status': 'failed', 'type': '{STEPS_FAILED}', "
        f"'message': {message}, 'details': [{found}]}}]"
    )

    def output(ending: Ending, record: dict[str, Json], f: str | None) -> Json:
        given = {records.key_of(step): record} if step.id in ending.gives else {}
        return failures.ending(context.scope, ending, {**given}, f=f)

    ended = output(good, records.succeeded(context, step, "{}", own=False), None)
    if bad is None:
        return {"Type": "Pass", "Output": ended, "End": True}
    failed = output(bad, _failed(context, step, message), entry)
    told = f"$count({found}) > 0 ? {code_of_field(failed)} : {code_of_field(ended)}"
    return {"Type": "Pass", "Output": wrap(told), "End": True}


def _said(step: Step, failed: str) -> str:
    """Return what a block says of its failed children: their names, and what a called run says.

    Records tell of each child what it failed of.
    """
    assert isinstance(step.kind, Block)
    if any(isinstance(one.kind, SubWorkflow) for one in every_step(step.kind.steps)):
        return failures.first_of(failed)
    return f"$substring($join({failed}.step_id, ', '), 0, 300) & ' ended badly'"


def _cut(context: Context, message: str) -> str:
    return f"$substring({message}, 0, {context.message_length})"


def _failed(context: Context, step: Step, message: str) -> dict[str, Json]:
    reads = context.reads_of(step)
    record: dict[str, Json] = {"status": "failed"}
    if reads is not None and reads.error:
        record["error"] = wrap(f"{{'type': '{STEPS_FAILED}', 'message': {message}}}")
    return record


# --- fail_fast -----------------------------------------------------------------------------------


def stop(context: Context, node: Stop) -> State:
    """Return the Fail with which a bad child ends its block at once; its text begins with who."""
    error = "$states.input.Error"
    status = failures.status_of(context.plan, "$states.input")
    cause = (
        f"{text_literal(f'{node.step.id} ')} & ({error} = '{failures.REJECTED}' ? 'rejected' : "
        f"{status}) & ': ' & $substring($string({error}), 0, 80)"
    )
    if isinstance(node.step.kind, SubWorkflow | Block):  # whose causes are plain texts
        cause += f" & ': ' & $substring($states.input.Cause & '', 0, {LONGEST_FIRST})"
    return {"Type": "Fail", "Error": STEPS_FAILED, "Cause": wrap(cause)}


def _stopped(context: Context, node: Do, kind: Block) -> States:
    """What follows a block that was stopped: open tasks are closed, the records read back."""
    step = node.step
    inside = [*every_step(kind.steps)]
    states: States = {}
    last = f"{node.name}.stopped"
    called: dict[str, Json] = {"run": "{% $run %}"}
    if context.items:
        called["items"] = [wrap(item.index) for item in context.items]
    waiting = [child.id for child in inside if may_wait(child)]
    read = [bind.step for bind in node.binds]
    if waiting:
        payload: dict[str, Json] = {"op": "close", **called, "steps": [*waiting]}
        following = f"{node.name}.kept" if read else last
        states[f"{node.name}.close"] = asked(TASKS, payload, "$states.input", following)
    if read:
        payload = {"op": "stored", **called, "steps": [*read], "undo": []}
        at = "$states.result.Payload.steps"
        kept = f"$merge([$states.input, {{'steps': $type({at}) = 'object' ? {at} : {{}}}}])"
        states[f"{node.name}.kept"] = asked(RECORDS, payload, kept, last)
    cause = "$string($states.input.Cause)"
    error = (
        f"{{'step_id': {text_literal(step.id)}, 'Error': '{STEPS_FAILED}', "
        f"'Cause': $substring({cause}, 0, 400)}}"
    )
    assign: dict[str, Json] = {bind.variable: wrap(_ended(bind.step)) for bind in node.binds}
    variable = records.variable_of(context, step)
    if variable is not None:
        message = f"$substring({cause}, 0, {context.message_length})"
        assign[variable] = _failed(context, step, message)
    states[last] = {"Type": "Pass", "Output": wrap(error), "Next": node.failed}
    if assign:
        states[last]["Assign"] = assign
    return states


def _ended(child: str) -> str:
    """Return JSONata of a child's record: as stored, as the block was told, else cancelled."""
    name = text_literal(child)
    return (
        f"($r := $lookup($states.input.steps, {name}); "
        f"$t := $split($substringBefore($string($states.input.Cause), ':'), ' '); "
        "$type($r) = 'object' ? ($r.in_doubt = true ? "
        "$merge([$r, {'status': 'cancelled'}]) : $r) : "
        f"{{'status': $t[0] = {name} and $exists($t[1]) ? $t[1] : 'cancelled'}})"
    )


def asked(function: str, payload: dict[str, Json], output: str, following: str) -> State:
    """Return a call whose failure changes nothing of what follows."""
    return {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {"FunctionName": function, "Payload": payload},
        "TimeoutSeconds": 60,
        "Retry": [TRANSIENT],
        "Catch": [
            {
                "ErrorEquals": ["States.ALL"],
                "Output": "{% $states.input %}",
                "Next": following,
            }
        ],
        "Output": wrap(output),
        "Next": following,
    }


def may_wait(step: Step) -> bool:
    """Whether a step may leave a task open that somebody has to answer."""
    match step.kind:
        case Manual() | EventWait() | Action(callback=True):
            return True
        case _:
            return step.on_error == "pause"
