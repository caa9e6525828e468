"""The first state: takes in the execution's input and sets what the machine reads of it."""

from __future__ import annotations

from compiler.asl.close import failure_of
from compiler.asl.context import Context, State
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
        "started_at": "{% $states.context.Execution.StartTime %}",
        "started_by": wrap(f"$type({at}.started_by) = 'string' ? {at}.started_by : null"),
        "root": wrap(f"$type({at}.root) = 'string' ? {at}.root : null"),
        "workflow": program.id,
        "version": literal(program.version or ""),
        "contract": CONTRACT,
    }


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
