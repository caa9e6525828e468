"""What starts the workflow: what its events give as inputs, and what lets them through."""

from __future__ import annotations

from compiler.check.calls import constant_or_fields
from compiler.check.checker import Checker
from compiler.check.contexts import GIT_INPUTS
from compiler.check.contracts import Taker, fit
from compiler.check.readers import Reader
from compiler.document.nodes import Json, Mapping
from compiler.spec import GitPushTrigger, Trigger

_FROM_PAYLOAD = ("event", "queue", "http", "database")
_NO_STEPS = "read `event`"


def triggers(checker: Checker) -> Json:
    """Return the triggers as the deployment reads them; expressions stay as they were written."""
    return [_trigger(checker, trigger) for trigger in checker.context.workflow.triggers]


def _trigger(checker: Checker, trigger: Trigger) -> Json:
    contexts = {name: checker.contexts[name] for name in ("vars", "trigger", "event", "github")}
    reader = Reader(None, "value", contexts, no_steps=_NO_STEPS)
    _check_inputs(checker, trigger, reader)
    if trigger.condition is not None:
        checker.typed.condition(trigger.condition, (*trigger.path, "condition"), reader)
    if trigger.dedupe is not None and trigger.dedupe.key is not None:
        checker.value(trigger.dedupe.key, (*trigger.dedupe.path, "key"), reader)
    plain = trigger.model_dump(mode="json", exclude={"path", "broken", "pattern_key"})
    plain["inputs"] = trigger.inputs.entries
    if isinstance(plain.get("dedupe"), dict):
        del plain["dedupe"]["path"]
    return plain


def _check_inputs(checker: Checker, trigger: Trigger, reader: Reader) -> None:
    items, node = checker.values(trigger.inputs, reader)
    contract = checker.context.workflow.inputs
    if contract is None or (trigger.broken and not isinstance(node, Mapping)):
        return
    schema = contract.json_schema
    given = set(GIT_INPUTS) if isinstance(trigger, GitPushTrigger) else set()
    if not trigger.inputs.entries and trigger.type in _FROM_PAYLOAD:
        return  # the payload is the inputs; intake validates it
    required = schema["required"]
    assert isinstance(required, list)
    needed: dict[str, Json] = {
        **schema,
        "required": [name for name in required if name not in given],
    }
    span = checker.context.span((*trigger.path, "type"))
    if node is not None:
        span = checker.context.key_span(trigger.inputs.path)
    name = f"the workflow, which '{trigger.name}' starts,"
    fit(constant_or_fields(items), node, needed, Taker(name), checker.context, span)
