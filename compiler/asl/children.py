"""What the runs and the executions of called workflows are called."""

from __future__ import annotations

from compiler.asl.context import Context
from compiler.asl.counting import counter
from compiler.asl.resuming import renewed
from compiler.asl.retrying import is_looped
from compiler.check.program import Step
from compiler.expressions.quoting import text_literal

INHERITED_OF_RUN = (
    "'event_id': $run.event_id, 'depth': $run.depth, 'secrets': $run.secrets, 'source': $run.source"
)
"""JSONata of what a child's run has of the one that started it."""


def child_id(context: Context, step: Step) -> str:
    """Return JSONata of the id of a child's run, the same in every attempt of its parent's run.

    So its steps find the results of an earlier attempt. Each attempt of the author's, each round
    of a repeat and each try that a person asked for is a child of its own; a step that a resume
    lets begin anew gets another one. `functions.domain.keys.child_id` spells it alike.
    """
    parts = ["$run.id", text_literal(step.id), *(f"$string({i.index})" for i in context.items)]
    parts += [
        f"{text_literal(letter)} & $string({counter(step, letter)})" for letter in loops_of(step)
    ]
    if context.life is not None:
        parts.append(f"'r' & $string(({context.life}))")
    path = " & '/' & ".join(parts)
    path += f" & ($v := {renewed(context, step)}; $exists($v) ? '/v' & $string($v) : '')"
    return f"$substring($run.id, 0, 40) & '-' & $substring($hash({path}, 'SHA-256'), 0, 32)"


def loops_of(step: Step) -> list[str]:
    """Return the letters of the counters that a child's id is made of."""
    loops = {"a": is_looped(step), "n": step.repeat is not None, "p": step.on_error == "pause"}
    return [letter for letter, has in loops.items() if has]


def child_name(context: Context, step: Step) -> str:
    """Return JSONata of a child's execution name: its run's id, in later attempts with a number.

    It is the same for every try of Step Functions to start it.
    """
    number = "($run.attempt = 1 ? '' : '-' & $string($run.attempt))"
    return f"{child_id(context, step)} & {number}{again_code(context)}"


def again_code(context: Context) -> str:
    """Return JSONata that makes a name another one where a close machine is started again."""
    if context.plan.closing is None:
        return ""
    again = "$states.context.Execution.Input.again"
    # It is null in what undoes a workflow that was called.
    return f" & ($type({again}) = 'number' ? '-' & $string({again}) : '')"
