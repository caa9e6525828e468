"""JSON that others write, read so that what it says can be stored and shown to people."""

from __future__ import annotations

import json
from typing import Any

from protocol.payloads import Json
from protocol.reading import TooDeep, read_json

DEEPEST = 100
"""Objects and lists in each other."""


def storable(text: str) -> Json:
    """Return what JSON says, if all of it can be stored; raises ValueError, of it TooDeep."""
    value = read_json(text)
    try:
        # What UTF-8 cannot say (half of a surrogate pair) could be stored nowhere.
        json.dumps(value, ensure_ascii=False).encode()
        deep = _depth(value) > DEEPEST
    except RecursionError:
        deep = True
    if deep:
        raise TooDeep(f"it is nested more than {DEEPEST} deep")
    return value


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max((_depth(one) for one in inner), default=0)
