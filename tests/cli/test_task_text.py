"""A task as text: who could not be told is told to whoever looks."""

from __future__ import annotations

from typing import Any

from cli.output.task import task_text

TASK: dict[str, Any] = {
    "title": "Ship it?", "overdue": False, "status": "pending", "decision": None, "form": None,
    "task_id": "1", "step_id": "review", "workflow_id": "release", "run_id": "release-1",
    "assignees": ["ann@example.com"], "quorum": 1, "answers": ["approved", "rejected"],
    "started_by": None, "due_at": None, "expires_at": "2026-01-02T00:00:00Z", "votes": [],
    "description": None, "history": [], "notices": [],
}  # fmt: skip


def notice(to: str, error: str | None) -> dict[str, str | None]:
    return {"at": "2026-01-01T00:00:00Z", "level": "0", "to": to, "outcome": "x", "error": error}


def test_who_could_not_be_told_is_named_with_the_reason():
    told = notice("ben@example.com", None)
    untold = [notice("ann@example.com", "mail: MessageRejected"), notice("chat", "chat: 404")]

    text = task_text({**TASK, "notices": [told, *untold]}, colour=False)

    assert "not told    ann@example.com: mail: MessageRejected\n" in text
    assert "            chat: chat: 404\n" in text
    assert "ben@example.com" not in text


def test_where_everybody_was_told_nothing_is_said_of_it():
    assert "not told" not in task_text({**TASK, "notices": [notice("a@b.c", None)]}, colour=False)
