"""What a close machine tells at its end: which undos were done."""

from __future__ import annotations

from compiler.document.nodes import Json
from compiler.expressions.quoting import wrap
from compiler.plan.closing import Closing


def outputs_of_close(closing: Closing) -> Json:
    """Return what the close machine tells at its end."""
    if not closing.undone:
        return {"compensation": "none"}
    failed = "$undone[status = 'failed']"
    return {
        "compensation": wrap(
            "$exists($lost) ? 'unknown' : "
            f"$count($undone) = 0 ? 'none' : $exists({failed}) ? 'partial' : 'complete'"
        ),
        "undone": "{% $undone %}",
    }
