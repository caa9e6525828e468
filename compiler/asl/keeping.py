"""A state that stores what the machine carried out itself, for undos and for who resumes a run."""

from __future__ import annotations

from compiler.asl.context import Context, State
from compiler.asl.records import output_code
from compiler.asl.resolver import Own, member
from compiler.asl.retrying import TRANSIENT
from compiler.asl.tasks import INVOKE, Task, child_name, counter
from compiler.asl.values import field_of
from compiler.check.program import SubWorkflow
from compiler.document.nodes import Json
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.model import Do
from protocol.names import LAMBDA_TRANSIENT, STEP_IN_PROGRESS, action_function

OUTPUTS = "$states.input.outputs"
_SECONDS = 60


def keeping(context: Context, node: Do, task: Task) -> State:
    """Return the Task behind a step's own, which has its outputs stored as a wrapper would.

    The function `run` does it, as it does for builds: it carries nothing out.
    """
    step = node.step
    given = f"$type({task.outputs}) = 'object' ? {task.outputs} : {{}}"
    task.state["Output"] = {"outputs": wrap(given)}
    task.state["Next"] = f"{node.name}.keep"
    resolve = context.resolver(step, clean=node.clean, own=Own(OUTPUTS))
    declared = ", ".join(
        f"{text_literal(output.name)}: "
        f"({output_code(output, member(OUTPUTS, output.name), resolve)})"
        for output in step.outputs
    )
    call: dict[str, Json] = {
        "run": "{% $run %}",
        "step": step.id,
        "inputs": {},
        "keep": True,
        "computed": wrap(f"$merge([{OUTPUTS}, {{{declared}}}])" if declared else OUTPUTS),
        "timeout": _SECONDS,
    }
    if isinstance(step.kind, SubWorkflow):
        inputs = field_of(step.kind.inputs, context.resolver(step, clean=node.clean))
        call["child"] = {"id": wrap(child_name(context, step)), "inputs": inputs}
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
