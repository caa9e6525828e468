"""Statuses in comparisons: a text that no status ever has is a slip."""

from __future__ import annotations

from collections.abc import Collection

from compiler.check.asks import status_of
from compiler.check.context import Context
from compiler.check.suggest import suggestion
from compiler.expressions import Binary, Expr, Literal, Ref, walk

STATUSES = ("succeeded", "failed", "timed_out", "rejected", "skipped", "cancelled")
"""Those that can be read: whoever reads a step waits for its end."""
_UNDER_WAY = ("pending", "running", "waiting", "paused")
DECISIONS = ("approved", "rejected", "timed_out")
REASONS = ("upstream_failed", "upstream_skipped", "condition")
_MEANT = {
    "success": "succeeded",
    "ok": "succeeded",
    "done": "succeeded",
    "completed": "succeeded",
    "failure": "failed",
    "error": "failed",
    "timeout": "timed_out",
    "canceled": "cancelled",
}


def check_statuses(expr: Expr, context: Context, manual: Collection[str]) -> None:
    """Report comparisons of a status, a decision or a reason with a text that it never is."""
    for inner in walk(expr):
        if not isinstance(inner, Binary) or inner.op not in ("==", "!="):
            continue
        for one, other in ((inner.left, inner.right), (inner.right, inner.left)):
            known = _values(one, manual)
            if known is None or not isinstance(other, Literal) or not isinstance(other.value, str):
                continue
            if other.value not in known:
                _report(one, other, known, context, manual)


def _values(expr: Expr, manual: Collection[str]) -> tuple[str, ...] | None:
    status = status_of(expr, manual)
    if status is not None:
        return STATUSES if status[1] == "succeeded" else DECISIONS
    if isinstance(expr, Ref) and expr.root == "steps" and expr.keys[1:] == ("reason",):
        return REASONS
    return None


def _report(
    one: Expr, other: Literal, known: tuple[str, ...], context: Context, manual: Collection[str]
) -> None:
    word = str(other.value)
    step = one.keys[0] if isinstance(one, Ref) else None
    if known is STATUSES and word == "approved":
        advice: str | None = "write 'succeeded'"
        if step in manual:
            advice = f"the decision is in `steps.{step}.outputs.status`; the status is 'succeeded'"
    elif _MEANT.get(word) in known:
        advice = f"write '{_MEANT[word]}'"
    else:
        advice = suggestion(word, known, "there are")
    what = "reason" if known is REASONS else "decision" if known is DECISIONS else "status"
    message = f"no {what} is ever '{word}'"
    if known is STATUSES and word in _UNDER_WAY:
        message = f"a step that is read has ended: its status is never '{word}'"
    context.diagnostics.error("unknown-status", other.span, message, help=advice)
