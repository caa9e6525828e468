"""The parts inside a step: two dialects of retry, names of values, events."""

from __future__ import annotations

import re

from pydantic import JsonValue

from compiler.document.nodes import Mapping, Path
from compiler.spec import model, names
from compiler.spec.patterns import problems
from compiler.spec.report import Reporter
from compiler.spec.written import parts as written
from compiler.spec.written.scalars import OPEN, source_text

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FACTORS = {"exponential": 2.0, "fixed": 1.0}


def retry(report: Reporter, plain: written.Retry | None, path: Path) -> model.Retry | None:
    """Return a retry in its one shape; `path` is that of the `retry` mapping."""
    if plain is None:
        return None
    backoff = plain.backoff or written.Backoff.model_construct()
    if plain.max_attempts is not None and plain.count is not None:
        conflict(
            report,
            path,
            "count",
            "max_attempts",
            "`max_attempts` counts all calls, `count` the retries after the first",
        )
    if plain.delay is not None and backoff.base_delay is not None:
        conflict(report, path, "delay", "backoff", "write the first pause once")
    attempts = plain.max_attempts
    if attempts is None:
        attempts = model.RETRY_ATTEMPTS if plain.count is None else plain.count + 1
    delay = plain.delay if backoff.base_delay is None else backoff.base_delay
    return model.Retry(
        path=path,
        max_attempts=attempts,
        base_delay=model.RETRY_DELAY if delay is None else delay,
        rate=_rate(plain, backoff),
        max_delay=backoff.max_delay,
        jitter=plain.jitter or "full",
        conditions=_conditions(report, plain, path),
    )


def _rate(plain: written.Retry, backoff: written.Backoff) -> float:
    if backoff.rate is not None:
        return backoff.rate
    if backoff.type is not None:
        return _FACTORS[backoff.type]
    # `delay` alone is the dialect in which a pause stays the same unless `backoff` says otherwise
    return 1.0 if plain.delay is not None and plain.backoff is None else 2.0


def _conditions(
    report: Reporter, plain: written.Retry, path: Path
) -> tuple[model.RetryCondition, ...]:
    found: list[model.RetryCondition] = []
    for index, condition in enumerate(plain.conditions or ()):
        at = (*path, "conditions", index)
        if condition.error_type is None and condition.expression is None:
            written = report.document.find(at)
            if isinstance(written, Mapping) and not written.entries:  # else it is reported
                report.error(
                    "missing-key",
                    at,
                    "a retry condition needs `error_type`",
                    "write `error_type: NetworkError`, or an expression as text",
                )
            continue
        found.append(
            model.RetryCondition(
                path=at, error_type=condition.error_type, expression=condition.expression
            )
        )
    return tuple(found)


def conflict(report: Reporter, path: Path, key: str, other: str, help_: str) -> None:
    """Report two keys of which only one can be meant."""
    report.error_at_key(
        "conflicting-keys",
        (*path, key),
        f"`{key}` and `{other}` cannot stand together",
        help_,
        [report.diagnostics.label(report.key((*path, other)), f"`{other}` stands here")],
    )


def refuse(report: Reporter, path: Path, key: str, where: str, help_: str) -> None:
    """Report a key that cannot stand where it does."""
    report.error_at_key("not-here", (*path, key), f"`{key}` cannot stand on {where}", help_)


def values(plain: dict[str, JsonValue] | None, path: Path) -> model.Values:
    """Return a mapping of names to values as it is."""
    return model.Values(path=path, entries=plain or {})


def named(report: Reporter, plain: dict[str, JsonValue] | None, path: Path) -> model.Values:
    """Return a mapping of names that expressions read; report what cannot be such a name."""
    found = values(plain, path)
    for name in found.entries:
        if not names.NAME.fullmatch(name):
            bad_name(report, name, (*path, name))
    return found


def bad_name(report: Reporter, name: str, path: Path) -> None:
    """Report a key that cannot be the name of an input or output."""
    report.error_at_key(
        "bad-name",
        path,
        f"`{name}` cannot be a name" if name else "an empty text cannot be a name",
        "use letters, digits, _ and -, with a letter first",
    )


def env(report: Reporter, plain: dict[str, JsonValue] | None, path: Path) -> model.Values:
    """Return environment variables: their values are text, numbers as they were written."""
    found: dict[str, JsonValue] = {}
    for name, value in (plain or {}).items():
        at = (*path, name)
        text = str(value).lower() if isinstance(value, bool) else source_text(value)
        if not _VARIABLE.fullmatch(name):
            report.error_at_key(
                "bad-name",
                at,
                f"`{name}` cannot be an environment variable"
                if name
                else "an empty text cannot be an environment variable",
                "use letters, digits and _, with no digit first",
            )
        elif text is None:
            report.wrong_type(
                at,
                "text, a number, or true or false",
                'write "" for an empty variable' if value is None else None,
            )
        else:
            found[name] = text
    return model.Values(path=path, entries=found)


def check_pattern(report: Reporter, plain: dict[str, JsonValue], path: Path) -> None:
    """Report what EventBridge would refuse of a pattern."""
    for place, told in problems(plain):
        report.error(
            "bad-event-pattern",
            (*path, *place),
            f"this is no pattern: {told}",
            "write a list of what is to match: [value], or an operator: [{prefix: app-}]",
        )


def pattern(report: Reporter, plain: JsonValue, path: Path) -> dict[str, JsonValue] | None:
    """Return the EventBridge pattern of `event`: a pattern, a name, or a list of names."""
    if isinstance(plain, dict):
        if not plain:
            report.wrong_type(path, "an event's name or a pattern")
            return None
        check_pattern(report, plain, path)
        return plain
    events: list[JsonValue] = plain if isinstance(plain, list) else [plain]
    if not events or not all(isinstance(name, str) and name.strip() for name in events):
        report.wrong_type(path, "an event's name, a list of names, or an EventBridge pattern")
        return None
    if any(OPEN in str(name) for name in events):
        report.error(
            "fixed-value",
            path,
            f"{report.subject(path)} holds an expression, but must be known before the run",
            "name the event here, and compare its contents in `match` or `condition`",
        )
        return None
    return {"detail-type": events}
