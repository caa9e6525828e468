"""What compiles, but hardly does what was meant."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.check.program import Value, expressions
from compiler.check.suggest import listed
from compiler.document.nodes import Json
from compiler.expressions import Binary, Call, Expr, Not, Ref, references, status_functions, walk
from compiler.expressions.syntax import children
from compiler.spec import EventTrigger, PublishStep
from protocol.events import SOURCE
from protocol.patterns import matches


def check_constant(checker: Checker, entry: Entry, condition: Expr) -> None:
    """Warn of a condition, as it was written, that is always the same."""
    if not any(isinstance(inner, Ref | Call) for inner in walk(condition)):
        checker.warn(
            "constant-condition",
            checker.context.span((*entry.step.path, "condition")),
            f"the condition of '{entry.id}' is always the same: it reads nothing",
            "leave it out, or take the step out",
        )


def check_condition(checker: Checker, entry: Entry, condition: Expr) -> None:
    """Warn of a condition that means more than it seems to."""
    for inner in walk(condition):
        if _is_half_asked(inner):
            checker.warn(
                "status-function-in-or",
                inner.span,
                "a status function in one arm of `||` switches off the usual check of the steps "
                "above for the other arm too",
                "write `!failure() && (...)` with the rest in the brackets",
            )
            break
    if any(isinstance(call, Call) and call.name == "failure" for call in _positive(condition)):
        _unseen(checker, entry, condition)


def _is_half_asked(expr: Expr) -> bool:
    if not isinstance(expr, Binary) or expr.op != "||":
        return False
    return bool(status_functions(expr.left)) != bool(status_functions(expr.right))


def _positive(expr: Expr) -> Iterator[Expr]:
    """Yield the parts of an expression that stand under an even number of `!`."""
    stack = [(expr, False)]
    while stack:
        here, negated = stack.pop()
        if not negated:
            yield here
        flip = isinstance(here, Not)
        stack.extend((child, negated != flip) for child in children(here))


def _unseen(checker: Checker, entry: Entry, condition: Expr) -> None:
    """Warn where `failure()` asks about some of the steps only."""
    group = entry.group
    if group.kind not in ("steps", "block") or group.unsure & entry.bit:
        return
    above = group.above[entry.position]
    unseen = [
        other.id
        for other in group.entries
        if other is not entry
        and not above & other.bit
        and not group.above[other.position] & entry.bit
    ]
    if not unseen:
        return
    place = next(
        call.span for call in walk(condition) if isinstance(call, Call) and call.name == "failure"
    )
    checker.warn(
        "failure-sees-some",
        place,
        f"`failure()` asks only about the steps that '{entry.id}' comes after: "
        f"it does not see {listed(unseen)}",
        "add them to its `depends_on`, or make it a handler under `on_failure`",
    )


def check_workflow(checker: Checker) -> None:
    """Warn of what concerns the workflow as a whole."""
    _cancelled_holders(checker)
    _own_events(checker)


def _cancelled_holders(checker: Checker) -> None:
    concurrency = checker.context.workflow.concurrency
    if concurrency is None or concurrency.on_conflict != "cancel_running":
        return
    reasons: list[str] = []
    for entry in checker.groups.entries():
        if entry.step.kind == "manual" or entry.step.on_error == "pause":
            reasons.append(f"'{entry.id}' waits for a person")
        elif entry.undo is not None:
            reasons.append(f"'{entry.id}' has a `compensate`")
        elif entry.step.condition is not None and "always()" in entry.step.condition.replace(
            " ", ""
        ):
            reasons.append(f"'{entry.id}' is to run always")
    if reasons:
        checker.warn(
            "cancels-unfinished-work",
            checker.context.span((*concurrency.path, "on_conflict")),
            f"a running one is stopped at once, and {reasons[0]}: that is not done then",
            "write `on_conflict: queue` or `on_conflict: reject`",
        )


def _own_events(checker: Checker) -> None:
    """Warn of a workflow that publishes what starts it.

    What is in an event is known at run time only, so patterns that ask for it are left alone.
    """
    listening = [
        trigger
        for trigger in checker.context.workflow.triggers
        if isinstance(trigger, EventTrigger)
        and not trigger.broken
        and trigger.condition is None
        and trigger.pattern.keys() <= {"source", "detail-type"}
    ]
    for entry in checker.groups.entries():
        step = entry.step
        if not isinstance(step, PublishStep):
            continue
        event: dict[str, Json] = {"source": SOURCE, "detail-type": step.event}
        heard = next((one for one in listening if matches(one.pattern, event)), None)
        if heard is not None:
            checker.warn(
                "starts-itself",
                checker.context.span((*step.path, "event")),
                f"'{entry.id}' publishes '{step.event}', which starts this workflow again",
                f"publish another event, or give the trigger '{heard.name}' a `condition`",
            )


_TIMES = frozenset(
    {"time", "timestamp", "now", "received_at", "sent_at", "published_at", "processed_at"}
)
"""Names of what differs each time that a sender tries again."""


def check_key(checker: Checker, key: Value) -> None:
    """Warn of a key of events that holds a time: then no two are the same."""
    for expr in expressions(key):
        for ref in references(expr):
            if ref.root == "event" and ref.keys and ref.keys[-1] in _TIMES:
                checker.warn(
                    "time-in-dedupe-key",
                    ref.span,
                    f"`{ref.keys[-1]}` is hardly the same when the event is sent again",
                    "write what the event is about, such as `event.order_id`",
                )


def check_inputs(checker: Checker) -> None:
    """Warn of inputs that nothing reads."""
    inputs = checker.context.workflow.inputs
    for field in () if inputs is None else inputs.fields:
        if not checker.typed.reads_input(field.name):
            checker.warn(
                "unused-input",
                checker.context.key_span(field.path),
                f"nothing reads the input '{field.name}'",
                f"read it as `${{{{ inputs.{field.name} }}}}`, or take it out",
            )
