"""JSON pointers (RFC 6901) into a call, for what travels beside the payload."""

from __future__ import annotations

from collections.abc import MutableMapping, MutableSequence

from functions.domain.errors import ValidationError
from protocol.payloads import Json


def place_at(document: object, pointer: str, value: Json) -> None:
    """Put a value where a pointer says; raises ValidationError where that place is not there."""
    *path, last = (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
    here = document
    try:
        for part in path:
            here = here[int(part)] if isinstance(here, MutableSequence) else here[part]  # type: ignore[index]
        if isinstance(here, MutableSequence):
            here[int(last)] = value
        elif isinstance(here, MutableMapping):
            here[last] = value
        else:
            raise KeyError(last)
    except (KeyError, IndexError, ValueError, TypeError):
        raise ValidationError(f"nothing is at '{pointer}' in the call") from None
