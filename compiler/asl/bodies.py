"""The states of a step: one Task where that is enough, more for loops, people and waits."""

from __future__ import annotations

from compiler.asl import loops, people, records
from compiler.asl.context import Context, State, States
from compiler.asl.keeping import OUTPUTS, keeping
from compiler.asl.leaving import catch, leave
from compiler.asl.resuming import KEPT
from compiler.asl.retrying import is_kept, is_looped
from compiler.asl.tasks import Task, task_of
from compiler.asl.values import code_of
from compiler.check import waits
from compiler.check.program import Action, Block, EventWait, Manual, Pause, Step
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.model import Do
from protocol.names import VALIDATION_ERROR

TIME_STAMP = rf"/^{waits.TIME_STAMP}(?![\s\S])/"
"""What a Wait takes as its Timestamp; another text there would end the run, uncaught."""


def body(context: Context, node: Do) -> States:
    """Return the states that carry a step out, the first under the node's own name."""
    step = node.step
    match step.kind:
        case Manual():
            return people.manual(context, node, step.kind)
        case EventWait():
            return people.event_wait(context, node, step.kind)
        case Pause():
            return _wait(context, node, step.kind)
        case Action(callback=True):
            return people.callback(context, node)
        case _:
            pass
    return _attempts(context, node)


def tells(step: Step) -> bool:
    """Whether a catcher of the step's own Task names it, see `leaving.catch`."""
    match step.kind:
        case Manual() | EventWait() | Pause() | Block() | Action(callback=True):
            return False
        case _:
            return step.for_each is None and step.on_error != "continue"


def _attempts(context: Context, node: Do) -> States:
    """A Task with what the author put around it: conditions to retry, a repeat, a pause."""
    step = node.step
    resolve = context.resolver(step, clean=node.clean)
    looped = is_looped(step, limited=context.limited)
    task = task_of(context, step, resolve)
    states: States = {node.name: task.state}
    last = _collected(states, node, task)
    last_name = next(reversed(states))
    if last is not task.state and not _is_asked_for(context, step):
        task.state.pop("Next")
        leave(context, node, task.outputs, task.state)
    outputs, kept = task.outputs, is_kept(step)
    if kept:
        last, outputs = keeping(context, node, task), OUTPUTS
        states[f"{node.name}.keep"] = last
    after_failure = pause = people.pause_name(node)
    states |= people.pause_of(context, node)
    if looped:
        states |= loops.again(context, node, pause)
        after_failure = f"{node.name}.again"
    if step.repeat is not None:
        states |= loops.until(context, node, outputs, last, pause)
    else:
        leave(context, node, outputs, last)
    for state in (task.state, last):
        is_keeping = kept and state is last  # what was done is not done again
        caught = catch(context, node, pause if is_keeping else after_failure)
        if task.collects is not None and state is not last:
            # Why a build failed is told by what it stored.
            caught.insert(0, {"ErrorEquals": ["States.TaskFailed", KEPT], "Next": last_name})
        if kept and not is_keeping and context.plan.closing is None:
            caught.insert(0, {"ErrorEquals": [KEPT], "Next": f"{node.name}.keep"})
        if caught:
            state["Catch"] = caught
    return {name: ordered(state) for name, state in states.items()}


def _collected(states: States, node: Do, task: Task) -> State:
    """Return the last state of an attempt: the Task, or the one that fetches its result."""
    if task.collects is None:
        return task.state
    name = f"{node.name}.result"
    task.state["Next"] = name
    states[name] = task.collects
    return task.collects


def _is_asked_for(context: Context, step: Step) -> bool:
    """Whether what a build gave is looked at; that it ended well the build itself has told."""
    reads = context.reads_of(step)
    return step.repeat is not None or (
        reads is not None and bool(reads.outputs or reads.all_outputs)
    )


def _wait(context: Context, node: Do, kind: Pause) -> States:
    """A Wait; where the time is computed it is looked at first, since a Wait cannot be caught."""
    step = node.step
    state: State = {"Type": "Wait"}
    resolve = context.resolver(step, clean=node.clean)
    if isinstance(kind.seconds, int):
        state["Seconds"] = kind.seconds
        leave(context, node, "{}", state)
        return {node.name: ordered(state)}
    name = f"{node.name}.time"
    if kind.seconds is not None:
        code = code_of(kind.seconds, resolve)
        state["Seconds"] = "{% $states.input.seconds %}"
        ok = "$type($w) = 'number' and $w >= 0 and $w <= 31536000"
        keep = "{'seconds': $floor($w)}"
        wanted = "a number of seconds, at most a year"
    else:
        assert kind.until is not None
        code = code_of(kind.until, resolve)
        state["Timestamp"] = "{% $states.input.until %}"
        ok = f"$type($w) = 'string' and $contains($type($w) = 'string' ? $w : '', {TIME_STAMP})"
        keep = "{'until': $w}"
        wanted = "a time stamp such as 2026-11-29T09:00:00Z"
    leave(context, node, "{}", state)
    error = _invalid(step, f"the wait of {step.id} needs {wanted}, not ", code)
    look: State = {
        "Type": "Choice",
        "Choices": [
            {
                "Condition": wrap(f"($w := {code}; {ok})"),
                "Output": wrap(f"($w := {code}; {keep})"),
                "Next": name,
            }
        ],
        "Default": people.pause_name(node) or node.failed or name,
        "Output": wrap(error),
    }
    variable = records.variable_of(context, step)
    record = records.failed(context, step, error)
    if variable is not None and record is not None and step.on_error != "pause":
        look["Assign"] = {variable: record}
    states = {node.name: look, name: state} | people.pause_of(context, node)
    return {name: ordered(state) for name, state in states.items()}


def _invalid(step: Step, message: str, given: str) -> str:
    """Return the error of a step that was given a value that it cannot take; JSONata of it."""
    return (
        f"{{'step_id': {text_literal(step.id)}, 'Error': '{VALIDATION_ERROR}', "
        f"'Cause': {text_literal(message)} & $substring($string({given}), 0, 60)}}"
    )


ORDER = (
    "Type",
    "Comment",
    "Resource",
    "Error",
    "Cause",
    "Condition",
    "Arguments",
    "Seconds",
    "Timestamp",
    "TimeoutSeconds",
    "Items",
    "ItemSelector",
    "MaxConcurrency",
    "Branches",
    "ItemProcessor",
    "Choices",
    "Retry",
    "Catch",
    "Assign",
    "Output",
    "Default",
    "Next",
    "End",
)


def ordered(state: State) -> State:
    """Return a state with its fields in the order a person reads them; empty lists left out."""
    return {key: state[key] for key in ORDER if key in state and state[key] != []}
