"""How a step's last state is left: to the next state, or out of the scope."""

from __future__ import annotations

from compiler.asl import failures, records
from compiler.asl.context import Context, State
from compiler.asl.resolver import Own
from compiler.asl.undone import outputs_of_close
from compiler.asl.values import field_of
from compiler.check.program import Step, SubWorkflow
from compiler.document.nodes import Json
from compiler.expressions.quoting import wrap
from compiler.plan.model import Do, Ending


def leave(context: Context, node: Do, outputs: str, state: State) -> None:
    """Complete a state that carried a step out: keep its record, go on or end the scope."""
    step = node.step
    if node.next is not None:
        variable = records.variable_of(context, step)
        if variable is not None:
            kept = state.get("Assign")
            assign: dict[str, Json] = dict(kept) if isinstance(kept, dict) else {}
            assign[variable] = records.succeeded(context, step, outputs)
            state["Assign"] = assign
        state["Next"] = node.next
        return
    assert node.ending is not None
    state["Output"] = output_at(context, node.ending, step=step, outputs=outputs)
    state["End"] = True


def output_at(
    context: Context, ending: Ending, *, step: Step | None = None, outputs: str = ""
) -> Json:
    """Return what leaves a scope at an end: a branch's records, or the run's outputs."""
    if context.scope.key == 0:
        return run_outputs(context, None if step is None else Own(outputs, of=step.id))
    own = None if step is None else step.id
    found = records.given(context, ending, but=own)
    if step is not None and own in ending.gives:
        found[records.key_of(step)] = records.succeeded(context, step, outputs)
    return failures.ending(context.scope, ending, found, f=None)


def run_outputs(context: Context, own: Own | None = None) -> Json:
    """Return the outputs of the workflow; `own` is of the step that it ends with."""
    if context.plan.closing is not None:
        return outputs_of_close(context.plan.closing)
    resolve = context.resolver(own=own)
    return {name: field_of(value, resolve) for name, value in context.plan.program.outputs}


def catch(context: Context, node: Do, target: str | None = None) -> list[Json]:
    """Return the catchers of a step's state: the error is told on, the record kept if read.

    Whose error it is stands in a variable: this is in the state of every step, and the shortest.
    """
    if node.failed is None and target is None:
        return []
    step = node.step
    catcher: dict[str, Json] = {"ErrorEquals": ["States.ALL"]}
    in_words = failures.called() if isinstance(step.kind, SubWorkflow) else None
    if in_words is not None and (target is not None or step.on_error != "continue"):
        catcher["Output"] = wrap(in_words)
    each = context.each
    if each is not None and each.fail_fast:
        # Behind it the item ends, and with it all; which one it was is all that is asked.
        catcher["Next"] = target or node.failed
        return [catcher]
    if target is None:
        record = records.failed(context, step, told=in_words)
        variable = records.variable_of(context, step)
        if record is not None and variable is not None:
            catcher["Assign"] = {variable: record}
    if step.on_error != "continue":
        kept = catcher.get("Assign")
        told: dict[str, Json] = {failures.teller(context.scope): step.id}
        catcher["Assign"] = told | kept if isinstance(kept, dict) else told
    catcher["Next"] = target or node.failed
    return [catcher]
