"""The types of the contexts that are the same wherever an expression stands."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.check.context import Context
from compiler.document.nodes import Sequence
from compiler.expressions.json_schema import from_json_schema, type_of_value
from compiler.expressions.types import (
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    optional,
)
from compiler.spec import GitPushTrigger, Workflow

GIT_INPUTS = ("commit", "author", "message", "branch", "repository")
"""The inputs that a git push gives."""

_MAYBE = optional(TEXT)
_GIT: dict[str, Type] = {
    "event_name": _MAYBE,
    "ref": _MAYBE,
    "head_ref": _MAYBE,
    "base_ref": _MAYBE,
    "sha": _MAYBE,
    "actor": _MAYBE,
    "repository": _MAYBE,
    "event": UNKNOWN,
}
GIT_FIELDS = frozenset(_GIT)
"""The members of `github` that only a git-push trigger gives."""

ERROR = Record({"type": TEXT, "message": TEXT, "details": UNKNOWN})
FAILURE = Record(
    {
        "step_id": TEXT,
        "name": TEXT,
        "status": TEXT,
        "error": optional(ERROR),
        "steps": ListOf(
            Record({"step_id": TEXT, "name": TEXT, "status": TEXT, "error": optional(ERROR)})
        ),
    }
)
RUN = Record({"id": TEXT, "started_at": TEXT, "attempt": NUMBER, "started_by": _MAYBE})
TRIGGER = Record({"name": _MAYBE, "type": _MAYBE, "event_id": _MAYBE})


def has_git_push(workflow: Workflow) -> bool:
    """Whether a git push can start the workflow."""
    return any(isinstance(trigger, GitPushTrigger) for trigger in workflow.triggers)


def are_triggers_known(context: Context) -> bool:
    """Whether all that starts the workflow was understood; what was not is reported."""
    workflow = context.workflow
    written = context.node((*workflow.path, "trigger"))
    count = len(written.items) if isinstance(written, Sequence) else int(written is not None)
    if len(workflow.triggers) < count or any(trigger.broken for trigger in workflow.triggers):
        return False
    return context.node((*workflow.path, "on")) is None  # another tool's key for `trigger`


def base(context: Context) -> dict[str, Type]:
    """Return the contexts of every expression of the workflow, `steps` and `env` apart."""
    workflow = context.workflow
    git = _GIT if has_git_push(workflow) else {}
    return {
        "inputs": inputs(context),
        "vars": _vars(context),
        "run": RUN,
        "trigger": TRIGGER,
        "event": UNKNOWN,
        "github": Record({"workflow": TEXT, "job": TEXT, **git}),
    }


def in_handlers(scope: Mapping[str, Type]) -> dict[str, Type]:
    """Return the contexts with what handlers of `on_failure` may read beside them."""
    github = scope["github"]
    assert isinstance(github, Record)
    event = Record({"workflow": Record({"failed_step": FAILURE})}, open="event" in github.fields)
    return {**scope, "failure": FAILURE, "github": Record({**github.fields, "event": event})}


def inputs(context: Context) -> Type:
    """Return the type of `inputs`: the contract, else what the triggers give, else anything."""
    workflow = context.workflow
    if workflow.inputs is not None:
        fields: dict[str, Type] = {}
        for field in workflow.inputs.fields:
            type_ = from_json_schema(field.json_schema)
            given = field.required or field.has_default
            fields[field.name] = type_ if given else optional(type_)
        return Record(fields)
    if not workflow.triggers or not are_triggers_known(context):
        return Record({}, open=True)
    names: dict[str, Type] = {}
    is_open = False
    for trigger in workflow.triggers:
        is_git = isinstance(trigger, GitPushTrigger)
        names.update(
            dict.fromkeys((*trigger.inputs.entries, *(GIT_INPUTS if is_git else ())), UNKNOWN)
        )
        is_open |= not is_git and not trigger.inputs.entries and trigger.type != "schedule"
    return Record(names, is_open)


def _vars(context: Context) -> Type:
    stage = context.surroundings.stage
    fields: dict[str, Type] = dict.fromkeys(stage.declared_vars, UNKNOWN)
    fields.update((name, type_of_value(value)) for name, value in stage.vars.items())
    return Record(fields)
