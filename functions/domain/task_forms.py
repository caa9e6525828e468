"""What people fill in: held against the step's form, a JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping

from functions.domain.formats import formats
from protocol.payloads import Json

MOST_COMMENT_BYTES = 4096
MOST_FORM_BYTES = 32_768
"""As much as a step's outputs may carry through the run."""
_MOST_PROBLEMS = 20


def too_long(comments: str) -> bool:
    """Return whether a comment is longer than what may travel with a run."""
    return len(comments.encode()) > MOST_COMMENT_BYTES


def form_problems(schema: Mapping[str, Json] | None, filled: Json) -> tuple[str, ...]:
    """Return everything wrong with a form, each with the JSON pointer of its field.

    Without a schema anything of a fair size is right; with one, a form left out is an empty one.
    """
    if len(json.dumps(filled, ensure_ascii=False).encode()) > MOST_FORM_BYTES:
        return (f"/form: larger than {MOST_FORM_BYTES} bytes",)
    if schema is None:
        return ()
    # Slow to import, and most tasks have no form.
    from jsonschema import Draft202012Validator
    from referencing import Registry

    validator = Draft202012Validator(
        dict(schema),
        format_checker=formats(),
        registry=Registry(),  # so that no schema is ever fetched
    )
    found = validator.iter_errors({} if filled is None else filled)
    told = sorted((_pointer([*error.absolute_path]), error.message) for error in found)
    return tuple(f"{pointer}: {message[:300]}" for pointer, message in told[:_MOST_PROBLEMS])


def _pointer(path: list[str | int]) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    return "/".join(("/form", *parts))
