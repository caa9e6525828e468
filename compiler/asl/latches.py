"""The states of a latch: one that signals, one that waits."""

from __future__ import annotations

from compiler.asl import failures, records
from compiler.asl.context import GRACE_OF_RUN, Context, State
from compiler.asl.guards import test_code
from compiler.asl.leaving import output_at
from compiler.asl.retrying import TRANSIENT
from compiler.asl.tasks import GRACE, INVOKE, WAITING
from compiler.document.nodes import Json
from compiler.expressions.quoting import literal, wrap
from compiler.plan.model import Await, Send
from protocol.names import LATCH_SKIP, LATCH_SKIP_FAILED, LATCHES

LONGEST_WAIT = 31_536_000
"""Seconds a latch waits at most: as long as an execution can last."""


def signal(context: Context, node: Send) -> State:
    """Return the Task that tells the latches of a step's end."""
    step = node.step
    variable = records.variable_of(context, step)
    status: Json = node.status
    counts: Json = node.status == "succeeded"
    if node.status is None and variable is not None:
        path = f"${variable}.status"
        status = wrap(f"$exists({path}) ? {path} : 'skipped'")
        against = [*step.rule.continues] if step.rule.manual else []
        tests = [f"$exists({path})", *(f"{path} != '{name}'" for name in sorted(against))]
        counts = wrap(" and ".join(tests))
    payload: dict[str, Json] = {
        "op": "signal",
        "run": "{% $run %}",
        "scope": _path(context),
        "producer": step.id,
        "consumers": list(node.consumers),
        "status": status,
        "counts": counts,
        "bad": [] if node.bad is False else wrap(failures.bad_ids(context.scope, context.assigned)),
    }
    steps = context.plan.program.by_id
    values: dict[str, Json] = {}
    for name in node.gives:
        source = context.plan.variable(name, context.scope.key)
        if source is not None:
            text = f"$type(${source}) = 'object' ? ${source} : null"
            values[records.key_of(steps[name])] = wrap(text)
    if values:
        payload["values"] = values
    state: State = {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {"FunctionName": LATCHES, "Payload": payload},
        "TimeoutSeconds": 60,
        "Retry": [TRANSIENT],
    }
    if node.next is None:
        assert node.ending is not None
        state["Output"] = output_at(context, node.ending)
        state["End"] = True
    else:
        state["Next"] = node.next
    return state


def _path(context: Context) -> Json:
    if not context.items:
        return literal("")
    return wrap(" & '/' & ".join(f"$string({item.index})" for item in context.items))


def wait(context: Context, node: Await) -> State:
    """Return the Task that waits for a step's latched producers, its token in their hands."""
    state: State = {
        "Type": "Task",
        "Resource": WAITING,
        "Arguments": {"FunctionName": LATCHES, "Payload": _asked(context, node)},
        "TimeoutSeconds": _wait_seconds(context),
        "Retry": [TRANSIENT],
    }
    assign = records.taken_over(context, node.binds, "$states.result.values")
    upstream = context.scope.upstream
    if node.guard:
        catchers = _skipping(node, upstream)
        if catchers:
            state["Catch"] = catchers
    elif not node.is_ghost:
        known = f"$exists(${upstream}) ? ${upstream} : []"
        bad = "$exists($states.result.bad) ? $states.result.bad : []"
        assign[upstream] = wrap(f"$append({known}, {bad})")
    if assign:
        state["Assign"] = assign
    state["Next"] = node.released
    return state


def _asked(context: Context, node: Await) -> dict[str, Json]:
    """Return what the latches are told of a wait."""
    payload: dict[str, Json] = {
        "op": "await",
        "run": "{% $run %}",
        "scope": _path(context),
        "consumer": node.step.id,
        "producers": list(node.producers),
        "token": "{% $states.context.Task.Token %}",
    }
    if node.guard:
        payload["guard"] = True
        if node.own_bad is not False:
            payload["bad"] = wrap(failures.bad_ids(context.scope, context.assigned))
        if isinstance(node.counting, bool):
            payload["counting"] = node.counting
        elif node.counting is not None:
            resolve = context.resolver(node.step)
            payload["counting"] = wrap(test_code(node.counting, context, resolve))
    return payload


def _skipping(node: Await, upstream: str) -> list[Json]:
    """Return the catchers of a wait that the latch may answer with a skip."""
    catchers: list[Json] = []
    if node.failed is not None:
        caught: Json = {
            "ErrorEquals": [LATCH_SKIP_FAILED],
            "Assign": {upstream: ["*"]},
            "Next": node.failed,
        }
        catchers.append(caught)
    if node.skipped is not None:
        catchers.append({"ErrorEquals": [LATCH_SKIP], "Next": node.skipped})
    return catchers


def _wait_seconds(context: Context) -> Json:
    """A latch waits for steps that keep the deadline themselves, so a little longer than they."""
    timeout = context.plan.program.timeout
    return LONGEST_WAIT if timeout is None else timeout + GRACE_OF_RUN + GRACE
