"""The routes of runs keep to the API's own document, whatever they are sent."""

from __future__ import annotations

from contextlib import suppress

from hypothesis.errors import Unsatisfiable

from tests.functions.http.contract import check, operations
from tests.functions.records.replay import news, tell
from tests.functions.records.test_api import asked, office, run, site
from tests.functions.tasks.office import ALICE

__all__ = ["asked", "office", "run", "site"]
EXAMPLES = 6


def test_no_fault_and_no_answer_that_is_not_documented(site, office, asked):
    tell(office, news(office))
    checked = set()
    for operation in operations(site, ALICE, {"runs"}):
        for known in ({}, *({one.name: "r-1"} for one in operation.path_parameters)):
            with suppress(Unsatisfiable):  # nothing that does not fit its document can be made up
                check(operation, EXAMPLES, known)
        checked.add(operation.label)
    assert len(checked) == 5
    assert asked[0]  # some calls came through to what cancels and resumes
