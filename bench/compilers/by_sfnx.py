"""sfnx: a Python function to a state machine, by the two calls that its command makes."""

from __future__ import annotations

from sfnx.cli import document
from sfnx.compiler import definitions


def compiled(source: str) -> str:
    """Return the definition of a module's state machine as text."""
    (definition,) = definitions(source, "roll_out.py", located=False).values()
    return document(definition).decode()
