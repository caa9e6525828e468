"""What a deploy would change, as people and as programs read it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import ndiff

from cli.against.changes import About, Change, Compared, Comparison, Sign
from cli.against.deployed import OpenRun, Version
from cli.output.columns import when
from cli.output.paint import Paint, Tone, shown
from cli.output.units import plural
from compiler.document.nodes import Json

_SIGNS: Mapping[Sign, tuple[str, Tone]] = {
    "added": ("+", "good"),
    "removed": ("-", "error"),
    "changed": ("~", "accent"),
    "renamed": ("→", "accent"),
}
_LABELS: Mapping[About, str] = {
    "workflow": "workflow",
    "input": "input",
    "output": "output",
    "trigger": "trigger",
    "step": "step",
    "secret": "secret",
    "permission": "allowed",
}
_LABEL = max(map(len, _LABELS.values())) + 2
_WIDEST = 48
_USUAL: Mapping[str, Json] = {
    "retry": {"max_attempts": 3, "delay": "1s", "backoff": 2.0, "jitter": "full", "conditions": []},
    "repeat": {"delay": "10s", "max_attempts": 10},
}
"""What is not worth saying of a key that is new."""


def render(found: Comparison, *, colour: bool) -> str:
    """Return a section for each workflow, those that stay as they are in one line at the end."""
    paint = Paint(colour)
    same = [one for one in found.workflows if one.is_same]
    lines: list[str] = []
    for one in found.workflows:
        if not one.is_same:
            lines += [*_section(one, found, paint), ""]
    if same:
        names = ", ".join(one.version.reference for one in same)
        lines.append(f"{paint('as deployed', 'faint')}  {shown(names)}")
    lines.append(_last(found, paint))
    return "".join(f"{line}\n" for line in lines)


def _last(found: Comparison, paint: Paint) -> str:
    new = sum(one.before is None for one in found.workflows)
    gone = sum(one.after is None for one in found.workflows)
    same = sum(one.is_same for one in found.workflows)
    changed = len(found.workflows) - new - gone - same
    told = f"against {shown(found.place)}: {new} new, {changed} changed, {gone} gone, {same} same"
    return paint(told, "strong")


def _section(one: Compared, found: Comparison, paint: Paint) -> Iterator[str]:
    version = one.version
    yield f"{paint(shown(version.reference), 'strong')}  {paint(shown(version.file), 'faint')}"
    if one.before is None:
        yield f"  {paint('+', 'good')} {'workflow':<{_LABEL}}it is new"
    elif one.after is None:
        yield f"  {paint('-', 'error')} {'workflow':<{_LABEL}}{_GONE}"
    for change in one.changes:
        yield from _change(change, paint)
    for note in one.notes:
        yield f"    {'':<{_LABEL}}{shown(note)}"
    yield from _runs(one, found, paint)


_GONE = "the project does not have it: nothing starts it any more"


def _runs(one: Compared, found: Comparison, paint: Paint) -> Iterator[str]:
    if one.before is None or not found.knows_runs:
        return
    label = paint(f"{'runs':<{_LABEL}}", "faint")
    if not one.runs:
        yield f"    {label}none is open"
        return
    stay = "stays" if len(one.runs) == 1 else "stay"
    yield f"    {label}{plural(len(one.runs), 'open run')} {stay} with what is deployed now"
    for run in one.runs:
        yield f"    {'':<{_LABEL}}  {shown(run.id)}  {run.status} since {when(run.started_at)}"


def _change(change: Change, paint: Paint) -> Iterator[str]:
    mark, tone = _SIGNS[change.sign]
    head = f"  {paint(mark, tone)} {_LABELS[change.about]:<{_LABEL}}"
    name = shown(change.name)
    if change.sign == "renamed":
        yield f"{head}{shown(str(change.before))} is called {name} now"
    elif change.sign == "changed":
        yield f"{head}{_keyed(change, name)}"
    else:
        whole = change.after if change.sign == "added" else change.before
        yield f"{head}{name}{_about(change.about, whole)}"


def _keyed(change: Change, name: str) -> str:
    """Return a change of a key: whose it is, and what it was and is."""
    before, after = change.before, change.after
    begin = f"{name}: " if name else ""
    if change.key == "depends_on" and isinstance(before, list) and isinstance(after, list):
        return f"{begin}{_waits(before, after)}"
    key = shown(change.key)
    if before is None:
        return f"{begin}{key} is new: {_value(_without_usual(change.key, after))}"
    if after is None:
        return f"{begin}{key} is gone, was {_value(_without_usual(change.key, before))}"
    if _is_long(before) or _is_long(after):
        return f"{begin}{key}: {_lines(before, after)}"
    return f"{begin}{key}: {_value(before)} → {_value(after)}"


def _waits(before: list[Json], after: list[Json]) -> str:
    gone = [str(one) for one in before if one not in after]
    new = [str(one) for one in after if one not in before]
    parts = []
    if new:
        parts.append(f"waits for {' and '.join(new)}")
    if gone:
        parts.append(f"waits no longer for {' and '.join(gone)}")
    told = ", ".join(parts)
    return shown(told if after else f"{told}: starts at once")


def _about(about: About, whole: Json) -> str:
    """Return what a thing is that is new or gone, as far as one line tells."""
    if not isinstance(whole, dict):
        return ""
    if about == "step":
        kind = str(whole["kind"])
        what = whole.get(
            {"action": "action", "aws": "action", "subworkflow": "workflow"}.get(kind, "")
        )
        return shown(f": {what}" if isinstance(what, str) else f": {kind}")
    if about == "trigger":
        return shown(f": {whole['type']}")
    if about == "input":
        rest = ", required" if whole.get("required") else ""
        return f": {_value(whole.get('type', 'anything'))}{rest}"
    return ""


def _without_usual(key: str, value: Json) -> Json:
    usual = _USUAL.get(key)
    if not isinstance(value, dict) or not isinstance(usual, dict):
        return value
    said = {name: one for name, one in value.items() if name not in usual or usual[name] != one}
    return said or {"max_attempts": value["max_attempts"]}


def _is_long(value: Json) -> bool:
    return isinstance(value, str) and "\n" in value


def _lines(before: Json, after: Json) -> str:
    """Return how two texts of several lines differ."""
    old, new = str(before).splitlines(), str(after).splitlines()
    marks = [line[:1] for line in ndiff(old, new)]
    return f"{plural(marks.count('+'), 'line')} new, {marks.count('-')} gone"


def _value(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = shown(text.replace("\n", "⏎"))
    if isinstance(value, str) and (not text or text != text.strip()):
        text = f"'{text}'"
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def as_json(found: Comparison) -> str:
    """Return all of it as one JSON object; its keys are stable."""
    told: dict[str, Json] = {
        "format": 1,
        "against": found.place,
        "runs_known": found.knows_runs,
        "workflows": [_json(one) for one in found.workflows],
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _json(one: Compared) -> Json:
    return {
        "id": one.version.id,
        "what": _what(one),
        "before": _version(one.before),
        "after": _version(one.after),
        "changes": [_change_json(change) for change in one.changes],
        "notes": list(one.notes),
        "runs": list(_runs_json(one.runs)),
    }


def _what(one: Compared) -> str:
    if one.before is None:
        return "new"
    if one.after is None:
        return "gone"
    return "same" if one.is_same else "changed"


def _version(version: Version | None) -> Json:
    if version is None:
        return None
    return {"version": version.version, "digest": version.digest, "file": version.file}


def _change_json(change: Change) -> Json:
    return {
        "sign": change.sign,
        "about": change.about,
        "name": change.name,
        "key": change.key,
        "before": change.before,
        "after": change.after,
    }


def _runs_json(runs: Iterable[OpenRun]) -> Iterator[Json]:
    for one in runs:
        yield {
            "run_id": one.id,
            "workflow_version": one.version,
            "status": one.status,
            "started_at": one.started_at,
        }
