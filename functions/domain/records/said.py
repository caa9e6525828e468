"""What causes of failures say: Lambda's and child executions' are JSON texts, others plain."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from protocol.names import AND_OTHERS, CANCELLED, LONGEST_FIRST, RUN_FAILED
from protocol.payloads import Json

_NAMES_A_RUN = " (run "
_RUN = re.compile(r":([^:]*-[0-9a-f]{32})(?:-\d+)?$")
"""The id of a called run in the ARN of its execution, which ends in a number in later attempts."""
_FIELDS = re.compile(r'"(Error|Cause|Status|ExecutionArn|errorMessage)"\s*:\s*"((?:[^"\\]|\\.)*)')


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
    """Return in words how a child execution ended, and which run it was."""
    cause = child.get("Cause")
    own = cause if isinstance(cause, str) else ""
    failure = parsed(own) if own.startswith("{") else None
    told = failure if isinstance(failure, dict) else {}
    if "message" in told:
        return with_run(str(told["message"]), run_of(child))
    if own and not own.startswith("{"):
        return with_run(own, run_of(child))
    status = child.get("Status")
    how = str(status).replace("_", " ").lower() if status else "failed"
    if how == "aborted":
        is_wish = child.get("Error") == CANCELLED
        by = f" by {told['by']}" if is_wish and told.get("by") else ""
        how = f"was cancelled{by}" if is_wish else "was aborted"
    return with_run(f"the workflow that was called {how}", run_of(child))


def run_of(child: Mapping[str, Json]) -> str | None:
    """Return the id of the run that a description of an execution is about, None if it is cut."""
    found = _RUN.search(str(child.get("ExecutionArn")))
    return None if found is None else found[1]


def with_run(message: str, run: str | None) -> str:
    """Return what is said of a called run with its id, unless it names the run inside already.

    The error of a run that it called stands for what is said behind it.
    """
    message = message.replace(f"{RUN_FAILED}: ", "")
    if run is None or _NAMES_A_RUN in message:
        return message
    return f"{message}{_NAMES_A_RUN}{run})"


def first_of(failures: Sequence[Json]) -> str:
    """Return what is said of failed steps: of the first why, of nine others their names.

    Each is an entry as `payloads.StepFailure`. Compiled machines say it alike
    (`compiler.asl.failures.first_of`).
    """
    entries = [one for one in failures if isinstance(one, dict)]
    if not entries:
        return ""
    first = entries[0]
    message = str(first.get("message") or "").split("\n", 1)[0]
    error = ": ".join(one for one in (str(first.get("type") or ""), message) if one)
    said = ": ".join(one for one in (str(first.get("step_id")), error[:LONGEST_FIRST]) if one)
    others = ", ".join(str(one.get("step_id")) for one in entries[1:10])
    return f"{said}{AND_OTHERS}{others}" if others else said


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
