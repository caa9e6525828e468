"""What `prune` would delete and has deleted, as people and as programs read it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from cli.output.paint import Paint, shown
from cli.prune.delete import Item, Outcome, items
from cli.prune.left import Other
from cli.prune.plan import Found, Machine, Plan, Verdict, version


def plan_text(found: Found, made: Plan, *, colour: bool) -> str:
    """Return what becomes of each machine and function: what goes, what stays and why."""
    paint = Paint(colour)
    lines = [paint(found.place, "strong")]
    for verdict in (*made.machines, *made.functions):
        if verdict.of.versions or verdict.of.is_left:
            lines += _told(verdict, paint)
    gone = [one for one in made.others if one.whole]
    if gone:
        lines += ["", "left over, and needed by nothing that stays"]
    lines += [
        f"  {paint('deletes', 'error')}  {_kind(one.of)} {shown(one.of.name)}" for one in gone
    ]
    return "".join(f"{line}\n" for line in lines)


def sum_text(made: Plan) -> str:
    """Return how much would be deleted: `2 versions of machines and 1 function`."""
    return _counted(items(made.all))


def outcome_text(outcome: Outcome) -> str:
    """Return what was deleted."""
    return f"deleted {_counted(outcome.deleted)}\n"


def failures_text(outcome: Outcome) -> str:
    """Return what was not deleted, and why."""
    return "".join(f"not deleted: {_name(item)}: {shown(why)}\n" for item, why in outcome.failed)


def as_json(found: Found, made: Plan, outcome: Outcome | None) -> str:
    """Return all of it as one JSON object; `outcome` is None where nothing was to be deleted."""
    verdicts = (*made.machines, *made.functions)
    told: dict[str, Any] = {
        "format": 1,
        "place": found.place,
        "kept": [
            {"arn": version(one.of.arn, number), "why": one.kept[number]}
            for one in verdicts
            for number in sorted(one.kept, reverse=True)
        ],
        "to_delete": [item.arn for item in items(made.all)],
    }
    if outcome is not None:
        told["deleted"] = [item.arn for item in outcome.deleted]
        told["not_deleted"] = [{"arn": item.arn, "why": why} for item, why in outcome.failed]
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _told(verdict: Verdict, paint: Paint) -> Iterator[str]:
    one = verdict.of
    kind = _kind(one)
    yield ""
    yield f"{kind} {paint(shown(one.name), 'strong')}" + (", left over" if one.is_left else "")
    for why, numbers in _by_reason(verdict):
        yield f"  keeps    {_ranges(numbers)}  {paint(shown(why), 'faint')}"
    if verdict.whole:
        yield f"  {paint('deletes', 'error')}  all of it"
    elif verdict.deleted:
        yield f"  {paint('deletes', 'error')}  {_ranges(verdict.deleted)}"


def _by_reason(verdict: Verdict) -> list[tuple[str, list[int]]]:
    found: dict[str, list[int]] = {}
    for number in sorted(verdict.kept, reverse=True):
        found.setdefault(verdict.kept[number], []).append(number)
    return list(found.items())


def _ranges(numbers: Iterable[int]) -> str:
    """Return numbers with those in a row drawn together: `9-12, 4, 1-2`."""
    rows: list[list[int]] = []
    for number in sorted(numbers, reverse=True):
        if rows and rows[-1][0] == number + 1:
            rows[-1][0] = number
        else:
            rows.append([number, number])
    return ", ".join(f"{low}-{high}" if low < high else str(high) for low, high in rows)


def _counted(found: Iterable[Item]) -> str:
    counts: dict[str, int] = {}
    for item in found:
        kind = _kind(item.of.of)
        what = kind if item.number is None else "version"
        of = "" if item.number is None else f" of {kind}s"
        counts[f"{what}|{of}"] = counts.get(f"{what}|{of}", 0) + 1
    parts = []
    for key, count in counts.items():
        what, _, of = key.partition("|")
        parts.append(f"{count} {what}{'s' * (count > 1)}{of}")
    return (
        " and ".join((", ".join(parts[:-1]), parts[-1]))
        if len(parts) > 1
        else "".join(parts or ["nothing"])
    )


def _name(item: Item) -> str:
    name = f"{_kind(item.of.of)} {shown(item.of.of.name)}"
    return name if item.number is None else f"version {item.number} of {name}"


def _kind(one: object) -> str:
    if isinstance(one, Other):
        return one.kind
    return "machine" if isinstance(one, Machine) else "function"
