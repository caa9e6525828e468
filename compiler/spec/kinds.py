"""Which kind of step a mapping is, also where the author's spelling has to be guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from compiler.document.nodes import Path
from compiler.spec import keys
from compiler.spec.parts import conflict
from compiler.spec.report import Reporter
from compiler.spec.written import steps as written
from compiler.spec.written.scalars import did_you_mean, either, nearest

_EXAMPLE = "write `action:`, `run:` or `type:` with " + either(written.TYPES)
_LEFT_OUT = "leave"
_OTHER_TYPES = {
    "approval": "manual", "human": "manual", "approve": "manual", "pause": "manual",
    "workflow": "subworkflow", "sub-workflow": "subworkflow", "sub_workflow": "subworkflow",
    "call": "subworkflow", "sleep": "wait", "delay": "wait", "timer": "wait", "event": "publish",
    "emit": "publish", "group": "parallel", "branch": "parallel",
}  # fmt: skip
_UNTYPED = {
    "action": "action", "task": "action", "aws": "action", "lambda": "action",
    "run": "run", "script": "run", "shell": "run", "bash": "run", "command": "run",
}  # fmt: skip
_EACH = "leave it out and write `for_each:` with the list, beside what is done with each item"
_CHOICE = "leave the step out, and write `condition:` on the steps behind it"
_NOTHING = "leave the step out"
_INSTEAD = {
    **dict.fromkeys(
        ("notify", "email", "mail", "slack", "chat"),
        "leave it out and write `action: notify` with `inputs: {to: ..., message: ...}`",
    ),
    **dict.fromkeys(
        ("http", "http-request", "http_request", "request", "webhook"),
        "leave it out and write `action: http-request` with `inputs: {url: ...}`",
    ),
    **dict.fromkeys(("map", "for_each", "foreach", "for-each", "loop", "matrix"), _EACH),
    **dict.fromkeys(("choice", "condition", "if", "switch"), _CHOICE),
    **dict.fromkeys(("pass", "succeed", "fail", "end", "start"), _NOTHING),
}
"""What to write for a type that is none: for what is an action, a key or nothing here."""
# Keys from which the kind of a step without `type` can be told, the surest first.
_TELLING = (
    ("assignees", "manual"),
    ("escalations", "manual"),
    ("due_in", "manual"),
    ("quorum", "manual"),
    ("steps", "parallel"),
    ("branches", "parallel"),
    ("workflow", "subworkflow"),
    ("payload", "publish"),
    ("for", "wait"),
    ("until", "wait"),
    ("event", "wait"),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind (None: it cannot be told), the mapping to read, and whether anything was reported."""

    kind: str | None
    plain: dict[str, JsonValue]
    broken: bool = False


def choose(report: Reporter, plain: dict[str, JsonValue], path: Path) -> Kind:
    """Return the one kind a step is; report a step that is none or several."""
    has_type = "type" in plain
    named = [key for key in ("action", "run") if key in plain]
    if not has_type and len(named) == 1:
        return Kind(named[0], plain)
    if has_type and not named and plain["type"] in written.TYPES:
        return Kind(str(plain["type"]), plain)
    if len(named) == 2:
        conflict(report, path, "run", "action", "a step does one thing; make two steps of it")
        return Kind("action", _without(plain, "run", "type"), broken=True)
    if has_type:
        return _by_type(report, plain, path, named)
    return _untold(report, plain, path)


def _by_type(
    report: Reporter, plain: dict[str, JsonValue], path: Path, named: Sequence[str]
) -> Kind:
    given = plain["type"]
    at = (*path, "type")
    if not isinstance(given, str):
        report.wrong_type(at, either(written.TYPES))
        return Kind(named[0] if named else None, _without(plain, "type"), broken=True)
    untyped = _UNTYPED.get(given.lower())
    if named:
        kind = named[0]
        if given in written.TYPES:
            conflict(report, path, kind, "type", f"leave out `type: {given}`, or the `{kind}`")
        else:
            report.error(
                "unknown-value",
                at,
                f"`type` is the text '{given}'",
                f"leave it out: `{kind}` says what the step is",
            )
        return Kind(kind, _without(plain, "type"), broken=True)
    if untyped is not None:
        report.error(
            "unknown-value",
            at,
            f"`type` is the text '{given}'",
            f"leave it out and write `{untyped}:`",
        )
        return _guessed(_without(plain, "type"))
    instead = _INSTEAD.get(given.lower())
    if given.startswith("aws:"):
        instead = f"leave it out and write `action: {given}`"
    if instead is not None:
        report.error("unknown-value", at, f"`type` is the text '{given}'", instead)
        return Kind(None, _without(plain, "type"), broken=True)
    meant = _OTHER_TYPES.get(given.lower()) or nearest(given, written.TYPES)
    help_ = f"did you mean `{meant}`?" if meant else did_you_mean(given, written.TYPES)
    message = f"`type` is the text '{given}', but must be {either(written.TYPES)}"
    report.error("unknown-value", at, message, help_ or _EXAMPLE)
    if meant is None:
        return Kind(None, plain, broken=True)
    return Kind(meant, {**plain, "type": meant}, broken=True)


def _untold(report: Reporter, plain: dict[str, JsonValue], path: Path) -> Kind:
    guessed = _guessed(plain)
    if guessed.kind is not None:
        return guessed
    uses = plain.get("uses")
    if isinstance(uses, str):
        return _uses(report, plain, path, uses)
    if "steps" in plain and ("runs-on" in plain or "runs_on" in plain):
        help_ = "join the `run`s of these into one script under `run:`, and leave `runs-on` out"
        report.error_at_key(
            "foreign-key", (*path, "steps"), "a step with `runs-on` has no `steps`", help_
        )
        return Kind(None, _without(plain, "steps", "runs-on", "runs_on", "outputs"), broken=True)
    for key, kind in _TELLING:
        if key in plain:
            report.error(
                "step-kind", path, f"this step has `{key}`, but no `type`", f"add `type: {kind}`"
            )
            return Kind(kind, {**plain, "type": kind}, broken=True)
    report.error("step-kind", path, "this step does not say what it does", _EXAMPLE)
    return Kind(None, plain, broken=True)


def _guessed(plain: dict[str, JsonValue]) -> Kind:
    """Return the kind that a key in another spelling tells; that key is reported later."""
    for key in plain:
        for kind in ("action", "run"):
            other = keys.foreign(written.KINDS[kind], key)
            if nearest(keys.snake(key), (kind,), 0.8) or (other is not None and other[0] == kind):
                return Kind(kind, plain, broken=True)
    return Kind(None, plain, broken=True)


def _uses(report: Reporter, plain: dict[str, JsonValue], path: Path, uses: str) -> Kind:
    at = (*path, "uses")
    if uses.startswith("./.github/actions/"):
        help_ = f"write the script of {uses} under `run:`, or an action of this project"
        report.error_at_key("foreign-key", at, f"`uses: {uses}` calls a composite action", help_)
        return Kind(None, _without(plain, "uses", "with"), broken=True)
    if uses.startswith("docker://"):
        help_ = f"write what it runs under `run:`, with `image: {uses.removeprefix('docker://')}`"
        report.error_at_key("foreign-key", at, f"`uses: {uses}` runs a container", help_)
        return Kind(None, _without(plain, "uses", "with"), broken=True)
    if uses.startswith(".") or uses.endswith((".yaml", ".yml")):
        report.error_at_key(
            "foreign-key",
            at,
            "`uses` is a key of a job, not of a step",
            f"write `type: subworkflow` and `workflow: {uses}`",
        )
        report.alias(path, "workflow", "uses")
        renamed = _without(plain, "uses")
        return Kind(
            "subworkflow", {**renamed, "type": "subworkflow", "workflow": uses}, broken=True
        )
    report.error_at_key(
        "foreign-key",
        at,
        f"`uses: {uses}` calls another tool's action",
        _instead_of(uses),
    )
    if _instead_of(uses).startswith(_LEFT_OUT):
        return Kind(None, {key: plain[key] for key in ("id", "name") if key in plain}, broken=True)
    return Kind(None, _without(plain, "uses"), broken=True)


def _instead_of(uses: str) -> str:
    """Return what to write for an action of GitHub's: those nearly every workflow has, by name."""
    match uses.partition("@")[0]:
        case "actions/checkout":
            return "leave the step out: every script finds the source in its folder"
        case "actions/upload-artifact":
            return "leave the step out, and write `artifacts: [PATH]` on the step that makes them"
        case "actions/download-artifact":
            return "leave the step out: artifacts of the steps before are there"
        case "actions/cache":
            return "leave the step out: nothing is kept from one run to the next"
        case name if name.startswith("actions/setup-"):
            return "leave the step out; `image:` of a script is a container with what it needs"
        case _:
            return "write `action:` with an action of this project, or a script under `run:`"


def _without(plain: dict[str, JsonValue], *names: str) -> dict[str, JsonValue]:
    return {key: value for key, value in plain.items() if key not in names}
