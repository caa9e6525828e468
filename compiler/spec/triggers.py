"""Triggers: the type first, then its mapping."""

from __future__ import annotations

from typing import TypedDict

from pydantic import JsonValue

from compiler.document.nodes import Path
from compiler.spec import cron, model, parts, pasted, refs
from compiler.spec.names import same
from compiler.spec.report import Reporter, plain_list
from compiler.spec.written import triggers as written
from compiler.spec.written.scalars import did_you_mean, either

_OTHER_TYPES = {
    "push": "git-push", "git": "git-push", "github": "git-push", "pull_request": "git-push",
    "cron": "schedule", "timer": "schedule", "rate": "schedule",
    "eventbridge": "event", "bus": "event", "sqs": "queue", "message": "queue",
    "webhook": "http", "api": "http", "dynamodb": "database", "table": "database",
    "stream": "database",
}  # fmt: skip
_LATER = {
    "kafka": "Kafka triggers are not there yet",
    "rabbitmq": "RabbitMQ triggers are not there yet",
    "s3": "write `type: event` with a pattern of S3's events",
    "object-created": "write `type: event` with a pattern of S3's events",
}


class Common(TypedDict):
    """The fields that triggers of all types have."""

    path: Path
    name: str
    inputs: model.Values
    condition: str | None
    dedupe: model.Dedupe | None
    broken: bool


def triggers(
    report: Reporter, plain: JsonValue, path: Path, workflow_id: str
) -> tuple[model.Trigger, ...]:
    """Return the triggers of a workflow, one or a list, with their names unique."""
    listed = isinstance(plain, list)
    items = [((*path, i), item) for i, item in plain_list(plain)] if listed else [(path, plain)]
    taken: dict[str, Path] = {}
    found: list[model.Trigger] = []
    for at, item in items:
        trigger = _trigger(report, item, at, workflow_id, taken)
        if trigger is not None:
            found.append(trigger)
    return tuple(found)


def _trigger(
    report: Reporter, plain: JsonValue, path: Path, workflow_id: str, taken: dict[str, Path]
) -> model.Trigger | None:
    if not isinstance(plain, dict):
        report.wrong_type(path, "a trigger, a mapping with a `type`")
        return None
    kind = _type(report, plain, path)
    if kind is None:
        return None
    read = report.read(written.TYPES[kind], {**plain, "type": kind}, path)
    if read.value is None:
        return None
    part = read.value
    before = report.count
    common: Common = {
        "path": path,
        "name": _name(report, part.name, path, f"{workflow_id}-{kind}", taken),
        "inputs": parts.named(report, part.inputs, (*path, "inputs")),
        "condition": part.condition,
        "dedupe": None,
        "broken": read.broken or kind != plain.get("type"),
    }
    if part.dedupe is not None:
        common["dedupe"] = model.Dedupe(
            path=(*path, "dedupe"), key=part.dedupe.key, window=part.dedupe.window
        )
    common["broken"] = common["broken"] or report.count > before
    return _build(report, part, common)


def _type(report: Reporter, plain: dict[str, JsonValue], path: Path) -> str | None:
    types = tuple(written.TYPES)
    given = plain.get("type")
    if given is None and "type" not in plain:
        meant = next((key for key in plain if key in types), None)
        help_ = f"write `type: {meant}`, and the keys of it beside" if meant else None
        if pasted.is_started_by(plain):
            help_ = pasted.started_by(plain)
        report.error(
            "missing-key",
            path,
            "this trigger has no `type`",
            help_ or f"add one of {either(types)}",
        )
        return None
    if isinstance(given, str) and given in types:
        return given
    at = (*path, "type")
    if not isinstance(given, str):
        report.wrong_type(at, either(types))
        return None
    meant = _OTHER_TYPES.get(given.lower())
    help_ = f"write `{meant}`" if meant else did_you_mean(given, types)
    help_ = _LATER.get(given.lower()) or pasted.not_a_trigger(given) or help_
    message = f"`type` is the text '{given}', but must be {either(types)}"
    report.error("unknown-value", at, message, help_)
    return meant


def _name(
    report: Reporter, given: str | None, path: Path, default: str, taken: dict[str, Path]
) -> str:
    name, number = given or default, 1
    while given is None and same(name) in taken:
        number += 1
        name = f"{default}-{number}"
    if same(name) in taken:
        first = (*taken[same(name)], "name")
        report.error(
            "duplicate-trigger",
            (*path, "name"),
            f"two triggers have the name '{name}'",
            "give one of them another name",
            [report.label(first, "the first one stands here")],
        )
    taken.setdefault(same(name), path)
    return name


def _build(report: Reporter, part: written.TriggerPart, common: Common) -> model.Trigger | None:
    match part:
        case written.GitPushTrigger():
            return _git_push(report, part, common)
        case written.ScheduleTrigger():
            return _schedule(report, part, common)
        case written.EventTrigger():
            return _event(report, part, common)
        case written.QueueTrigger():
            return model.QueueTrigger(**common, queue=part.queue)
        case written.HttpTrigger():
            return model.HttpTrigger(**common, secret=part.secret)
        case written.DatabaseTrigger():
            changes = part.operations or ("insert", "modify", "remove")
            return model.DatabaseTrigger(**common, table=part.table, operations=changes)
        case _:
            return None


def _git_push(
    report: Reporter, part: written.GitPushTrigger, common: Common
) -> model.GitPushTrigger:
    path, before = common["path"], report.count
    for key, patterns in (("branch", part.branch), ("tags", part.tags)):
        for number, pattern in enumerate(patterns or ()):
            problem = refs.problem(pattern, key)
            if problem is not None:
                report.error("bad-ref-pattern", (*path, key, number), *problem)
    events = part.event or ("push",)
    if part.tags and "push" not in events:
        where = "a trigger that takes pull requests alone"
        parts.refuse(report, path, "tags", where, "tags are pushed: add `push` to `event`")
    if part.tags and part.paths and not part.branch and events == ("push",):
        help_ = "a tag changes no files: add `branch`, or leave `paths` out"
        parts.conflict(report, path, "paths", "tags", help_)
    common["broken"] = common["broken"] or report.count > before
    return model.GitPushTrigger(
        **common,
        repository=part.repository,
        events=events,
        branches=part.branch or (),
        tags=part.tags or (),
        paths=part.paths or (),
        forks=bool(part.forks),
        secret=part.secret,
    )


def _schedule(
    report: Reporter, part: written.ScheduleTrigger, common: Common
) -> model.ScheduleTrigger:
    path = common["path"]
    if part.cron is None and part.rate is None and not common["broken"]:
        report.error(
            "missing-key",
            path,
            "a schedule trigger needs `cron` or `rate`",
            "add `cron: 0 6 * * 1-5` or `rate: 15m`",
        )
    if part.cron is not None and part.rate is not None:
        parts.conflict(
            report, path, "rate", "cron", "a trigger has one schedule; write two triggers"
        )
    if part.rate is not None and part.rate % 60:
        report.error(
            "out-of-range",
            (*path, "rate"),
            f"`rate` is {report.found((*path, 'rate'))}, but the clock knows whole minutes",
            "write minutes, such as 5m",
        )
    if part.cron is not None:
        problem = cron.problem(part.cron)
        if problem is not None:
            report.error("bad-cron", (*path, "cron"), *problem)
    if part.timezone is not None and not cron.is_zone(part.timezone):
        report.error(
            "bad-timezone",
            (*path, "timezone"),
            f"'{part.timezone}' is no time zone",
            "write area and place, such as Europe/Berlin, or UTC",
        )
    return model.ScheduleTrigger(
        **common,
        cron=part.cron,
        rate=part.rate,
        timezone=part.timezone or "UTC",
        missed=part.missed or "last",
    )


def _event(report: Reporter, part: written.EventTrigger, common: Common) -> model.EventTrigger:
    path = common["path"]
    if part.event is None and part.pattern is None and not common["broken"]:
        report.error(
            "missing-key",
            path,
            "an event trigger needs `event` or `pattern`",
            "add `event: user.signup`",
        )
    if part.event is not None and part.pattern is not None:
        parts.conflict(report, path, "pattern", "event", "write the event's name into the pattern")
    if part.event is None:
        parts.check_pattern(report, part.pattern or {}, (*path, "pattern"))
        return model.EventTrigger(**common, pattern=part.pattern or {}, pattern_key="pattern")
    pattern = parts.pattern(report, part.event, (*path, "event"))
    return model.EventTrigger(**common, pattern=pattern or {}, pattern_key="event")
