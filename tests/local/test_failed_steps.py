"""What handlers read of the steps that failed."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from compiler.asl.close import failure_of
from local.evaluator import evaluate

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_failed_steps_are_told_as_the_first_one_is(count: int):
    """Each with id, name, status and error, in the order of the file."""
    failed = [
        {"step_id": step, "status": "failed", "type": "Bad", "message": f"{step} is bad"}
        for step in ("b", "a")[:count]
    ]
    closing: Any = SimpleNamespace(order=(("a", "First"), ("b", "Second")))
    states = {"input": {"failure": {"steps": failed}}}
    found = evaluate(failure_of(closing), {}, states, NOW)
    steps = [
        {"step_id": s, "name": n, "status": "failed", "error": {"type": "Bad", "message": m}}
        for s, n, m in [("a", "First", "a is bad"), ("b", "Second", "b is bad")][2 - count :]
    ]
    assert found == ({**steps[0], "steps": steps} if steps else {"steps": []})
