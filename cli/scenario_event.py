"""An event as a trigger takes it: what it gives as inputs, and what expressions read of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from compiler.diagnostics import Diagnostics
from compiler.document.nodes import Json
from compiler.expressions import parse_condition, parse_template, template_to_portable, to_portable
from compiler.source import Source, Span
from compiler.spec import GitPushTrigger, Trigger
from protocol.evaluate import evaluate, is_true

if TYPE_CHECKING:
    from protocol.payloads import MachineInput

EVENT_ID = "event-1"
_OPEN = "${{"
_WITH_PAYLOAD = ("event", "queue", "http", "database")


def started(trigger: Trigger, event: Mapping[str, Json], variables: Json) -> MachineInput | None:
    """Return the input of the run that an event starts; None where its condition does not hold.

    The event is what expressions read as `event`: what a webhook posts, an event's payload, a
    message, a change. Of the workflow's inputs an expression always wins, then what the event
    gives, then what the trigger says.
    """
    github = github_of(event) if isinstance(trigger, GitPushTrigger) else {}
    about: dict[str, Json] = {"name": trigger.name, "type": trigger.type, "event_id": EVENT_ID}
    whole: Json = dict(event)
    values = {"event": whole, "github": github, "trigger": about, "vars": variables}
    if trigger.condition is not None and not _holds(trigger.condition, values):
        return None
    given = _given(trigger, event)
    inputs: dict[str, Json] = {n: v for n, v in given.items() if n not in trigger.inputs.entries}
    for name, raw in trigger.inputs.entries.items():
        value = _evaluated(raw, values)
        inputs[name] = value if _computes(raw) or given.get(name) is None else given[name]
    actor = github.get("actor")
    made: MachineInput = {
        "inputs": inputs,
        "run": {"started_by": f"github:{actor}" if actor else None},
        "trigger": about,
        "event": whole,
    }
    if github:
        made["github"] = github
    return made


def _given(trigger: Trigger, event: Mapping[str, Json]) -> dict[str, Json]:
    """Return what the event gives by itself."""
    if isinstance(trigger, GitPushTrigger):
        return git_inputs(event)
    if trigger.type not in _WITH_PAYLOAD:
        return {}
    names = trigger.inputs.entries
    return {n: v for n, v in event.items() if not names or n in names}


def github_of(event: Mapping[str, Json]) -> dict[str, Json]:
    """Return the context `github` of a webhook of GitHub, as its Actions name things.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads
    """
    pull = _at(event, "pull_request")
    whole: Json = dict(event)
    found: dict[str, Json] = {
        "event_name": "push" if pull is None else "pull_request",
        "repository": _at(event, "repository", "full_name"),
        "actor": _at(event, "sender", "login") or _at(event, "pusher", "name"),
        "event": whole,
    }
    if pull is None:
        return {**found, "ref": _at(event, "ref"), "sha": _at(event, "after") or _commit(event),
                "head_ref": None, "base_ref": None}  # fmt: skip
    number = _at(event, "number") or _at(pull, "number")
    return {
        **found,
        "ref": None if number is None else f"refs/pull/{number}/merge",
        "sha": _at(pull, "merge_commit_sha") or _at(pull, "head", "sha"),
        "head_ref": _at(pull, "head", "ref"),
        "base_ref": _at(pull, "base", "ref"),
    }


def git_inputs(event: Mapping[str, Json]) -> dict[str, Json]:
    """Return the inputs that a git push gives: commit, author, message, branch, repository."""
    pull = _at(event, "pull_request")
    name = _at(event, "repository", "full_name")
    repository = None if name is None else f"github.com/{name}"
    if pull is not None:
        return {
            "commit": _at(pull, "head", "sha"),
            "author": _at(pull, "user", "login"),
            "message": _at(pull, "title"),
            "branch": _at(pull, "head", "ref"),
            "repository": repository,
        }
    head, ref = _at(event, "head_commit"), _at(event, "ref")
    author = _at(head, "author", "email") or _at(head, "author", "name")
    return {
        "commit": _commit(event),
        "author": author or _at(event, "pusher", "email"),
        "message": _at(head, "message"),
        "branch": ref.removeprefix("refs/heads/") if isinstance(ref, str) else None,
        "repository": repository,
    }


def _commit(event: Mapping[str, Json]) -> Json:
    return _at(event, "head_commit", "id") or _at(event, "after")


def _at(value: object, *names: str) -> Json:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    found: Json = value  # type: ignore[assignment]  # JSON, as its root is
    return found


# --- expressions: the compiler has checked them, so that nothing is reported here ----------------


def _nowhere(_start: int, _end: int) -> Span:
    return Span(0, 0)


def _unsaid() -> Diagnostics:
    return Diagnostics(Source("", ""))


def _computes(raw: Json) -> bool:
    if isinstance(raw, str):
        return _OPEN in raw
    parts = raw.values() if isinstance(raw, dict) else raw if isinstance(raw, list) else ()
    return any(_computes(part) for part in parts)


def _evaluated(raw: Json, values: Mapping[str, Json]) -> Json:
    if isinstance(raw, dict):
        return {name: _evaluated(part, values) for name, part in raw.items()}
    if isinstance(raw, list):
        return [_evaluated(part, values) for part in raw]
    if not isinstance(raw, str):
        return raw
    template = parse_template(raw, _nowhere, _unsaid())
    return raw if template is None else evaluate(template_to_portable(template), values)


def _holds(text: str, values: Mapping[str, Json]) -> bool:
    condition = parse_condition(text, _nowhere, _unsaid())
    if condition is None:
        return True
    value = evaluate(to_portable(condition), values)
    return is_true(value) and value != "false"
