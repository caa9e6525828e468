"""The routes of workflows and events keep to the API's own document, whatever they are sent."""

from __future__ import annotations

from contextlib import suppress

from hypothesis.errors import Unsatisfiable

from tests.functions.events.kit import manifest, trigger
from tests.functions.events.site import ALICE, EventSite
from tests.functions.http.contract import check, operations

EXAMPLES = 6


def test_no_fault_and_no_answer_that_is_not_documented(deployed):
    contract = {"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]}
    strict = manifest(trigger(name="strict"), id="strict", inputs=contract)
    stage = deployed(manifest(trigger(settings={"secret": "http"})), strict)
    site = EventSite(stage, http="secret")
    stage.come({"a": 1}, id="e1")
    stage.post({"trigger": "strict.strict", "event": {}, "id": "e2"})
    ids = [event.event_id for event in stage.events()]
    known = {"reference": ["strict@1"], "event": ids[:1], "trigger": ["release-http"]}
    checked = set()
    for operation in operations(site, ALICE, {"workflows", "events"}):
        with suppress(Unsatisfiable):  # nothing that does not fit its document can be made up
            check(operation, EXAMPLES)
        for one in operation.path_parameters:
            for value in known[one.name]:
                with suppress(Unsatisfiable):
                    check(operation, EXAMPLES // 2, {one.name: value})
        checked.add(operation.label)
    assert len(checked) == 10
    assert site.log.faults == []
