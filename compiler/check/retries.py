"""When a step is tried again, and whether that can do what the author wants."""

from __future__ import annotations

from dataclasses import replace

from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.check.program import Repeat, Retry
from compiler.check.readers import Reader
from compiler.check.suggest import suggestion
from compiler.source import Span
from compiler.spec import ActionStep, AwsStep, RunStep
from compiler.spec import Retry as Written
from compiler.spec.durations import shown
from protocol.names import (
    ARTIFACT_NOT_FOUND,
    CATEGORIES,
    NEVER_RETRIED,
    PROGRAM_NOT_FOUND,
    RUN_FAILED,
    SCRIPT_FAILED,
    TIMEOUT_ERRORS,
)

_TIMEOUT = "TimeoutError"
_OF_SCRIPTS = (SCRIPT_FAILED, PROGRAM_NOT_FOUND, ARTIFACT_NOT_FOUND)
_MEANT = {
    "States.Timeout": _TIMEOUT,
    "Timeout": _TIMEOUT,
    "ThrottlingException": "Throttled",
    "TooManyRequests": "Throttled",
    "ConnectionError": "NetworkError",
}


def retry(checker: Checker, entry: Entry, reader: Reader) -> Retry | None:
    """Return the retry of a step, None where it has none or one call in all."""
    written = entry.step.retry
    if written is None:
        return None
    _check_numbers(checker, written)
    own = replace(reader, part="retry") if written.conditions else reader
    errors: dict[str, None] = {}
    conditions = []
    for condition in written.conditions:
        if condition.error_type is not None:
            _check_error(checker, entry, condition.error_type, (*condition.path, "error_type"))
            errors[condition.error_type] = None
            if condition.error_type == _TIMEOUT:
                errors.update(dict.fromkeys(n for n in TIMEOUT_ERRORS if n not in NEVER_RETRIED))
        if condition.expression is not None:
            expr = checker.typed.condition(condition.expression, condition.path, own)
            if expr is not None:
                conditions.append(expr)
    if written.max_attempts <= 1:
        return None
    return Retry(
        attempts=written.max_attempts,
        delay=written.base_delay,
        rate=written.rate,
        max_delay=written.max_delay,
        jitter=written.jitter == "full",
        errors=tuple(errors),
        conditions=tuple(conditions),
    )


def repeat(checker: Checker, entry: Entry, reader: Reader) -> Repeat | None:
    """Return how a step is repeated, or None."""
    written = entry.step.repeat
    if written is None:
        return None
    path = (*written.path, "until")
    until = checker.typed.condition(written.until, path, replace(reader, part="repeat"))
    if until is None:
        return None
    return Repeat(until, written.delay, written.max_attempts)


def pauses(written: Written | Retry) -> int:
    """Return the seconds that all pauses between the attempts take at most."""
    if isinstance(written, Written):
        attempts, delay = written.max_attempts, written.base_delay
    else:
        attempts, delay = written.attempts, written.delay
    total = 0.0
    pause = float(delay)
    cap = written.max_delay
    for done in range(attempts - 1):
        if cap is not None and pause >= cap:
            return int(total + cap * (attempts - 1 - done))
        if total > _FOREVER or written.rate == 1:
            return int(min(total + pause * (attempts - 1 - done), _FOREVER * 2))
        total += pause
        pause *= written.rate
    return int(total)


_FOREVER = 10**12


def _check_numbers(checker: Checker, written: Written) -> None:
    if written.max_delay is not None and written.max_delay < written.base_delay:
        span = _place(checker, written, ("backoff", "max_delay"), ("max_delay",))
        checker.error(
            "max-delay-too-short",
            span,
            f"the longest pause ({shown(written.max_delay)}) is shorter than the first one "
            f"({shown(written.base_delay)})",
            "make `max_delay` at least as long as `base_delay`",
        )


def _place(checker: Checker, written: Written, *tails: tuple[str, ...]) -> Span:
    for tail in tails:
        node = checker.context.node((*written.path, *tail))
        if node is not None:
            return node.span
    return checker.context.span(written.path)


def _check_error(checker: Checker, entry: Entry, name: str, path: tuple[str | int, ...]) -> None:
    span = checker.context.span(path)
    known = _known(checker, entry)
    if name in NEVER_RETRIED:
        checker.error(
            "error-never-retried",
            span,
            f"'{name}' is never retried: another attempt cannot mend it",
            "leave it out",
        )
    elif known is None or name in known:
        return
    else:
        advice = f"write '{_MEANT[name]}'" if name in _MEANT else None
        checker.error(
            "unknown-error-type",
            span,
            f"'{entry.id}' never ends in an error '{name}'",
            advice or suggestion(name, known, "there are"),
        )


def _known(checker: Checker, entry: Entry) -> tuple[str, ...] | None:
    """Return the errors a step can end in, None where anything may be."""
    step = entry.step
    if step.retry is not None and step.retry.path[: len(step.path)] != step.path:
        return _of_any(checker)
    if isinstance(step, ActionStep):
        contract = checker.context.surroundings.catalogue.get(step.action)
        return (
            None if contract is None else (*CATEGORIES, *contract.error_types, ARTIFACT_NOT_FOUND)
        )
    if isinstance(step, RunStep):
        return (*CATEGORIES, *_OF_SCRIPTS)
    if isinstance(step, AwsStep):
        return None  # every API has its own
    if step.kind == "subworkflow":
        return (*CATEGORIES, RUN_FAILED)
    return CATEGORIES


def _of_any(checker: Checker) -> tuple[str, ...]:
    """Return the errors that some kind of step can end in: what `defaults` may name."""
    contracts = checker.context.surroundings.catalogue.values()
    declared = (name for contract in contracts for name in contract.error_types)
    return (*CATEGORIES, *_OF_SCRIPTS, RUN_FAILED, *declared)
