"""What causes of failures say: Lambda's and child executions' are JSON texts, others plain."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from protocol.payloads import Json

_FIELDS = re.compile(r'"(Error|Cause|Status|errorMessage)"\s*:\s*"((?:[^"\\]|\\.)*)')


def parsed(text: str | None) -> Json:
    """Return a JSON text's value, None where there is none."""
    try:
        value: Json = json.loads(text or "null")
    except ValueError:
        return None
    return value


def said(cause: str | None) -> str:
    """Return the message in a cause, also in one whose JSON was cut."""
    text = cause or ""
    if not text.startswith("{"):
        return text
    child = described(text)
    if child is not None:
        return child_message(child)
    found = parsed(text)
    if found is None:
        found = _picked(text)
    if isinstance(found, dict) and "errorMessage" in found:
        return str(found["errorMessage"])
    return text


def in_words(error: Json) -> Json:
    """Return an error, or a failed step, with its message in place of a cause that holds it."""
    message = error.get("message") if isinstance(error, dict) else None
    if not isinstance(error, dict) or not isinstance(message, str):
        return error
    return {**error, "message": said(message)}


def described(cause: str | None) -> Mapping[str, Json] | None:
    """Return the description of a failed child execution in a cause, None where it has none.

    `startExecution.sync` fails with what DescribeExecution says of the child; of a text that was
    cut, the fields that can be read are returned.
    https://docs.aws.amazon.com/step-functions/latest/apireference/API_DescribeExecution.html
    """
    text = cause or ""
    if not text.startswith("{") or '"ExecutionArn"' not in text:
        return None
    found = parsed(text)
    return found if isinstance(found, dict) else _picked(text)


def child_message(child: Mapping[str, Json]) -> str:
    """Return in words how a child execution ended."""
    cause = child.get("Cause")
    own = cause if isinstance(cause, str) else ""
    failure = parsed(own) if own.startswith("{") else None
    if isinstance(failure, dict) and "message" in failure:
        return str(failure["message"])
    if own and not own.startswith("{"):
        return own
    status = child.get("Status")
    how = str(status).replace("_", " ").lower() if status else "failed"
    return f"the workflow that was called {'was aborted' if how == 'aborted' else how}"


def _picked(text: str) -> dict[str, Json]:
    """Return the first of each field that a cut JSON text still holds."""
    found: dict[str, Json] = {}
    for name, raw in _FIELDS.findall(text):
        if name not in found:
            value = parsed(f'"{raw}"')
            found[name] = value if isinstance(value, str) else raw
    return found


def stamp(moment: datetime | str) -> str:
    """Return a moment as records write it: ISO 8601, UTC, milliseconds."""
    when = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    text = when.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
