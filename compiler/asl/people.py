"""Steps that wait for somebody: decisions, pauses, callbacks, events.

All call the `tasks` function. The decision in its table is the truth; a task token only wakes
the execution, so that a wait which opens and finds a decision goes on at once.
"""

from __future__ import annotations

from compiler.asl import failures, loops, records
from compiler.asl.context import Context, State, States
from compiler.asl.counting import counter
from compiler.asl.leaving import leave
from compiler.asl.matching import GIVEN, matching
from compiler.asl.resuming import renewed
from compiler.asl.retrying import TRANSIENT, is_looped, retriers
from compiler.asl.tasks import GRACE, INVOKE, WAITING, call_of, time_limit
from compiler.asl.values import field_of
from compiler.check.program import Action, EventWait, Manual, Step, SubWorkflow
from compiler.document.nodes import Json
from compiler.expressions.quoting import literal, text_literal, wrap
from compiler.plan.model import Do
from protocol.names import TASKS, action_function

PAUSE_SECONDS = 14 * 86_400
"""How long a paused step waits for a person."""
MOST_PAUSES = 20
"""How often a person may have one step tried again; `functions.usecases.open_task` holds to it."""
TIMEOUTS = ("States.Timeout", "States.HeartbeatTimeout")
CALLBACK_SECONDS = 86_400
"""How long a callback is waited for where the step names no timeout."""


def _invoke(payload: dict[str, Json], *, wait: bool, seconds: Json) -> State:
    return {
        "Type": "Task",
        "Resource": WAITING if wait else INVOKE,
        "Arguments": {"FunctionName": TASKS, "Payload": payload},
        "TimeoutSeconds": seconds,
        "Retry": [TRANSIENT],
    }


def _opened(context: Context, step: Step, op: str) -> dict[str, Json]:
    payload: dict[str, Json] = {"op": op, "run": "{% $run %}", "step": step.id}
    if context.items:
        payload["items"] = [wrap(item.index) for item in context.items]
    return payload


TOKEN = "{% $states.context.Task.Token %}"  # noqa: S105
RETRIES = "$states.context.State.RetryCount"
ENTRY = f"{{% {RETRIES} %}}"
"""Which try of the state it is: a later one has another token."""
ENTERED = "$states.context.State.EnteredTime"


def _waits(context: Context, step: Step, op: str) -> dict[str, Json]:
    entry = ENTRY
    if step.on_error == "pause" and op != "pause":  # a person may have it waited for again
        entry = f"{{% {RETRIES} + 10 * (({counter(step, 'p')}) - 1) %}}"
    return _opened(context, step, op) | {"token": TOKEN, "entry": entry}


def manual(context: Context, node: Do, kind: Manual) -> States:
    """A task that is opened, escalated level by level, and expires; then its decision."""
    step = node.step
    resolve = context.resolver(step, clean=node.clean)
    payload = _waits(context, step, "open") | {
        "title": field_of(kind.title, resolve),
        "description": field_of(kind.description, resolve),
        "assignees": field_of(kind.assignees, resolve),
        "timeout": kind.timeout,
        "auth": kind.auth,
        "quorum": kind.quorum,
        "self_approval": kind.self_approval,
    }
    if kind.due_in is not None:
        payload["due_in"] = kind.due_in
    if kind.form is not None:
        payload["form"] = literal(kind.form)
    levels = [e for e in kind.escalations if e.after < kind.timeout]
    last = [e for e in kind.escalations if e.after >= kind.timeout]
    ends = [*(e.after for e in levels), kind.timeout]
    states: States = {}
    state = _invoke(payload, wait=True, seconds=time_limit(context, ends[0]))
    name = node.name
    for at, level in enumerate(levels):
        following = f"{node.name}.level_{at + 1}"
        states[name] = _waiting(context, state, node, following)
        name = following
        told = _waits(context, step, "escalate") | {
            "level": at + 1,
            "after": ends[at],
            "notify": field_of(level.notify, resolve),
            "message": field_of(level.message, resolve),
        }
        seconds = max(1, ends[at + 1] - ends[at])
        state = _invoke(told, wait=True, seconds=time_limit(context, seconds))
    expire = f"{node.name}.expire"
    states[name] = _waiting(context, state, node, expire)
    final: dict[str, Json] = _opened(context, step, "expire")
    if last:
        final["notify"] = field_of(last[-1].notify, resolve)
        final["message"] = field_of(last[-1].message, resolve)
    expired = _invoke(final, wait=False, seconds=60)
    expired["Output"] = "{% $states.result.Payload %}"
    expired["Catch"] = _closing(context, node)
    expired["Next"] = f"{node.name}.decided"
    states[expire] = expired
    states[f"{node.name}.decided"] = _decided(context, node)
    if node.next is None:
        done: State = {"Type": "Pass"}
        leave(context, node, "$states.input", done)
        states[f"{node.name}.done"] = done
    return states


def _waiting(context: Context, state: State, node: Do, following: str) -> State:
    state["Output"] = "{% $states.result %}"
    state["Catch"] = [
        {"ErrorEquals": [*TIMEOUTS], "Next": following},
        *_closing(context, node),
    ]
    state["Next"] = f"{node.name}.decided"
    return state


def _decided(context: Context, node: Do) -> State:
    """The Choice that follows a decision; what is neither approved nor known counts against."""
    step = node.step
    variable = records.variable_of(context, step)
    reads = context.reads_of(step)
    error = f"$states.input.status = 'timed_out' ? 'States.Timeout' : '{failures.REJECTED}'"
    cause = (
        "$states.input.status = 'timed_out' ? 'nobody decided in time' : "
        "'rejected by ' & ($exists($states.input.decided_by) ? "
        "$string($states.input.decided_by) : 'somebody')"
    )

    def kept(status: str) -> dict[str, Json]:
        if variable is None:
            return {}
        record = records.succeeded(context, step, "$states.input")
        if "status" in record:
            record["status"] = status
        if status != "succeeded" and reads is not None and reads.error:
            record["error"] = wrap(f"{{'type': {error}, 'message': {cause}}}")
        return {"Assign": {variable: record}}

    choices: list[Json] = [
        {
            "Condition": "{% $states.input.status = 'approved' %}",
            **kept("succeeded"),
            "Next": node.next or f"{node.name}.done",
        }
    ]
    choices += [
        {
            "Condition": wrap(f"$states.input.status = '{status}'"),
            **kept(status),
            "Next": node.passed,
        }
        for status in sorted(step.rule.continues)
    ]
    against = (
        "{% $states.input.status = 'timed_out' ? 'timed_out' : 'rejected' %}"
        if not step.rule.continues
        else ("timed_out" if "rejected" in step.rule.continues else "rejected")
    )
    return {
        "Type": "Choice",
        "Choices": choices,
        **kept(against),
        "Output": wrap(
            f"{{'step_id': {text_literal(step.id)}, 'Error': {error}, 'Cause': {cause}}}"
        ),
        "Default": node.failed,
    }


def event_wait(context: Context, node: Do, kind: EventWait) -> States:
    """Waits for an event; the pattern and the match are kept with the task."""
    step = node.step
    payload = _waits(context, step, "await_event") | {
        "pattern": literal(kind.pattern),
        "timeout": kind.timeout,
    }
    if kind.match is not None:
        match, given = matching(kind.match, context.resolver(step, clean=node.clean))
        payload["match"] = literal(match)
        if given:
            payload["contexts"] = {GIVEN: given}
    state = _invoke(payload, wait=True, seconds=time_limit(context, kind.timeout))
    leave(context, node, "$states.result", state)
    late = _late(context, node, state, "event", "$states.result.Payload")
    return {node.name: state} | late | pause_of(context, node)


def _late(context: Context, node: Do, wait: State, kind: str, outputs: str) -> States:
    """Let a wait's timeout look once more for an answer; without one the step times out.

    An answer can be written before the timeout and be sent after it.
    """
    name = f"{node.name}.expire"
    closing = _closing(context, node, _after_failure(node))
    wait["Catch"] = [{"ErrorEquals": [*TIMEOUTS], "Next": name}, *closing]
    payload = _opened(context, node.step, "expire") | {"kind": kind}
    if kind == "callback":
        payload["entered"] = _entered(context, node.step)
    state = _invoke(payload, wait=False, seconds=60)
    leave(context, node, outputs, state)
    state["Catch"] = closing
    return {name: state}


def pause_name(node: Do) -> str | None:
    """Return the state in which a person is asked after the last failure, None without one."""
    return f"{node.name}.pause" if node.step.on_error == "pause" else None


def pause_of(context: Context, node: Do) -> States:
    """Return the states in which a person is asked after the last failure; none without."""
    name = pause_name(node)
    return {} if name is None else paused(context, node, name)


def _closing(context: Context, node: Do, target: str | None = None) -> list[Json]:
    """Return the catcher that ends the step, or leads to `target`, where more can be done."""
    catcher: dict[str, Json] = {
        "ErrorEquals": ["States.ALL"],
        "Output": failures.caught(node.step.id),
        "Next": target or node.failed,
    }
    record = records.failed(context, node.step)
    variable = records.variable_of(context, node.step)
    if target is None and record is not None and variable is not None:
        catcher["Assign"] = {variable: record}
    return [catcher]


def _after_failure(node: Do) -> str | None:
    """Return where a failure leads to if the step is not over with it."""
    return f"{node.name}.again" if is_looped(node.step) else pause_name(node)


def _entered(context: Context, step: Step) -> Json:
    """Return what tells the callback of a step that begins anew from the one before."""
    return wrap(f"($v := {renewed(context, step)}; $exists($v) ? $string($v) : null)")


def callback(context: Context, node: Do) -> States:
    """An action that an outside system ends: open the callback, act, wait for the answer.

    After a bad answer the action is carried out anew, as another round (`iteration`).
    """
    step = node.step
    kind = step.kind
    assert isinstance(kind, Action)
    resolve = context.resolver(step, clean=node.clean)
    seconds = step.timeout or CALLBACK_SECONDS
    entered = _entered(context, step)
    opening = _opened(context, step, "open_callback") | {"entered": entered, "timeout": seconds}
    opened = _invoke(opening, wait=False, seconds=60)
    failed = _after_failure(node)
    opened["Output"] = "{% $states.result.Payload %}"
    opened["Catch"] = _closing(context, node, pause_name(node))
    opened["Next"] = f"{node.name}.act"
    call = call_of(context, step, resolve)
    call["callback"] = "{% $exists($states.input.url) ? $states.input.url : null %}"
    call["iteration"] = "{% $exists($states.input.round) ? $states.input.round : null %}"
    act: State = {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {"FunctionName": action_function(kind.action), "Payload": call},
        "TimeoutSeconds": time_limit(context, min(seconds, 890) + GRACE, GRACE),
        "Retry": retriers(step, on_lambda=True, limited=context.limited),
        "Catch": _closing(context, node, failed),
        "Next": f"{node.name}.answer",
    }
    waits = _waits(context, step, "await_callback") | {"entered": entered}
    answer = _invoke(waits, wait=True, seconds=time_limit(context, seconds))
    leave(context, node, "$states.result.outputs", answer)
    late = _late(context, node, answer, "callback", "$states.result.Payload.outputs")
    states = {node.name: opened, f"{node.name}.act": act, f"{node.name}.answer": answer} | late
    if is_looped(step):
        states |= loops.again(context, node, pause_name(node))
    return states | pause_of(context, node)


def paused(context: Context, node: Do, name: str) -> States:
    """After the last failure a person says retry, skip or fail."""
    step = node.step
    payload = _waits(context, step, "pause") | {
        "error": "{% $states.input %}",
        "timeout": PAUSE_SECONDS,
        "entered": wrap(ENTERED),
    }
    state = _invoke(payload, wait=True, seconds=time_limit(context, PAUSE_SECONDS))
    state["Output"] = _chosen("$states.result")
    over = f"{name}_over"
    variable = records.variable_of(context, step)
    # The error goes along, so that nobody's word in time fails the step with it.
    with_time = wrap(f"$merge([$states.input, {{'entered': {ENTERED}}}])")
    state["Catch"] = [
        {"ErrorEquals": [*TIMEOUTS], "Output": with_time, "Next": over},
        *_closing(context, node),
    ]
    state["Next"] = f"{name}d"
    payload = _opened(context, step, "expire") | {
        "kind": "pause",
        "entered": "{% $states.input.entered %}",
    }
    expired = _invoke(payload, wait=False, seconds=60)
    expired["Output"] = _chosen("$states.result.Payload")
    expired["Catch"] = _closing(context, node)
    expired["Next"] = f"{name}d"
    skipped: dict[str, Json] = {
        "Condition": "{% $states.input.choice = 'skip' %}",
        "Next": node.passed,
    }
    failed: dict[str, Json] = {}
    if variable is not None:
        record = records.succeeded(context, step, "$states.input.outputs")
        against = records.failed(context, step, "$states.input")
        if isinstance(against, dict) and "error" in against:
            record["error"] = against["error"]
        if "status" in record:
            record["status"] = "failed"
        skipped["Assign"] = {variable: record}
        if against is not None:
            failed["Assign"] = {variable: against}
    retry: dict[str, Json] = {
        "Condition": "{% $states.input.choice = 'retry' %}",
        "Next": node.name,
    }
    assign = counted_again(context, step)
    if assign:
        retry["Assign"] = assign
    choice: State = {"Type": "Choice", "Choices": [retry, skipped], **failed}
    choice["Default"] = node.failed
    return {name: state, over: expired, f"{name}d": choice}


def counted_again(context: Context, step: Step) -> dict[str, Json]:
    """Return the counters to set where a person lets a step be tried again.

    Its attempts begin anew, a child gets another name, a wait is a later one. A repeat that ran
    out goes on with another round: the rounds that ended well have stored results.
    """
    assign: dict[str, Json] = {}
    if is_looped(step, limited=context.limited):
        assign[f"a_{step.variable}"] = 1
    if isinstance(step.kind, SubWorkflow | Action | EventWait):
        assign[f"p_{step.variable}"] = wrap(f"({counter(step, 'p')}) + 1")
    if step.repeat is not None:
        rounds = counter(step, "n")
        ran_out = f"$states.input.Error = '{loops.REPEAT_EXHAUSTED}'"
        assign[f"n_{step.variable}"] = wrap(f"({rounds}) + ({ran_out} ? 1 : 0)")
    return assign


def _chosen(result: str) -> Json:
    return wrap(
        f"$merge([{{'choice': {result}.choice, 'outputs': {result}.outputs}}, $states.input])"
    )
