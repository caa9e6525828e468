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

_OF_A_COMMIT = ("commit", "author", "message", "repository")
"""The inputs that every git push and pull request gives."""

_MAYBE = optional(TEXT)
_GIT: dict[str, Type] = {
    "event_name": _MAYBE,
    "ref": _MAYBE,
    "ref_name": _MAYBE,
    "ref_type": _MAYBE,
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


def inputs_of_git(trigger: GitPushTrigger) -> tuple[str, ...]:
    """Return the inputs that a git push can give to a workflow."""
    has_branch = trigger.takes_branches or "pull_request" in trigger.events
    has_names = (("branch", has_branch), ("tag", trigger.takes_tags))
    return (*_OF_A_COMMIT, *(name for name, can_be in has_names if can_be))


def sometimes_of_git(trigger: GitPushTrigger) -> dict[str, str]:
    """Return the inputs that not all of what starts the workflow gives, with why."""
    told: dict[str, str] = {}
    if trigger.takes_tags:
        told["branch"] = "a pushed tag is on no branch"
    if "branch" in inputs_of_git(trigger):
        told["tag"] = "only a pushed tag gives it"
    return told


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
    # Another tool's key for `trigger`, which is `true` after a YAML 1.1 tool has written the file.
    return all(context.node((*workflow.path, key)) is None for key in ("on", "true"))


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
        names.update(dict.fromkeys(trigger.inputs.entries, UNKNOWN))
        if isinstance(trigger, GitPushTrigger):
            names.update(dict.fromkeys(inputs_of_git(trigger), UNKNOWN))
        elif trigger.type != "schedule":
            is_open |= not trigger.inputs.entries
    return Record(names, is_open)


def _vars(context: Context) -> Type:
    stage = context.surroundings.stage
    fields: dict[str, Type] = dict.fromkeys(stage.declared_vars, UNKNOWN)
    fields.update((name, type_of_value(value)) for name, value in stage.vars.items())
    return Record(fields)
