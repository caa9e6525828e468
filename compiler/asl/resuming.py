"""What a resumed run's machine does otherwise: its input says which steps are kept or renewed.

The field `resume` of the input says it for a run and all its children, by their ids
(protocol.payloads.Resumed); a first attempt has none. It is read only where a step leaves no
result of its own that its wrapper could give back: what the machine itself carries out,
children, callbacks.
"""

from __future__ import annotations

from compiler.asl.context import Context
from compiler.asl.counting import counter
from compiler.asl.retrying import is_kept
from compiler.check.program import Action, Step, SubWorkflow
from compiler.document.nodes import Json
from compiler.expressions.quoting import json_literal, text_literal, wrap
from compiler.plan.model import Plan

KEPT = "States.QueryEvaluationError"
"""The error of a Task that is not to be called, since its result is kept."""


def asks_what_is_kept(plan: Plan) -> bool:
    """Whether some step of a machine asks what a resume keeps; close machines are never resumed."""
    return plan.closing is None and any(map(_asks, plan.program.by_id.values()))


def _asks(step: Step) -> bool:
    match step.kind:
        case SubWorkflow() | Action(callback=True):
            return True
        case _:
            return is_told(step)


def is_told(step: Step) -> bool:
    """Whether a step's Task has to be told that its result is kept.

    Nothing between it and its effect would find out; or, of a build, only after a minute.
    """
    return is_kept(step) or step.is_build


def own_part(at: str) -> Json:
    """Return the value of the variable `resume`: what the input at `at` says of its own run."""
    found = f"$lookup({at}.resume, $string({at}.run.id))"
    return wrap(f"$exists({found}) ? {found} : null")


def handed_on() -> Json:
    """Return what the input of an execution that this one starts has as `resume`."""
    at = "$states.context.Execution.Input.resume"
    return wrap(f"$exists({at}) ? {at} : null")


def path_of(context: Context, step: Step) -> str:
    """Return JSONata of a step's place in its run, `step[/item...][/r<n>]`."""
    parts = [text_literal(step.id), *(f"$string({item.index})" for item in context.items)]
    if step.repeat is not None:
        parts.append(f"'r' & $string({counter(step, 'n')})")
    return " & '/' & ".join(parts)


def unless_kept(context: Context, step: Step, field: Json) -> Json:
    """Return a field of a Task that cannot be evaluated where the step's result is kept.

    So the Task is not called, and its Catch leads to the state that fetches the result: a run
    that is not resumed pays no transition for the question.
    """
    if isinstance(field, str) and field.startswith("{%"):
        code = f"({field[2:-2].strip()})"
    else:
        code = json_literal(field)
    return wrap(f"({path_of(context, step)}) in $resume.kept ? $error('kept') : {code}")


def renewed(context: Context, step: Step) -> str:
    """Return JSONata of the attempt of the run in which a step begins anew, else nothing.

    What it started before under its old name is left alone. Each close machine begins anew.
    """
    if context.plan.closing is not None:
        return "$run.attempt"
    return f"$lookup($resume.renewed, {text_literal(step.id)})"
