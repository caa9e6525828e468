"""A for_each with `fail_fast`: the first bad item ends it, what the others came to is read back.

The way on after a bad item is a Fail, which ends the whole Map; the states here follow its Catch.
"""

from __future__ import annotations

from compiler.asl import blocks, failures, records
from compiler.asl.context import Context, State, States
from compiler.asl.retrying import TRANSIENT, is_kept
from compiler.asl.tasks import INVOKE
from compiler.asl.values import code_of
from compiler.check.program import Action, Block, Constant, Script, Step, every_step
from compiler.document.nodes import Json
from compiler.expressions.quoting import literal, text_literal, wrap
from compiler.plan.model import Do, Stop
from protocol.names import ITEMS_FAILED, LATCHES, RECORDS, TASKS
from protocol.status import CANCELLED, FAILED, REJECTED, TIMED_OUT

_LENGTH = 300
"""Characters of the first bad item's error that the step's own error tells."""
# The inside of a text in JSON. JSONata takes a bracket behind a backslash for an escaped one, so
# that backslashes are written by their number.
_TEXT = r'(?:[^\x5c"\x00-\x1f]|\x5c(?:["\x5c\x2fbfnrt]|u[0-9a-fA-F]{4}))*'
_MESSAGE = rf'/"errorMessage": ?"({_TEXT})"/'
_CAUSE = rf'/"Cause": ?"(\d+ (?:failed|timed_out|rejected): {_TEXT})"/'
_BAD = f"[{', '.join(map(text_literal, (FAILED, TIMED_OUT, REJECTED)))}]"


def stop(context: Context, node: Stop) -> State:
    """Return the Fail behind what has ended badly where that ends all around it."""
    if context.each is None:
        return blocks.stop(context, node)
    at = "$states.input"
    status = (
        f"{at}.Error = '{failures.REJECTED}' ? 'rejected' : {failures.status_of(context.plan, at)}"
    )
    # Read again by `stopped`: which item it was, its status, the type and text of its error.
    # A function's error comes as JSON; its message alone is what stored results tell, too.
    message = (
        f"($c := $string({at}.Cause); $m := $match($c, {_MESSAGE}, 1).groups[0]; "
        "$exists($m) ? $parse('\"' & $m & '\"') : $c)"
    )
    cause = (
        f"$string(${context.index_variable}) & ' ' & ({status}) & ': ' & "
        f"$substring($string({at}.Error), 0, 80) & ': ' & $substring({message}, 0, {_LENGTH})"
    )
    return {"Type": "Fail", "Error": ITEMS_FAILED, "Cause": wrap(cause)}


def lost_chunk(size: int) -> State:
    """Return the Fail behind the child execution of a chunk: as its own Map failed, or as it did.

    The description of the execution may be cut, so the cause is looked for in its text.
    """
    first, last = f"$states.input.index * {size}", f"$states.input.index * {size} + {size - 1}"
    cause = (
        f"($c := $string($states.input.Cause); $m := $match($c, {_CAUSE}, 1).groups[0]; "
        "$exists($m) ? $parse('\"' & $m & '\"') : "
        f"'items ' & $string({first}) & ' to ' & $string({last}) & ': ' & "
        f"$string($states.input.Error) & ' ' & $substring($c, 0, {_LENGTH}))"
    )
    return {"Type": "Fail", "Error": ITEMS_FAILED, "Cause": wrap(cause)}


# --- what the items came to ----------------------------------------------------------------------


def noted(context: Context, step: Step, states: States) -> States:
    """Return a body's states; with one at its end that writes down what the item came to.

    That only where the first bad one ends all, somebody reads what the others came to, and
    nothing else will tell it. `context` is the body's own.
    """
    each = step.for_each
    assert each is not None
    if not (each.fail_fast and _is_read(context, step) and _leaves_a_note(step)):
        return states
    name, over = f"{step.id}.note", f"{step.id}.noted"
    index = f"${context.index_variable}"
    for state in states.values():
        if state.pop("End", None) is None:
            continue
        state["Next"] = name
    record = f"$states.input.{records.key_of(step)}"
    payload: dict[str, Json] = {
        "op": "signal",
        "run": "{% $run %}",
        "scope": _scope(context, inside=True),
        "producer": wrap(f"$string({index})"),
        "consumers": [_place(step)],
        "status": "ended",
        "counts": False,
        "bad": [],
        "values": {"item": wrap(f"$type({record}) = 'object' ? {record} : null")},
    }
    note: State = {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {"FunctionName": LATCHES, "Payload": payload},
        "TimeoutSeconds": 60,
        "Retry": [TRANSIENT],
        "Catch": [{"ErrorEquals": ["States.ALL"], "Output": "{% $states.input %}", "Next": over}],
        "Output": "{% $states.input %}",
        "End": True,
    }
    return states | {name: note, over: {"Type": "Pass", "End": True}}


def _is_read(context: Context, step: Step) -> bool:
    reads = context.plan.reads.get(step.id)
    return reads is not None and bool(reads.items or reads.all_outputs or reads.outputs)


def _leaves_a_note(step: Step) -> bool:
    """Whether the stored result of an item, if there is one, does not tell its end."""
    match step.kind:
        case Action(callback=callback):
            tells = not callback
        case Script():
            tells = True
        case _:
            tells = is_kept(step)
    return not tells or step.repeat is not None or step.on_error == "pause"


def _place(step: Step) -> str:
    """Return under what the notes of a for_each are kept; no step's id holds a slash."""
    return f"{step.id}/items"


def _scope(context: Context, *, inside: bool) -> Json:
    around = context.items[:-1] if inside else context.items
    if not around:
        return literal("")
    return wrap(" & '/' & ".join(f"$string({item.index})" for item in around))


# --- behind the Map ------------------------------------------------------------------------------


def stopped(context: Context, node: Do) -> States:
    """Return what follows a Map that was stopped, the first state first."""
    step = node.step
    states: States = {}
    last = f"{node.name}.stopped"
    is_read = _is_read(context, step)
    called: dict[str, Json] = {"run": "{% $run %}"}
    if context.items:
        called["items"] = [wrap(item.index) for item in context.items]
    waiting = [one.id for one in (step, *_inside(step)) if blocks.may_wait(one)]
    if waiting:
        payload: dict[str, Json] = {"op": "close", **called, "steps": [*waiting]}
        following = f"{node.name}.kept" if is_read else last
        states[f"{node.name}.close"] = blocks.asked(TASKS, payload, "$states.input", following)
    if is_read:
        states[f"{node.name}.kept"] = _read_back(context, step, called, last)
    states[last] = _end(context, node)
    return states


def _inside(step: Step) -> list[Step]:
    return [*every_step(step.kind.steps)] if isinstance(step.kind, Block) else []


def _read_back(context: Context, step: Step, called: dict[str, Json], following: str) -> State:
    """Return the call that asks what the items came to that had ended."""
    function, payload = RECORDS, {"op": "items", **called, "step": step.id}
    if _leaves_a_note(step):
        function = LATCHES
        payload = {
            "op": "noted",
            "run": "{% $run %}",
            "scope": _scope(context, inside=False),
            "consumer": _place(step),
        }
    at = "$states.result.Payload.items"
    kept = f"$merge([$states.input, {{'items': $type({at}) = 'object' ? {at} : {{}}}}])"
    return blocks.asked(function, payload, kept, following)


def _end(context: Context, node: Do) -> State:
    """Return the state that ends the step: which item was bad, and what all came to."""
    step = node.step
    count = _count(context, node)
    told = (
        f"($t := $split($substringBefore($c, ':'), ' ')[1] in {_BAD} ? 'item ' : ''; "
        f"$t & $substring($c, 0, {_LENGTH + 100}))"
    )
    cause = f"($c := $string($states.input.Cause); {told})"
    error = (
        f"{{'step_id': {text_literal(step.id)}, 'Error': '{ITEMS_FAILED}', 'Cause': {cause}, "
        f"'count': {count}}}"
    )
    state: State = {"Type": "Pass", "Output": wrap(error), "Next": node.failed}
    variable = records.variable_of(context, step)
    if variable is None:
        return state
    message = f"$substring({cause}, 0, {context.message_length})"
    record: dict[str, Json] = {
        "status": FAILED,
        "error": wrap(f"{{'type': '{ITEMS_FAILED}', 'message': {message}}}"),
    }
    reads = context.plan.reads.get(step.id)
    if reads is not None and reads.items:
        record["items"] = wrap(_items(count))
    if reads is not None and (reads.all_outputs or reads.outputs):
        record["outputs"] = wrap(f"[$map({_items(count)}, function($v) {{ $v.outputs }})]")
    state["Assign"] = {variable: record}
    return state


def _count(context: Context, node: Do) -> str:
    """Return JSONata of how many items the list has."""
    each = node.step.for_each
    assert each is not None
    if isinstance(each.items, Constant) and isinstance(each.items.value, list):
        return str(len(each.items.value))
    return f"$count({code_of(each.items, context.resolver(node.step, clean=node.clean))})"


def _items(count: str) -> str:
    """Return JSONata of all items: the bad one as the Map told, others as read back, or cut off."""
    bad = (
        "{'index': $i, 'status': $t[1], 'outputs': null, "
        "'error': {'type': $substringBefore($e, ': '), 'message': $substringAfter($e, ': ')}}"
    )
    cut_off = f"{{'status': '{CANCELLED}', 'outputs': null, 'error': null}}"
    return (
        "($c := $string($states.input.Cause); $t := $split($substringBefore($c, ':'), ' '); "
        "$e := $substringAfter($c, ': '); "
        f"[$map([0..{count} - 1], function($i) {{ "
        f"$string($i) = $t[0] and $t[1] in {_BAD} ? {bad} : "
        f"($r := $lookup($states.input.items, $string($i)); "
        f"$merge([{{'index': $i}}, $type($r) = 'object' ? $r : {cut_off}])) }})])"
    )
