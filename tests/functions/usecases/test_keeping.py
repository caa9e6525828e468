"""What the machine carried out itself is stored as the wrapper stores what an action gives."""

from __future__ import annotations

from functions.usecases.carry_out import carry_out
from tests.functions.usecases.test_carry_out import Results, action, around, call


def _not_carried_out(_inputs, _context):
    raise AssertionError("it has been carried out")


def test_a_call_that_keeps_carries_nothing_out_and_stores_what_it_tells():
    results = Results()
    told = call(keep=True, computed={"Id": "7"}, items=[1], iteration=2)
    envelope = carry_out(told, action(_not_carried_out), around(results))
    assert envelope["outputs"] == {"Id": "7"}
    place, _, stored = results.finished
    assert place.path == "s/1/r2"
    assert stored == envelope


def test_what_is_too_large_is_kept_by_reference():
    parts = around()
    told = call(keep=True, computed={"small": 1, "large": "x" * 40_000})
    envelope = carry_out(told, action(_not_carried_out), parts)
    assert envelope["outputs"] == {"small": 1}
    assert set(envelope["refs"]) == {"large"}
