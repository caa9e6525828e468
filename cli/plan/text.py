"""What a workflow takes, as people and as programs read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from cli.output.paint import Paint, shown
from cli.output.units import between, dollars, duration, plural, wrapped
from cli.plan.overview import CLOSE, MachineSize, Overview, Runner
from compiler.document.nodes import Json

_LABEL = 14


def render(overviews: Sequence[Overview], *, colour: bool) -> str:
    """Return a section for each workflow."""
    paint = Paint(colour)
    return "\n".join("\n".join(_section(one, paint)) + "\n" for one in overviews)


def _section(one: Overview, paint: Paint) -> Iterator[str]:
    version = f"@{one.version}" if one.version else ""
    yield f"{paint(shown(one.id + version), 'strong')}  {paint(shown(one.file), 'faint')}"
    own = one.machines[0]
    limit_bytes, limit_events = one.limits
    yield _row("shape", _shape(one), paint)
    for at, latch in enumerate(one.latches):
        text = f"{latch.producer} -> {latch.consumer}: {latch.why}"
        yield _row("latches" if at == 0 else "", text, paint)
    yield _row("transitions", f"{between(*one.transitions)} per run", paint)
    yield _row("cost", _cost(one), paint)
    yield _row("events", f"{own.bounds.events:,} at most, of {limit_events:,}", paint)
    share = own.bytes * 100 / limit_bytes
    yield _row("definition", f"{own.bytes:,} bytes, {share:.1f}% of {limit_bytes:,}", paint)
    for at, machine in enumerate(one.chunks):
        yield _row("chunks" if at == 0 else "", _chunks(machine), paint)
    for machine in one.machines:
        if machine.part == CLOSE:
            yield _row("on failure", _closing(machine), paint)
    yield _row("longest run", _longest(one), paint)
    for at, runner in enumerate(one.runners):
        text = f"{runner.step}: {runner.runner}, because {runner.why}"
        yield _row("runners" if at == 0 else "", shown(text), paint)
    for at, (name, users) in enumerate(one.secrets.items()):
        text = f"{name}: used by {', '.join(users)}"
        if name in one.missing:
            text = f"{text} {paint('(has no value)', 'warning')}"
        yield _row("secrets" if at == 0 else "", text, paint)
    for at, group in enumerate(one.together):
        text = f"with {group[0]}: {', '.join(group[1:])}"
        yield _row("skipped" if at == 0 else "", text, paint)
    for at, statement in enumerate(one.permissions):
        yield _row("allowed" if at == 0 else "", ", ".join(statement.actions), paint)
        yield from wrapped(statement.resources, " " * (_LABEL + 4) + "on")


def _row(label: str, text: str, paint: Paint) -> str:
    return f"  {paint(label, 'accent')}{' ' * (_LABEL - len(label))}{text}"


def _shape(one: Overview) -> str:
    parts = [
        plural(one.steps, "step"),
        "1 dependency" if one.dependencies == 1 else f"{one.dependencies:,} dependencies",
        f"{one.depth} deep",
        plural(one.forks, "fork"),
        plural(len(one.latches), "latch"),
    ]
    return ", ".join(parts)


def _cost(one: Overview) -> str:
    least, most = one.cost
    thousand = _usd(least * 1000, most * 1000)
    return f"{_usd(least, most)} per run for Step Functions, {thousand} for 1,000"


def _usd(least: float, most: float) -> str:
    low, high = dollars(least), dollars(most)
    return low if low == high else f"{low} to {high}"


def _closing(machine: MachineSize) -> str:
    took = machine.bounds
    return (
        f"{between(took.least, took.most)} transitions more, {took.events:,} events at most, "
        f"{machine.bytes:,} bytes"
    )


def _chunks(machine: MachineSize) -> str:
    """Return what the items of a for_each take that go to executions of their own."""
    took = machine.bounds
    return (
        f"{machine.executions:,} at most of '{machine.part}', of {between(took.least, took.most)} "
        f"transitions, {took.events:,} events at most each, {machine.bytes:,} bytes"
    )


def _longest(one: Overview) -> str:
    text = duration(one.longest.seconds)
    if one.longest.open:
        names = ", ".join(f"'{name}'" for name in one.longest.open)
        text += f", and as long as {names} takes"
    return text


def as_json(overviews: Sequence[Overview]) -> str:
    """Return all of it as one JSON object; its keys are stable."""
    found: dict[str, Json] = {"format": 1, "workflows": [_json(one) for one in overviews]}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _json(one: Overview) -> Json:
    limit_bytes, limit_events = one.limits
    return {
        "file": one.file,
        "id": one.id,
        "version": one.version,
        "shape": {
            "steps": one.steps,
            "dependencies": one.dependencies,
            "depth": one.depth,
            "forks": one.forks,
        },
        "latches": [
            {"producer": latch.producer, "consumer": latch.consumer, "why": latch.why}
            for latch in one.latches
        ],
        "machines": [
            {
                "id": machine.id,
                "executions": machine.executions,
                "transitions": {"least": machine.bounds.least, "most": machine.bounds.most},
                "usd": {
                    "least": round(machine.cost[0], 6),
                    "most": round(machine.cost[1], 6),
                },
                "events": {"most": machine.bounds.events, "limit": limit_events},
                "bytes": {"size": machine.bytes, "limit": limit_bytes},
            }
            for machine in one.machines
        ],
        "longest_run": {"seconds": one.longest.seconds, "open": list(one.longest.open)},
        "scripts": [_runner(each) for each in one.runners if each.is_script],
        "actions": [_runner(each) for each in one.runners if not each.is_script],
        "secrets": [
            {"name": name, "used_by": list(users), "missing": name in one.missing}
            for name, users in one.secrets.items()
        ],
        "skipped_together": [list(group) for group in one.together],
        "permissions": [
            {"actions": list(each.actions), "resources": list(each.resources)}
            for each in one.permissions
        ],
    }


def _runner(one: Runner) -> Json:
    return {"step": one.step, "runner": one.runner, "why": one.why}
