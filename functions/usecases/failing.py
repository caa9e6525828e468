"""How a step's error is reported and stored: one stable class, no secrets, no endless text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from functions import ports
from functions.domain.causes import category_of
from functions.domain.errors import CATEGORIES, StepError, StepInDoubt, named_error
from functions.domain.masking import Masks
from functions.domain.texts import sound, sound_text
from protocol.names import LAMBDA_SERVICE
from protocol.payloads import Json

LONGEST_MESSAGE = 8_000
"""Characters: the Cause of a failed Task may have 32,768, and Lambda's JSON doubles some."""
MOST_DETAILS = 100
_LONGEST_DETAIL = 1_000
_MOST_STORED = 65_536
"""Bytes of what a failed attempt had written; an item of DynamoDB holds 400 KB in all."""


def reported(error: Exception, *, own: Iterable[type[Exception]], may_repeat: bool) -> StepError:
    """Return the error of a step that stands for whatever was raised.

    Errors of ours and those an action declares stay what they are. All others belong to a
    category by their chain of causes, or keep their name. A request that may have arrived and
    was not answered leaves the step in doubt, unless the call may be made again.
    """
    if isinstance(error, (StepError, *own)):
        return error if isinstance(error, StepError) else _named(error)
    category = category_of(error)
    if category is None:
        return _named(error)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if category.sent and not may_repeat:
        return StepInDoubt(
            f"{text} ({category.name}): whether it had its effect is unknown",
            status_code=category.status_code,
        )
    return CATEGORIES[category.name](text, status_code=category.status_code)


def cleaned(error: StepError, masks: Masks) -> StepError:
    """Return the error as it may leave the function: secrets masked, the message cut."""
    message = with_status(sound_text(masks.text(str(error))), error.status_code)
    clean = named_error(type(error).__name__, message, error.status_code)
    outputs = _small(error.outputs)
    clean.outputs = {name: sound(masks.value(value)) for name, value in outputs.items()}
    clean.details = [sound(masks.value(_cut(one))) for one in error.details[:MOST_DETAILS]]
    clean.in_doubt = error.in_doubt
    return clean


def unclaimed(error: Exception) -> StepError:
    """Return what is reported of a step that could not be claimed.

    Where its table did not answer for a moment that is no matter of the step, nor of its own
    retries: machines try again, as where Lambda does not answer.
    """
    failed = cleaned(reported(error, own=(), may_repeat=True), Masks())
    if type(failed).__name__ not in CATEGORIES:
        return failed
    return named_error(LAMBDA_SERVICE, str(failed), failed.status_code)


def failure_of(error: StepError) -> ports.Failure:
    """Return an error as it is stored."""
    return ports.Failure(
        type(error).__name__,
        str(error),
        error.status_code,
        error.outputs,
        tuple(_fitting(error.details)),
        error.in_doubt,
    )


def with_status(message: str, status_code: int | None) -> str:
    """Return a message of bearable length in which retry conditions find the status code."""
    mark = "" if status_code is None or status_code < 0 else f"status_code={status_code}"
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + "..."
    return message if mark in message else f"{message} ({mark})"


def _named(error: Exception) -> StepError:
    code = getattr(error, "status_code", None)
    message = str(error) or type(error).__name__
    return named_error(type(error).__name__, message, code if isinstance(code, int) else None)


def _small(outputs: Mapping[str, Json]) -> dict[str, Json]:
    """Return the outputs that fit, the smallest first."""
    sizes = {name: _bytes(value) + len(name) for name, value in outputs.items()}
    kept: set[str] = set()
    used = 0
    for name in sorted(sizes, key=lambda name: (sizes[name], name)):
        used += sizes[name]
        if used > _MOST_STORED:
            break
        kept.add(name)
    return {name: value for name, value in outputs.items() if name in kept}


def _fitting(details: Sequence[Json]) -> list[Json]:
    kept: list[Json] = []
    used = 0
    for detail in details:
        used += _bytes(detail)
        if used > _MOST_STORED:
            break
        kept.append(detail)
    return kept


def _cut(detail: Json) -> Json:
    if isinstance(detail, str) and len(detail) > _LONGEST_DETAIL:
        return detail[:_LONGEST_DETAIL] + "..."
    return detail


def _bytes(value: Json) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
