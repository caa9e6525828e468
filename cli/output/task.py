"""A task as text: what is asked, of whom, and what happened so far."""

from __future__ import annotations

import json
from typing import Any

from cli.output.columns import fields, when
from cli.output.paint import Paint, shown


def task_text(task: Any, *, colour: bool) -> str:
    """Return a task of the API as text."""
    paint = Paint(colour)
    status = "overdue" if task["overdue"] else task["status"]
    head = f"{paint(shown(task['title']), 'strong')}  {status}\n"
    form = task["form"]
    decision = task["decision"] or {}
    about = fields(
        (
            ("task", task["task_id"]),
            ("step", f"{task['step_id']} of {task['workflow_id']}, run {task['run_id']}"),
            ("asked", ", ".join(task["assignees"])),
            ("quorum", f"{task['quorum']} have to agree" if task["quorum"] > 1 else ""),
            ("answers", ", ".join(task["answers"])),
            ("started by", task["started_by"] or "unknown"),
            ("due", when(task["due_at"])),
            ("ends", when(task["expires_at"])),
            ("form", "" if form is None else json.dumps(form, ensure_ascii=False)),
            ("not told", "\n".join(_untold(one) for one in task["notices"] if one["error"])),
            ("votes", "\n".join(_vote(one) for one in task["votes"])),
            ("decided", _vote(decision, by="decided_by", at="decided_at") if decision else ""),
            ("asked for", task["description"] or ""),
        ),
        colour=colour,
    )
    history = "".join(f"  {_entry(one)}\n" for one in task["history"])
    return f"{head}{about}{paint('history', 'accent')}\n{history}"


def _untold(one: Any) -> str:
    return f"{one['to']}: {one['error']}"


def _vote(one: Any, by: str = "by", at: str = "at") -> str:
    comments = f": {one['comments']}" if one.get("comments") else ""
    return f"{one['status']} by {one.get(by) or 'nobody'} at {when(one.get(at))}{comments}"


def _entry(one: Any) -> str:
    by = f" by {one['by']} ({one['via']})" if one.get("by") else ""
    detail = f": {one['detail']}" if one.get("detail") else ""
    return shown(f"{when(one['at'])}  {one['what']}{by}{detail}")
