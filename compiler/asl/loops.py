"""Loops around a Task: retry conditions asked after a failure, repeat until a condition holds."""

from __future__ import annotations

from compiler.asl import records
from compiler.asl.context import Context, State, States
from compiler.asl.counting import counter
from compiler.asl.failures import message
from compiler.asl.leaving import leave
from compiler.asl.resolver import Own
from compiler.asl.retrying import is_looped, never_retried
from compiler.check.program import AwsCall, Repeat, Retry, Step, SubWorkflow
from compiler.document.nodes import Json
from compiler.expressions.jsonata import emit_condition
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.model import Do
from protocol.names import DEADLINE_PASSED, RUN_FAILED

REPEAT_EXHAUSTED = "RepeatExhausted"
EXPRESSION_FAILED = "States.QueryEvaluationError"
"""An expression of the state itself failed: it would fail again."""
_EVERY = ("States.ALL", "States.TaskFailed")
_ERROR = (
    "$e := {'error': $string($states.input.Cause), 'status_code': $number($match("
    "$string($states.input.Cause), /status_code=(\\d{1,9})/, 1).groups[0]), 'outputs': {}}; "
)
"""What the author's conditions read of the attempt that failed."""


def again(context: Context, node: Do, after: str | None) -> States:
    """The Choice and the Wait behind a failed attempt; `after` is where the last failure goes.

    Where the next attempt would begin behind the deadline the step has run out of time.
    """
    step = node.step
    retry = step.retry
    assert retry is not None
    name = f"{node.name}.again"
    resolve = context.resolver(step, own=Own("$e.outputs", "$e"))
    tests = [f"({emit_condition(c, resolve)})" for c in retry.conditions]
    if retry.errors and not _names_every(step, retry):
        listed = ", ".join(text_literal(error) for error in _reported(step, retry))
        tests.insert(0, f"$states.input.Error in [{listed}]")
    elif not tests or retry.errors:
        names = (*never_retried(limited=context.limited), EXPRESSION_FAILED)
        never = ", ".join(map(text_literal, names))
        tests.append(f"$not($states.input.Error in [{never}])")
    asked = " or ".join(tests)
    error = _ERROR if retry.conditions else ""
    count = counter(step, "a")
    ok = f"({count}) < {retry.attempts} and ({asked})"
    deadline = context.deadline_code
    in_time = "" if deadline is None else f"{_in_time(retry, count, deadline)} and "
    tried_again: State = {
        "Condition": wrap(f"({error}{in_time}{ok})"),
        "Assign": {f"a_{step.variable}": wrap(f"({count}) + 1")},
        "Next": f"{node.name}.delay",
    }
    choices: list[Json] = [tried_again]
    failed = after or node.failed
    choice: State = {"Type": "Choice", "Choices": choices, "Default": failed}
    record = records.failed(context, step, "$states.input")
    variable = records.variable_of(context, step)
    if after is not None or record is None:
        variable = None
    if variable is not None:
        choice["Assign"] = {variable: record}
    if deadline is not None:
        # What would not be tried again anyhow goes on as what it is.
        said = _too_late(context, deadline)
        late = f"{{'Error': '{DEADLINE_PASSED}', 'Cause': {said}}}"
        rule: State = {"Condition": wrap(f"({error}{ok})")}
        if variable is not None:
            rule["Assign"] = {variable: records.too_late(context, step, said)}
        choices.append(rule | {"Output": wrap(f"$merge([$states.input, {late}])"), "Next": failed})
    wait: State = {
        "Type": "Wait",
        "Seconds": wrap(delay(retry, f"$a_{step.variable} - 2", deadline)),
        "Next": node.name,
    }
    return {name: choice, f"{node.name}.delay": wait}


def _reported(step: Step, retry: Retry) -> tuple[str, ...]:
    """Return the errors a retry names, as Step Functions reports them."""
    if isinstance(step.kind, SubWorkflow) and RUN_FAILED in retry.errors:
        return (*retry.errors, "States.TaskFailed")
    return retry.errors


def _names_every(step: Step, retry: Retry) -> bool:
    """Whether a retry names what stands for all errors in Step Functions, as AWS calls may."""
    return isinstance(step.kind, AwsCall) and not {*retry.errors}.isdisjoint(_EVERY)


def _in_time(retry: Retry, count: str, deadline: str) -> str:
    """Return JSONata for whether the next attempt begins before the deadline.

    A pause that chance makes is cut short in its Wait, so that only a deadline that has passed
    is in its way.
    """
    pause = "" if retry.jitter else f" + 1000 * {_longest(retry, f'({count}) - 1')}"
    return f"$millis(){pause} < $toMillis({deadline})"


def _too_late(context: Context, deadline: str) -> str:
    """Return JSONata of what is said of a step whose next attempt would be too late."""
    error = "$states.input"
    return (
        f"'there was no time for another attempt before the deadline ' & {deadline} & "
        f"'; the last one failed: ' & $string({error}.Error) & ': ' & "
        f"{message(error, context.message_length)}"
    )


def delay(retry: Retry, exponent: str, deadline: str | None = None) -> str:
    """Return JSONata of the seconds before the next attempt; exponent 0 is before the second."""
    text = _longest(retry, exponent)
    if retry.jitter and deadline is not None:
        text = f"$max([0, $min([{text}, ($toMillis({deadline}) - $millis()) / 1000])])"
    if retry.jitter:
        text = f"$random() * {text}" if text.isdigit() else f"$random() * ({text})"
    return f"$min([$floor({text}), 31536000])"


def _longest(retry: Retry, exponent: str) -> str:
    # The author's rate is at most 100: no power of it that far is more than a number can hold.
    text = f"{retry.delay} * $power({_number(retry.rate)}, $min([{exponent}, 100]))"
    if retry.rate == 1:
        text = str(retry.delay)
    return text if retry.max_delay is None else f"$min([{text}, {retry.max_delay}])"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def until(context: Context, node: Do, outputs: str, last: State, after: str | None) -> States:
    """The Choice and the Wait of a repeat; the outputs of the last round are kept.

    `after` is where a repeat that ran out goes; None: the step has failed.
    """
    step = node.step
    repeat = step.repeat
    assert isinstance(repeat, Repeat)
    name = f"{node.name}.until"
    kept = f"r_{step.variable}"
    empty = f"$exists({outputs}) ? {outputs} : {{}}"
    last["Assign"] = {kept: wrap(empty)}
    last["Next"] = name
    resolve = context.resolver(step, clean=node.clean, own=Own(f"${kept}"))
    reached: dict[str, Json] = {
        "Condition": wrap(emit_condition(repeat.until, resolve)),
        "Next": node.next or f"{node.name}.done",
    }
    count = counter(step, "n")
    next_round: dict[str, Json] = {f"n_{step.variable}": wrap(f"({count}) + 1")}
    if is_looped(step, limited=context.limited):
        next_round[f"a_{step.variable}"] = 1
    choice: State = {
        "Type": "Choice",
        "Choices": [
            reached,
            {
                "Condition": wrap(f"({count}) < {repeat.attempts}"),
                "Assign": next_round,
                "Next": f"{node.name}.delay",
            },
        ],
        "Default": after or node.failed or f"{node.name}.done",
        "Output": wrap(
            f"{{'step_id': {text_literal(step.id)}, 'Error': '{REPEAT_EXHAUSTED}', "
            f"'Cause': 'until did not hold after {repeat.attempts} rounds'}}"
        ),
    }
    states: States = {name: choice}
    if node.next is None:
        done: State = {"Type": "Pass"}
        leave(context, node, f"${kept}", done)
        states[f"{node.name}.done"] = done
    else:
        variable = records.variable_of(context, step)
        if variable is not None:
            reached["Assign"] = {variable: records.succeeded(context, step, f"${kept}", own=False)}
    failure = records.failed(context, step, "{'Error': 'RepeatExhausted', 'Cause': ''}")
    variable = records.variable_of(context, step)
    if after is None and failure is not None and variable is not None:
        choice["Assign"] = {variable: failure}
    seconds = min(repeat.delay, 31_536_000)
    delay_name = f"{node.name}.delay" if step.retry is None else f"{node.name}.pace"
    choice["Choices"][1]["Next"] = delay_name  # type: ignore[index,call-overload]
    states[delay_name] = {"Type": "Wait", "Seconds": seconds, "Next": node.name}
    return states
