"""A state that stores what the machine carried out itself, for undos and for who resumes a run."""

from __future__ import annotations

from compiler.asl.children import child_id
from compiler.asl.context import Context, State
from compiler.asl.counting import counter
from compiler.asl.records import PAYLOAD, with_declared
from compiler.asl.resolver import Own
from compiler.asl.resuming import unless_kept
from compiler.asl.retrying import TRANSIENT
from compiler.asl.tasks import INVOKE, Task
from compiler.asl.values import field_of
from compiler.check.program import SubWorkflow
from compiler.document.nodes import Json
from compiler.expressions.quoting import literal, wrap
from compiler.plan.model import Do
from protocol.names import LAMBDA_TRANSIENT, STEP_IN_PROGRESS, action_function

OUTPUTS = f"{PAYLOAD}.outputs"
"""JSONata, in the state that stores it, of what was stored: now, or by an earlier attempt."""
_GIVEN = "$states.input.outputs"
_MOST_BYTES = 262_144
"""As much as a state may give at all: nothing of it becomes a reference."""
_SECONDS = 60


def keeping(context: Context, node: Do, task: Task) -> State:
    """Return the Task behind a step's own, which has its outputs stored as a wrapper would.

    The function `run` does it, as it does for builds: it carries nothing out. In a resumed run
    that keeps the step's result the Task cannot be called, and this one only fetches it.
    """
    step = node.step
    if context.plan.closing is None:
        _ask(context, node, task.state)
    given = f"$type({task.outputs}) = 'object' ? {task.outputs} : {{}}"
    task.state["Output"] = {"outputs": wrap(given)}
    task.state["Next"] = f"{node.name}.keep"
    resolve = context.resolver(step, clean=node.clean, own=Own(_GIVEN))
    given = f"$exists({_GIVEN}) ? {_GIVEN} : {{}}"
    call: dict[str, Json] = {
        "run": "{% $run %}",
        "step": step.id,
        "inputs": {},
        "keep": True,
        "stored": wrap(f"$not($exists({_GIVEN}))"),
        "build_error": wrap("$exists($states.input.Error) ? $string($states.input.Cause) : null"),
        "computed": wrap(with_declared(step, _GIVEN, resolve) if step.outputs else given),
        "inline": literal(["*"]),
        "limit": _MOST_BYTES,
        "timeout": _SECONDS,
    }
    if isinstance(step.kind, SubWorkflow):
        inputs = field_of(step.kind.inputs, context.resolver(step, clean=node.clean))
        call["child"] = {
            "id": wrap(child_id(context, step)),
            "attempt": "{% $run.attempt %}",
            "inputs": inputs,
        }
    if context.items:
        call["items"] = [wrap(item.index) for item in context.items]
    if step.repeat is not None:
        call["iteration"] = wrap(counter(step, "n"))
    return {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {"FunctionName": action_function("run"), "Payload": call},
        "TimeoutSeconds": _SECONDS + 10,
        "Retry": [{**TRANSIENT, "ErrorEquals": [STEP_IN_PROGRESS, *LAMBDA_TRANSIENT]}],
    }


def _ask(context: Context, node: Do, state: State) -> None:
    """Let a Task ask whether its result is kept."""
    arguments = state["Arguments"]
    assert isinstance(arguments, dict)
    match node.step.kind:
        case SubWorkflow():
            arguments["Name"] = unless_kept(context, node.step, arguments["Name"])
        case _:
            state["TimeoutSeconds"] = unless_kept(context, node.step, state["TimeoutSeconds"])
