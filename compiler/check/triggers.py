"""What starts the workflow: what its events give as inputs, and what lets them through."""

from __future__ import annotations

from compiler.check.calls import constant_or_fields
from compiler.check.checker import Checker
from compiler.check.contexts import inputs_of_git, sometimes_of_git
from compiler.check.contracts import Taker, fit
from compiler.check.program import Constant, Fields, Trigger, Value
from compiler.check.readers import Reader
from compiler.check.warnings import check_key
from compiler.document.nodes import Json, Mapping
from compiler.spec import GitPushTrigger, ScheduleTrigger
from compiler.spec import Trigger as Written

_FROM_PAYLOAD = ("event", "queue", "http", "database")
_NO_STEPS = "read `event`"


_COMMON = {"path", "name", "type", "inputs", "condition", "dedupe", "broken", "pattern_key"}


def triggers(checker: Checker) -> tuple[Trigger, ...]:
    """Return what starts runs of the workflow."""
    return tuple(_trigger(checker, trigger) for trigger in checker.context.workflow.triggers)


def _trigger(checker: Checker, trigger: Written) -> Trigger:
    contexts = {name: checker.contexts[name] for name in ("vars", "trigger", "event", "github")}
    reader = Reader(None, "value", contexts, no_steps=_NO_STEPS)
    inputs = _inputs(checker, trigger, reader)
    condition = key = window = None
    if trigger.condition is not None:
        path = (*trigger.path, "condition")
        condition = checker.typed.condition(trigger.condition, path, reader)
    if trigger.dedupe is not None:
        window = trigger.dedupe.window
        if trigger.dedupe.key is not None:
            key = checker.value(trigger.dedupe.key, (*trigger.dedupe.path, "key"), reader)
            if not isinstance(trigger, ScheduleTrigger):
                check_key(checker, key)
    settings = trigger.model_dump(mode="json", exclude=_COMMON)
    return Trigger(trigger.name, trigger.type, settings, inputs, condition, key, window)


def _inputs(checker: Checker, trigger: Written, reader: Reader) -> tuple[tuple[str, Value], ...]:
    """Return what the trigger says of the inputs, as the workflow's contract wants it."""
    items, node = checker.values(trigger.inputs, reader)
    contract = checker.context.workflow.inputs
    if contract is None or (trigger.broken and not isinstance(node, Mapping)):
        return items
    schema = contract.json_schema
    given: set[str] = set()
    lacking: dict[str, str] = {}
    if isinstance(trigger, GitPushTrigger):
        lacking = sometimes_of_git(trigger)
        given = set(inputs_of_git(trigger)) - lacking.keys()
    if not trigger.inputs.entries and trigger.type in _FROM_PAYLOAD:
        return items  # the payload is the inputs; intake validates it
    required = schema["required"]
    assert isinstance(required, list)
    needed: dict[str, Json] = {
        **schema,
        "required": [name for name in required if name not in given],
    }
    span = checker.context.span((*trigger.path, "type"))
    if node is not None:
        span = checker.context.key_span(trigger.inputs.path)
    taker = Taker(f"the workflow, which '{trigger.name}' starts,", lacking=lacking)
    fitted = fit(constant_or_fields(items), node, needed, taker, checker.context, span)
    match fitted:
        case Fields(items=fields):
            return fields
        case Constant(value=dict() as plain):
            return tuple((key, Constant(value)) for key, value in plain.items())
        case _:
            return items
