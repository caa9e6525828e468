"""How long an attempt may take, and what is said of one that would begin too late."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from functions import ports
from functions.domain.errors import DeadlinePassed
from functions.usecases.lasting import DEFAULT_SECONDS, seconds_for

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PLACE = ports.Place("r", "s")


class Results:
    def __init__(self, found: Any = None) -> None:
        self.found = found

    def read(self, _place: ports.Place) -> Any:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def seconds(results: Any, **fields: Any) -> float:
    call: Any = {"run": {"id": "r"}, "step": "s", "inputs": {}, **fields}
    return seconds_for(call, PLACE, NOON, results)


def test_an_attempt_has_its_own_time_or_what_is_left_of_all():
    late = "2026-01-01T12:01:00Z"
    assert seconds(Results()) == DEFAULT_SECONDS
    assert seconds(Results(), timeout=90) == 90
    assert seconds(Results(), timeout=90, deadline=late) == 60
    assert seconds(Results(), timeout=30, deadline=late) == 30


@pytest.mark.parametrize("deadline", ["2026-01-01T12:00:00Z", "2026-01-01T11:59:00.000Z"])
@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            ports.Failure("Odd", "it broke", None, {}),
            " anew; the attempt before failed: Odd: it broke",
        ),
        (None, ""),
        (OSError("no store"), ""),
    ],
)
def test_what_comes_too_late_tells_why_the_attempt_before_failed(found, said, deadline):
    with pytest.raises(DeadlinePassed) as raised:
        seconds(Results(found), deadline=deadline)
    assert raised.value.message == f"the deadline {deadline} passed before 's' began{said}"
