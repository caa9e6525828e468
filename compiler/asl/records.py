"""A step's record, as its variable, a branch's output or a latch carries it."""

from __future__ import annotations

from compiler.asl import failures
from compiler.asl.context import Context
from compiler.asl.resolver import Own, ScopeResolver, member
from compiler.asl.retrying import is_kept
from compiler.asl.values import code_of
from compiler.check.program import Action, Output, Script, Step
from compiler.document.nodes import Json
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.model import Bind, Ending, Reads
from protocol.names import DEADLINE_PASSED

PAYLOAD = "$states.result.Payload"


def variable_of(context: Context, step: Step) -> str | None:
    """Return the variable that a step's own scope keeps its record in, None if nobody reads it."""
    return context.plan.variables.get((context.scope.key, step.id))


def has_wrapper(step: Step) -> bool:
    """Whether the wrapper of our own functions gives the step's outputs, the declared ones too.

    Those of a callback come from outside, behind it. What is only stored is given back by it.
    """
    if is_kept(step):
        return True
    if isinstance(step.kind, Action):
        return not step.kind.callback
    return isinstance(step.kind, Script)


def succeeded(context: Context, step: Step, outputs: str, *, own: bool = True) -> dict[str, Json]:
    """Return the record of a success; `outputs` is JSONata of the object the outputs are in."""
    reads = context.reads_of(step) or Reads()
    record: dict[str, Json] = {}
    if reads.status:
        record["status"] = "succeeded"
    resolve = context.resolver(step, own=Own(outputs))
    if reads.all_outputs:
        record["outputs"] = wrap(_all_outputs(step, outputs, resolve))
    elif reads.outputs:
        record["outputs"] = {
            name: wrap(_output(step, name, outputs, resolve)) for name in sorted(reads.outputs)
        }
    if own and context.scope.key not in context.plan.items and context.plan.travelling(step.id):
        refs = outputs.removesuffix("outputs") + "refs"
        record["refs"] = wrap(_total(refs, "{}"))
    return record


def _output(step: Step, name: str, outputs: str, resolve: ScopeResolver) -> str:
    declared = next((output for output in step.outputs if output.name == name), None)
    path = member(outputs, name)
    if declared is None or has_wrapper(step) or declared.value is None:
        return _total(path, "null")
    return output_code(declared, path, resolve)


def _all_outputs(step: Step, outputs: str, resolve: ScopeResolver) -> str:
    if has_wrapper(step) or not step.outputs:
        return _total(outputs, "{}")
    return with_declared(step, outputs, resolve)


def with_declared(step: Step, outputs: str, resolve: ScopeResolver) -> str:
    """Return JSONata of what a step that no wrapper carries out gave, and of what it declares."""
    declared = ", ".join(
        f"{text_literal(output.name)}: "
        f"({output_code(output, member(outputs, output.name), resolve)})"
        for output in step.outputs
    )
    if outputs == "{}":
        return f"{{{declared}}}"
    is_object = outputs.startswith("{")
    own = outputs if is_object else f"$type({outputs}) = 'object' ? {outputs} : {{}}"
    return f"$merge([{own}, {{{declared}}}])"


def output_code(output: Output, path: str, resolve: ScopeResolver) -> str:
    """Return JSONata of a declared output of a step that no wrapper carries out."""
    if output.value is None or output.form == "declared":
        return _total(path, "null")
    if output.form == "literal":
        return _total(path, code_of(output.value, resolve))
    return code_of(output.value, resolve)


def _total(path: str, otherwise: str) -> str:
    return f"$exists({path}) ? {path} : {otherwise}"


def failed(
    context: Context, step: Step, error: str = "$states.errorOutput", *, told: str | None = None
) -> Json:
    """Return the record of a failure, None where nobody reads more than outputs.

    `told` is JSONata of the error in words, where `error` is not.
    """
    reads = context.reads_of(step)
    if reads is None or not (reads.status or reads.error or reads.items):
        return None
    status = "'failed'" if error == "" else failures.status_of(context.plan, error)
    record: dict[str, Json] = {"status": wrap(status)}
    if reads.error:
        at = error if told is None else "$e"
        said = failures.message(at, context.message_length)
        code = f"{{'type': $string({at}.Error), 'message': {said}}}"
        record["error"] = wrap(code if told is None else f"($e := {told}; {code})")
    return record


def too_late(context: Context, step: Step, said: str) -> Json:
    """Return the record of a step that had no time for another attempt; `said` tells it."""
    reads = context.reads_of(step)
    record: dict[str, Json] = {"status": "timed_out"}
    if reads is not None and reads.error:
        text = f"$substring({said}, 0, {context.message_length})"
        record["error"] = {"type": DEADLINE_PASSED, "message": wrap(text)}
    return record


def given(context: Context, ending: Ending, *, but: str | None = None) -> dict[str, Json]:
    """Return the records that leave a branch from its variables, by output key."""
    found: dict[str, Json] = {}
    steps = context.plan.program.by_id
    for name in ending.gives:
        if name == but:
            continue
        variable = context.plan.variable(name, context.scope.key)
        text = "null"
        if variable is not None:
            sure = name in ending.certain
            text = f"${variable}" if sure else f"$type(${variable}) = 'object' ? ${variable} : null"
        found[key_of(steps[name])] = wrap(text)
    return found


def key_of(step: Step) -> str:
    """Return the key of a step's record in a branch's output."""
    return f"s_{step.variable}"


def literal_outputs(step: Step) -> dict[str, Json]:
    """Return the literal outputs of a step: values where the step gives none."""
    return {
        output.name: output.value.value  # type: ignore[union-attr]
        for output in step.outputs
        if output.form == "literal" and output.value is not None
    }


def taken_over(context: Context, binds: tuple[Bind, ...], at: str) -> dict[str, Json]:
    """Return the variables that records are taken over into, out of an object at `at`."""
    steps = context.plan.program.by_id
    found: dict[str, Json] = {}
    for bind in binds:
        path = f"{at}.{key_of(steps[bind.step])}"
        found[bind.variable] = wrap(f"$exists({path}) ? {path} : null")
    return found
