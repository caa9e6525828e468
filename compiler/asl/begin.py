"""The first state: takes in the execution's input and sets what the machine reads of it."""

from __future__ import annotations

from compiler.asl.close import failure_of
from compiler.asl.context import Context, State
from compiler.asl.resuming import asks_what_is_kept, own_part
from compiler.asl.values import code_of
from compiler.document.nodes import Json
from compiler.expressions.quoting import json_literal, literal, text_literal, wrap
from compiler.plan.inputs import KINDS
from compiler.plan.model import Begin
from protocol.payloads import CONTRACT

INPUT = "$states.input"


def begin(context: Context, node: Begin) -> State:
    """Return a Pass that assigns `run`, `inputs` and the contexts that some expression reads.

    Whoever starts a run has validated its inputs; here they are only made safe: an input of the
    wrong kind takes its default, so that no expression can fail over it.
    """
    plan = context.plan
    assign: dict[str, Json] = {"run": _run(context), "inputs": _inputs(context)}
    assign |= contexts(context)
    if asks_what_is_kept(plan):
        assign["resume"] = own_part(INPUT)
    if plan.closing is not None and plan.closing.reads_failure:
        assign["failure"] = wrap(failure_of(plan.closing))
    if plan.program.timeout is not None:
        milliseconds = plan.program.timeout * 1000
        assign["deadline"] = wrap(
            f"$fromMillis($toMillis($states.context.Execution.StartTime) + {milliseconds})"
        )
    return {"Type": "Pass", "Assign": assign, "Next": node.next}


def contexts(context: Context) -> dict[str, Json]:
    """Return the assignments of the contexts beside the inputs that the machine keeps."""
    found: dict[str, Json] = {}
    for root in sorted(context.plan.carried):
        path = f"{INPUT}.{root}"
        found[root] = wrap(f"$exists({path}) ? {path} : null")
    return found


def _run(context: Context) -> Json:
    program = context.plan.program
    at = f"{INPUT}.run"
    return {
        "id": wrap(
            f"$type({at}.id) = 'string' ? {at}.id : $string($states.context.Execution.Name)"
        ),
        "attempt": wrap(f"$type({at}.attempt) = 'number' ? {at}.attempt : 1"),
        "started_at": wrap(  # of a resumed run: when its first attempt began
            f"$type({at}.started_at) = 'string' ? {at}.started_at "
            ": $states.context.Execution.StartTime"
        ),
        "started_by": wrap(f"$type({at}.started_by) = 'string' ? {at}.started_by : null"),
        "root": wrap(f"$type({at}.root) = 'string' ? {at}.root : null"),
        "event_id": wrap(f"$type({at}.event_id) = 'string' ? {at}.event_id : null"),
        "depth": wrap(f"$type({at}.depth) = 'number' ? {at}.depth : 0"),
        "secrets": wrap(f"$type({at}.secrets) = 'string' ? {at}.secrets : null"),
        "source": _source(context),
        "workflow": program.id,
        "version": literal(program.version or ""),
        "contract": CONTRACT,
    }


def _source(context: Context) -> Json:
    """Return whose files the steps work on: what whoever started the run has worked out.

    One that is called has its caller's, unless it says itself: nobody but its machine knows that.
    """
    checkout, at = context.plan.program.checkout, f"{INPUT}.run"
    given = f"$type({at}.source) = 'object' ? {at}.source : null"
    if checkout is None:
        return wrap(given)
    # What the values read, under the names that it will have from the next state on.
    bound = [f"$inputs := {_code(_inputs(context))}"]
    for root in ("trigger", "event", "github"):
        path = f"{INPUT}.{root}"
        bound.append(f"${root} := $exists({path}) ? {path} : null")
    bound.append(f"$run := {at}")
    resolve = context.resolver()
    own = (
        f"{{'run': {at}.id, 'repository': {code_of(checkout.repository, resolve)}, "
        f"'ref': {code_of(checkout.ref, resolve)}}}"
    )
    return wrap(f"$type({at}.parent) = 'string' ? ({'; '.join(bound)}; {own}) : {given}")


def _code(field: Json) -> str:
    """Return a field of a state as JSONata."""
    if isinstance(field, dict):
        inner = (f"{text_literal(name)}: {_code(item)}" for name, item in field.items())
        return f"{{{', '.join(inner)}}}"
    assert isinstance(field, str)
    return f"({field.removeprefix('{%').removesuffix('%}').strip()})"


def _inputs(context: Context) -> Json:
    found = context.plan.program.inputs
    at = f"{INPUT}.inputs"
    if found is None:
        return wrap(f"$type({at}) = 'object' ? {at} : {{}}")
    fields: dict[str, Json] = {}
    for one in found:
        path = f"$lookup({at}, {text_literal(one.name)})"
        default = json_literal(one.default)
        schema = one.schema if isinstance(one.schema, dict) else {}
        name = schema.get("type")
        known = KINDS.get(name) if isinstance(name, str) else None
        if known is None:
            fields[one.name] = wrap(f"$exists({path}) ? {path} : {default}")
        else:
            fields[one.name] = wrap(f"$type({path}) = '{known[0]}' ? {path} : {default}")
    return fields
