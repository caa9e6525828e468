"""Exactly what may have had an effect is undone, newest first; once, whatever happens meanwhile.

`python -m bench.resume` does the same for many more workflows.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.functions.resume.sagas import (
    Maker,
    check_crashes,
    check_order,
    check_the_rest,
    ran,
    undone,
)
from tests.functions.resume.town import RUN, Does, Town


@pytest.mark.parametrize("seed", range(12))
def test_exactly_what_was_done_is_undone_and_what_was_left_later(seed: int):
    saga = Maker(seed).saga()
    town = ran(saga)
    check_order(saga, town)
    check_the_rest(saga, town)


@pytest.mark.parametrize("seed", range(50, 56))
def test_a_crash_between_two_undos_leaves_none_out_and_does_none_twice(seed: int):
    check_crashes(Maker(seed).saga(), seed, most=2)


def booked(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "run": f"echo {name}", "compensate": {"run": f"echo cancel {name}"}, **more}


def failing(*paths: str, **does: Any) -> Any:
    bad = Does(**{"fails": "Broken", **does})
    return lambda path, _call: bad if path in paths else Does()


def closing(town: Town) -> Any:
    """Return what the last close machine told."""
    played = town.plays[-1]
    return (played.children[-1] if played.children else played).output


LAST = {"id": "last", "run": "echo last"}


def test_a_failed_undo_is_told_of_with_its_error_and_can_be_done_later():
    town = Town({"steps": [booked("flight"), booked("hotel"), LAST]})
    town.say = failing("last", "hotel_undo")
    town.run()
    told = closing(town)
    assert told["compensation"] == "partial"
    assert [(one["step"], one["status"]) for one in told["undone"]] == [
        ("hotel", "failed"),
        ("flight", "undone"),
    ]
    assert told["undone"][0]["error"]["type"] == "Broken"
    town.say = failing()
    told = town.close().output
    assert told == {
        "compensation": "complete",
        "undone": [{"step": "hotel", "status": "undone"}],
    }
    assert undone(town) == [(RUN, "flight"), (RUN, "hotel")]
    assert town.close().output == {"compensation": "none", "undone": []}


def test_an_undo_that_may_have_had_its_effect_is_not_repeated():
    town = Town({"steps": [booked("flight"), LAST]})
    town.say = failing("last", "flight_undo", killed=True, fails=None)
    town.run()
    assert closing(town)["compensation"] == "partial"
    town.say = failing()
    told = town.close().output
    assert told["undone"][0]["error"]["type"] == "StepInDoubt"
    assert undone(town) == [(RUN, "flight")]


def test_an_undo_has_retries_of_its_own():
    undo = {"run": "echo cancel", "retry": {"max_attempts": 3}}
    town = Town({"steps": [{**booked("flight"), "compensate": undo}, LAST]})
    calls: list[str] = []

    def say(path: str, _call: Any) -> Does:
        calls.append(path)
        bad = path == "last" or (path == "flight_undo" and calls.count(path) < 3)
        return Does(fails="Broken") if bad else Does()

    town.say = say
    town.run()
    assert calls.count("flight_undo") == 3
    assert closing(town)["compensation"] == "complete"


def test_an_undo_whose_retries_have_a_condition():
    retry = {
        "max_attempts": 3,
        "conditions": ["contains(steps.flight_undo.outputs.error, 'broke')"],
    }
    undo = {"run": "echo cancel", "retry": retry}
    town = Town({"steps": [{**booked("flight"), "compensate": undo}, LAST]})
    calls: list[str] = []

    def say(path: str, _call: Any) -> Does:
        calls.append(path)
        bad = path == "last" or (path == "flight_undo" and calls.count(path) < 2)
        return Does(fails="Broken") if bad else Does()

    town.say = say
    town.run()
    assert calls.count("flight_undo") == 2
    assert closing(town)["compensation"] == "complete"


def test_a_step_that_was_skipped_or_failed_without_effect_is_not_undone():
    skipped = booked("skipped", condition="false")
    town = Town({"steps": [booked("flight"), skipped, booked("hotel")]})
    town.say = failing("hotel")
    town.run()
    assert undone(town) == [(RUN, "flight")]


def test_a_step_that_timed_out_is_undone():
    """What it did until then nobody knows."""
    town = Town({"steps": [booked("flight")]})
    town.say = failing("flight", fails="StepTimedOut", has_effect=True)
    town.run()
    assert undone(town) == [(RUN, "flight")]


def test_of_a_run_that_was_stopped_what_was_under_way_is_undone_first():
    """Records start the close machine then; what was called ended with its caller."""
    child = {"steps": [booked("c1"), LAST | {"id": "c2"}]}
    calls = {"id": "calls", "type": "subworkflow", "workflow": "child", "inputs": {}}
    town = Town({"steps": [booked("flight"), calls]}, child=child)
    town.say = failing("c2", stops=True, fails=None)
    town.run()
    assert undone(town) == []
    town.close()
    assert [path for _, path in undone(town)] == ["c1", "flight"]
    assert town.close().output["compensation"] == "none"


def test_where_nothing_can_be_read_the_outcome_is_unknown():
    town = Town({"steps": [booked("flight"), LAST]})
    town.say = failing("last")
    town.no_answer_of_records = True
    town.run()
    assert closing(town)["compensation"] == "unknown"
    town.no_answer_of_records = False
    town.close()
    assert undone(town) == [(RUN, "flight")]


CUT_OFF = {
    "steps": [
        booked("flight"),
        {
            "id": "both",
            "type": "parallel",
            "fail_fast": True,
            "steps": [
                {"id": "calls", "type": "subworkflow", "workflow": "child", "inputs": {}},
                {"id": "bad", "run": "echo bad", "depends_on": []},
            ],
        },
    ]
}
INSIDE = {"steps": [booked("c1"), {"id": "long", "type": "wait", "for": "1h"}]}
CALLS = {"steps": [booked("m1"), {"id": "inner", "type": "subworkflow", "workflow": "leaf"}]}


def cut_off(path: str, _call: Any) -> Does:
    return Does(fails="Broken", takes=60) if path == "bad" else Does()


@pytest.mark.parametrize(
    ("called", "order"),
    [
        ({"child": INSIDE}, ["c1", "flight"]),
        ({"child": CALLS, "leaf": INSIDE}, ["c1", "m1", "flight"]),
    ],
    ids=["a child", "a child of a child"],
)
def test_a_workflow_cut_off_in_the_course_of_a_run_is_undone_once(called: Any, order: list[str]):
    """Also where everything stops between any two undos, and goes on later."""
    town = Town(CUT_OFF, **called)
    town.say = cut_off
    town.run()
    assert closing(town)["compensation"] == "complete"
    assert [path for _, path in undone(town)] == order
    assert town.close().output == {"compensation": "none", "undone": []}
    for point in range(1, town.calls_of_records + 1):
        town = Town(CUT_OFF, **called)
        town.say = cut_off
        town.stop_before_records = point
        town.run()
        town.stop_before_records = None
        town.close()
        assert [path for _, path in undone(town)] == order, point
        assert town.close().output == {"compensation": "none", "undone": []}


def test_a_try_that_was_cut_off_is_undone_beside_the_one_that_ended_well():
    """The result that is stored is not taken for that of the other."""
    calls = {"id": "calls", "type": "subworkflow", "workflow": "child", "timeout": "10m"}
    child = {"steps": [booked("c1"), {"id": "c2", "run": "echo c2"}]}
    town = Town({"steps": [calls | {"retry": {"max_attempts": 2}}, LAST]}, child=child)
    tries: list[str] = []

    def say(path: str, _call: Any) -> Does:
        tries.extend([path] if path == "c2" else [])
        if path == "c2" and len(tries) == 1:
            return Does(takes=700)
        return Does(fails="Broken") if path == "last" else Does()

    town.say = say
    town.run()
    assert len(undone(town)) == len({run for run, _ in undone(town)}) == len(tries) == 2
    assert closing(town)["compensation"] == "complete"
