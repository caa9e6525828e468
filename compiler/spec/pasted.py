"""Keys of GitHub Actions whose value says what stands here instead: the help is the whole line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from compiler.spec.written import steps, triggers
from compiler.spec.written.parts import Concurrency, Defaults, Written
from compiler.spec.written.root import Root
from compiler.spec.written.scalars import nearest, source_text

_BARE = re.compile(r"[A-Za-z][\w./*-]*")
_WORDS = ("true", "false", "null")
_LONGEST = 300  # of a line that is shown
_SHOWN = 6
_WORD = 80  # of a value in it
_GIT = ("push", "pull_request")
_FILTERS = (
    ("branch", "branches", ""),
    ("branch", "branches-ignore", "!"),
    ("tags", "tags", ""),
    ("tags", "tags-ignore", "!"),
    ("paths", "paths", ""),
    ("paths", "paths-ignore", "!"),
)
_ACTIONS = ("opened", "synchronize", "reopened")
_ON_PULLS = "it starts on pull requests that are opened, synchronized or reopened"
_ANY = {
    "workflow_dispatch": "any workflow can be started",
    "workflow_call": "any workflow can be called",
}
_MANY = "trigger: {type: git-push, event: [push, pull_request], branch: ..., tags: ..., paths: ...}"


def advice(model: type[Written], key: str, value: JsonValue) -> str | None:
    """Return what to write for a key that `model` has not, if its value says more than the key."""
    word = key.lower().replace("-", "_")
    if word == "timeout_minutes" and issubclass(model, steps.StepPart | Root | Defaults):
        return _minutes(value)
    if model is Concurrency:
        return _in_progress(value) if word == "cancel_in_progress" else None
    if model is Root:
        return started_by(value) if word in ("on", "true") else None
    if issubclass(model, triggers.GitPushTrigger):
        return _types(value) if word == "types" else None
    if issubclass(model, steps.StepPart):
        of_step = _OF_STEPS.get(word)
        return None if of_step is None else of_step(model, value)
    return None


def _in_progress(value: JsonValue) -> str:
    if value is True:
        return "write `on_conflict: cancel_running`"
    if value is False:
        return "write `on_conflict: queue`"
    return (
        "write `on_conflict: cancel_running` where it is true, `on_conflict: queue` where it is not"
    )


# --- what starts a workflow -----------------------------------------------------------------------


def started_by(value: JsonValue) -> str:
    """Return what to write for the value of `on`."""
    events = _events(value)
    found, rest = _triggers(events), [_instead(event, events[event]) for event in events]
    said = [text for text in dict.fromkeys(rest) if text]
    if found:
        line = f"trigger: {found[0]}" if len(found) == 1 else f"trigger: [{', '.join(found)}]"
        said.insert(0, f"write `{line if len(line) <= _LONGEST else _MANY}`")
    return "; ".join(said[:_SHOWN]) or "write `trigger`, with a `type`"


def is_started_by(value: Mapping[str, JsonValue]) -> bool:
    """Whether a mapping is what stands under `on`."""
    return any(key in (*_GIT, *_ANY) for key in value)


def not_a_trigger(event: str) -> str | None:
    """Return what to write for an event that starts workflows there, and is no type here."""
    word = event.lower().replace("-", "_")
    if word in _ANY:
        return f"leave it out: {_ANY[word]}; write `inputs:` at the root"
    if word in _OTHERS:
        return f"there is none for `{event}`; `type: http` takes a webhook"
    return None


def _events(value: JsonValue) -> dict[str, JsonValue]:
    if isinstance(value, dict):
        return value
    names = value if isinstance(value, list) else [value]
    return {name: None for name in names if isinstance(name, str)}


def _triggers(events: Mapping[str, JsonValue]) -> list[str]:
    found: dict[str, list[str]] = {}  # events by their filters, which one trigger can share
    for event in _GIT:
        if event in events:
            found.setdefault(_filters(events[event]), []).append(event)
    lines = []
    for filters, names in found.items():
        event = "" if names == ["push"] else f", event: {_list(names)}"
        lines.append(f"{{type: git-push{event}{filters}}}")
    times = events.get("schedule")
    for item in times if isinstance(times, list) else [times] if "schedule" in events else []:
        cron = item.get("cron") if isinstance(item, dict) else None
        lines.append(f"{{type: schedule, cron: {_text(cron) if cron else '...'}}}")
    return lines


def _filters(value: JsonValue) -> str:
    if not isinstance(value, dict):
        return ""
    found: dict[str, list[str]] = {}
    for name, key, sign in _FILTERS:
        patterns = value.get(key)
        for pattern in patterns if isinstance(patterns, list) else [patterns]:
            if isinstance(pattern, str):
                found.setdefault(name, []).append(f"{sign}{pattern}")
    return "".join(f", {name}: {_list(patterns)}" for name, patterns in found.items())


def _instead(event: str, value: JsonValue) -> str | None:
    if event in (*_GIT, "schedule"):
        return None
    if event in _ANY:
        takes = isinstance(value, dict) and "inputs" in value
        gives = isinstance(value, dict) and "outputs" in value
        roots = [f"`{key}:`" for key, has in (("inputs", takes), ("outputs", gives)) if has]
        where = f"; write its {' and '.join(roots)} at the root" if roots else ""
        return f"leave `{event}` out: {_ANY[event]}{where}"
    near = None if event in _OTHERS else nearest(event, (*_GIT, *_ANY, "schedule"))
    if near is not None:
        return f"for {_text(event)} did you mean `{near}`?"
    return f"there is none for {_text(event)}: `type: http` takes a webhook"


def _types(value: JsonValue) -> str:
    names = value if isinstance(value, list) else [value]
    texts = [name for name in names if isinstance(name, str)]
    other = next((text for text in texts if text not in _ACTIONS), None)
    if other is not None:
        return f"leave it out: {_ON_PULLS}, and on nothing like {_text(other)}"
    if not texts or set(texts) == set(_ACTIONS):
        return f"leave it out: {_ON_PULLS}"
    asked = " || ".join(f"event.action == '{text}'" for text in texts)
    return f"leave it out; filter with `condition: {asked}`"


def _list(words: list[str]) -> str:
    texts = [_text(word) for word in words]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _text(value: JsonValue) -> str:
    text = str(value)
    if len(text) > _WORD or not text.isprintable():
        return "..."
    if _BARE.fullmatch(text) and text not in _WORDS:
        return text
    quoted = text.replace("'", "''")
    return f"'{quoted}'" if '"' in text or "\\" in text else f'"{text}"'


_OTHERS = frozenset(
    (
        "check_run", "check_suite", "create", "delete", "deployment", "deployment_status",
        "discussion", "discussion_comment", "fork", "gollum", "issue_comment", "issues", "label",
        "merge_group", "milestone", "page_build", "public", "pull_request_comment",
        "pull_request_review", "pull_request_review_comment", "pull_request_target",
        "registry_package", "release", "repository_dispatch", "status", "watch", "workflow_run",
    )
)  # fmt: skip


# --- inputs ---------------------------------------------------------------------------------------


def choice(field: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return an input with `type: choice` as it is written here."""
    options = field.get("options")
    if field.get("type") != "choice" or not isinstance(options, list) or not options:
        return None
    rest = {key: value for key, value in field.items() if key != "options"}
    return {**rest, "type": "string", "enum": options}


def enum(options: JsonValue) -> str | None:
    """Return `enum` with the values of `options`, if they are short enough to be shown."""
    if not isinstance(options, list) or not options:
        return None
    line = f"enum: [{', '.join(_item(option) for option in options)}]"
    return line if len(line) <= _LONGEST else "enum: [...]"


# --- what stands on a step or a job ---------------------------------------------------------------


def _environment(model: type[steps.StepPart], value: JsonValue) -> str:
    people = "for reviewers put a step with `type: manual` before it"
    is_named = isinstance(value, str) or (
        isinstance(value, dict) and bool(value) and value.keys() <= {"name", "url"}
    )
    if model is steps.ActionStep:
        return f"{people}; what the action is given stands in its `inputs`"
    return people if is_named else f"{people}; for variables write `env`"


def is_bash(shell: JsonValue) -> bool:
    """Whether a script is for bash, by the `shell` that is written beside it."""
    return not isinstance(shell, str) or not shell.strip() or shell.split()[0] in ("bash", "sh")


def _shell(_: type[steps.StepPart], value: JsonValue) -> str | None:
    if is_bash(value):
        return None
    name = _text(str(value).split()[0])
    if name.startswith("python"):
        return "scripts run in bash; begin this one with `python - <<'EOF'`, and end it with `EOF`"
    if name in ("pwsh", "powershell", "cmd"):
        return "scripts run in bash, on Linux: write this one in bash"
    return f"scripts run in bash: call `{name}` in the script"


def _strategy(_: type[steps.StepPart], value: JsonValue) -> str | None:
    if not isinstance(value, dict):
        return None
    said = for_each(value.get("matrix"))
    at_once = value.get("max-parallel")
    more = [f"`max_concurrency: {at_once}`"] if isinstance(at_once, int) else []
    more += ["`fail_fast: true`"] if value.get("fail-fast") is True else []
    return f"{said}, and {' and '.join(more)}" if said and more else said


def _tolerated(_: type[steps.StepPart], value: JsonValue) -> str | None:
    if value is True:
        return None
    if value is False:
        return "leave it out: a failure fails the run unless a step says `on_error: continue`"
    return "write `on_error: continue` or leave it out: it is decided before the run"


def _minutes(value: JsonValue) -> str | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return f"write `timeout: {value}m`" if is_whole else None


def for_each(matrix: JsonValue) -> str | None:
    """Return the list of items that a matrix of lists stands for, if it has one."""
    if not isinstance(matrix, dict) or not matrix:
        return None
    axes = {
        name: values
        for name, values in matrix.items()
        if name not in ("include", "exclude") and isinstance(values, list) and values
    }
    if not axes:
        return None
    if len(matrix) == 1:
        line = f"for_each: [{', '.join(_item(item) for item in next(iter(axes.values())))}]"
        return f"write `{line}`" if len(line) <= _LONGEST else None
    first = ", ".join(f"{_text(name)}: {_item(values[0])}" for name, values in axes.items())
    return f"write the list of combinations: `for_each: [{{{first}}}, ...]`"


def _item(value: JsonValue) -> str:
    if isinstance(value, str):
        return _text(value)
    return str(value).lower() if isinstance(value, bool) else source_text(value) or "..."


_OF_STEPS: dict[str, Callable[[type[steps.StepPart], JsonValue], str | None]] = {
    "environment": _environment,
    "shell": _shell,
    "strategy": _strategy,
    "continue_on_error": _tolerated,
}
