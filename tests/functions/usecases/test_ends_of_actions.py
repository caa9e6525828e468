"""However an action ends and whatever it gives: it is stored and told, and nothing is in doubt."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from functions.adapters.results import DynamoResults
from functions.adapters.stored import DynamoStoredResults
from functions.domain import errors
from functions.domain.action import Action
from functions.ports import Attempt, Claimed, Failure, Finished, Place
from functions.usecases.carry_out import Surroundings, carry_out
from local.workflow import SETTINGS
from tests.functions.usecases.test_crashes import NOON, Clock, Files, Secrets, Sources, Values

CUT = "caf\u00e9 \ud83d"  # an emoji cut in two
MENDED = "caf\u00e9 \ufffd"


class Blobs:
    def put(self, _place, name, value):
        return {"bucket": "b", "key": name, "bytes": len(value.encode())}


@pytest.fixture
def carried(dynamodb):
    """Carry out a step whose action does something; return what is stored of it."""
    results = DynamoResults(dynamodb, SETTINGS.results_table)

    def carry(run: Any, name: str, **more: Any) -> Any:
        action = Action("act", Values, Values, run)
        around = Surroundings(
            Clock(), results, Blobs(), Files(), Sources(), Secrets(), lambda _p, _v: None, {}
        )
        call: Any = {
            "run": {"id": name, "attempt": 1, "started_at": "t", "workflow": "w", "version": "1",
                    "contract": 1},
            "step": "act", "attempt": 1, "inputs": {}, "timeout": 60, **more,
        }  # fmt: skip
        with contextlib.suppress(errors.StepError):
            carry_out(call, action, around)
        return results.read(Place(name, "act"))

    return carry


def test_half_of_a_pair_in_an_output_does_not_lose_its_result(carried):
    given = {"text": CUT, "list": [CUT], "object": {CUT: {"b": CUT}}, "number": 7}
    stored = carried(lambda _i, _c: Values(said=given), "given")
    assert isinstance(stored, Finished)
    mended = {"text": MENDED, "list": [MENDED], "object": {MENDED: {"b": MENDED}}, "number": 7}
    assert stored.envelope["outputs"] == {"said": mended}


def test_nor_does_it_in_one_that_travels_by_reference(carried):
    stored = carried(lambda _i, _c: Values(said=CUT), "large", limit=1)
    assert isinstance(stored, Finished)
    assert stored.envelope["refs"]["said"]["bytes"] == len(MENDED.encode())


def test_half_of_a_pair_in_an_error_does_not_lose_the_failure(carried):
    def fail(_inputs, _context):
        raise errors.ValidationError(CUT, outputs={"said": CUT}, details=[{"pointer": CUT}])

    stored = carried(fail, "failed")
    assert stored == Failure(
        "ValidationError", MENDED, None, {"said": MENDED}, ({"pointer": MENDED},)
    )


@pytest.mark.parametrize("code", [3, 0, None, "no more"])
def test_an_action_that_ends_its_process_has_failed(carried, code):
    stored = carried(lambda _i, _c: sys.exit(code), f"exit-{code}")
    assert isinstance(stored, Failure)
    assert (stored.type, stored.status_code) == (
        "SystemExit",
        code if isinstance(code, int) else None,
    )
    assert repr(code) in stored.message
    assert not stored.in_doubt


def test_a_result_that_does_not_stand_and_was_let_go_meanwhile_is_claimed(dynamodb):
    """Two calls of a resumed run: the other one took the step over first, and failed."""
    results = DynamoResults(dynamodb, SETTINGS.results_table)
    kept = DynamoStoredResults(dynamodb, SETTINGS.results_table)
    for number, what in enumerate(("failed", "let go", "undone")):
        place = Place(f"run-{number}", "a")
        attempt = Attempt(NOON, NOON + timedelta(minutes=5), fingerprint="old")
        claim = results.claim(place, attempt, repeatable=False)
        envelope: Any = {
            "step": "a",
            "status": "succeeded",
            "outputs": {},
            "timestamp": NOON.isoformat(),
        }
        results.finish(place, claim.claim, envelope)
        [row] = kept.of_run(place.run)
        assert kept.recheck(place.run, row, ["b"])
        later = replace(attempt, run_attempt=2, fingerprint="new")
        found = results.claim(place, later, repeatable=False)
        assert isinstance(found, Finished)
        if what == "failed":
            other = results.claim(place, later, repeatable=False, over=found)
            results.fail(place, other.claim, Failure("E", "m", None, {}), NOON)
        elif what == "let go":
            [row] = kept.of_run(place.run)
            assert kept.let_go(place.run, row)
        else:
            kept.begin_undo(place.run, "a")
        assert isinstance(results.claim(place, later, repeatable=False, over=found), Claimed)
