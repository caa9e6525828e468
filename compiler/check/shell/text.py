"""A script read once, for everything that is asked about it."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.check.shell.code import mark_code
from compiler.check.shell.grammar import Parsed, read
from compiler.check.shell.mask import Masked, mask
from compiler.check.shell.places import mark_places


@dataclass(frozen=True, slots=True)
class ScriptText:
    """A script with its commands; what is known of its expressions is noted in them."""

    text: str
    masked: Masked
    parsed: Parsed


def script_text(text: str) -> ScriptText:
    """Read a script; one whose syntax is broken has no commands."""
    masked = mask(text)
    parsed = read(masked)
    if masked.spots and not parsed.broken:
        mark_places(parsed.script, masked.mark)
        mark_code(parsed.script)
    return ScriptText(text, masked, parsed)


def as_script(script: str | ScriptText) -> ScriptText:
    """Return a script, read now unless it is already."""
    return script_text(script) if isinstance(script, str) else script
