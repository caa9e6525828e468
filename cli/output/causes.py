"""What went wrong inside a step that holds others: a block, or an item that is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cli.output.paint import shown


def said(error: Mapping[str, Any]) -> str:
    """Return an error in one line: its type, and the first line of its message."""
    first = str(error.get("message") or "").partition("\n")[0]
    return shown(f"{error.get('type')}: {first}" if first else str(error.get("type")))


def inside(error: Mapping[str, Any]) -> list[str]:
    """Return the errors of the steps that an error tells of in its details, each in one line."""
    details = error.get("details")
    steps = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    return [f"{shown(str(one['step_id']))}: {said(one)}" for one in steps if _is_told(one)]


def of_item(error: Mapping[str, Any]) -> str:
    """Return why an item failed: the steps inside it, else its own error.

    That of an item that called a workflow says both which step failed there, and in which run.
    """
    return said(error) if "run_id" in error else "; ".join(inside(error)) or said(error)


def first_inside(step: Mapping[str, Any]) -> str | None:
    """Return the first error inside a step's record, or inside its first bad item, if any."""
    items = (one["error"] for one in step.get("items") or () if one.get("error"))
    for error in (step.get("error") or {}, *items):
        told = inside(error)
        if told:
            return told[0]
    return None


def _is_told(one: Mapping[str, Any]) -> bool:
    return bool(one.get("step_id") and one.get("type"))
