"""What can be the mail address of a person."""

from __future__ import annotations

import re

_LONGEST = 320
"""Characters of a mail address: 64 before the @, 255 behind it (RFC 3696, erratum 1690)."""
_ADDRESS = re.compile(r"[^\s@<>(),;:\[\]\"\\]+@[^\s@<>(),;:\[\]\"\\]+")


def is_address(text: str) -> bool:
    """Return whether a text is one address, and no list, no name beside it, nothing unseen in it.

    What mail programs read more into would lead to somebody else than whom people read there.
    """
    is_one = len(text) <= _LONGEST and text.isprintable()
    return is_one and _ADDRESS.fullmatch(text) is not None
