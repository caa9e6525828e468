"""Names for people become ids: slugs, lengths, and what counts as the same name."""

from __future__ import annotations

import hashlib
import re
import unicodedata

LONGEST = 64  # leaves the compiler 16 of the 80 characters that a state name may have

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")  # of inputs and outputs

RESERVED = frozenset(
    (
        "Start",
        "Lock",
        "Refused",
        "Stored",
        "Undo",
        "Undone",
        "Verdict",
        "Caught",
        "Close",
        "Done",
        "Failed",
    )
)
"""Names of a machine's own states, which begin with a capital so that few ids are like them."""

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_OTHER = re.compile(r"[^a-z0-9]+")
_HASH = 8


def slug(name: str, prefix: str = "step") -> str:
    """Return the id that a name stands for, `[a-z][a-z0-9_]*`; empty if nothing is left of it.

    "Validate PR" is `validate_pr`; accents fall away; more than 64 characters end in a hash; what
    starts with a digit gets the prefix.
    """
    composed = unicodedata.normalize("NFC", name)
    plain = "".join(
        c
        for c in unicodedata.normalize("NFKD", composed.casefold())
        if not unicodedata.combining(c)
    )
    text = _OTHER.sub("_", plain).strip("_")
    if text and not text[0].isalpha():
        text = f"{prefix}_{text}"
    return shortened(text, composed)


def shortened(text: str, whole: str) -> str:
    """Return an id of at most 64 characters; a longer one ends in a hash of `whole`."""
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{text[: LONGEST - _HASH - 1].rstrip('_')}_{digest}"


def is_id(text: str) -> bool:
    """Whether a text may stand as an explicit id (its length apart)."""
    return _ID.fullmatch(text) is not None


def same(text: str) -> str:
    """Return what two spellings of one id have in common: `-` and `_` are alike, and case."""
    return text.replace("-", "_").lower()
