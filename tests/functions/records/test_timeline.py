"""What a history tells of a state."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from functions.domain.records.timeline import Timeline

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def history(resource: str) -> list[dict[str, Any]]:
    """Return the events of a Task that has ended well."""
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("TaskStateEntered", {"stateEnteredEventDetails": {"name": "a"}}),
        ("TaskScheduled", {"taskScheduledEventDetails": {"resource": resource}}),
        ("TaskSucceeded", {"taskSucceededEventDetails": {"resource": resource, "output": "{}"}}),
        ("TaskStateExited", {"stateExitedEventDetails": {"name": "a", "output": "{}"}}),
    ]
    return [
        {"id": at + 1, "previousEventId": at, "type": kind, "timestamp": NOON, **details}
        for at, (kind, details) in enumerate(kinds)
    ]


@pytest.mark.parametrize(
    ("resource", "result"), [("putItem", "{}"), ("startBuild", "{}"), ("startBuild.sync", None)]
)
def test_the_description_of_a_build_is_no_output_of_its_step(resource: str, result: str | None):
    """What the step gave is stored; a direct call that starts a build gives its description."""
    (times,) = Timeline().follow_all(history(resource)).states.values()

    assert (times.succeeded, times.result) == (True, result)
