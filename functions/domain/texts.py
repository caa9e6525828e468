"""Texts that can be stored: UTF-8 has no halves of surrogate pairs, but JSON may name one."""

from __future__ import annotations

from protocol.payloads import Json


def sound(value: Json) -> Json:
    r"""Return a value whose texts can be stored; the half of a pair becomes U+FFFD.

    An emoji that another program has cut in two comes as such a half (`\ud83d` in JSON).
    """
    if isinstance(value, str):
        return sound_text(value)
    if isinstance(value, list):
        return [sound(item) for item in value]
    if isinstance(value, dict):
        return {sound_text(name): sound(item) for name, item in value.items()}
    return value


def sound_text(text: str) -> str:
    """Return a text that can be stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
