"""A for_each with `fail_fast`: the first bad item stops the others, and all can be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.plan.bounds import every_state
from tests.asl_player import Call, Outcome, check
from tests.compiler.stopping import BLOCK, BROKEN, MANUAL, SCRIPT, TELL, Stored, played, statuses
from tests.emitted import Happens, compiled, run
from tests.golden.project import surroundings


def test_one_after_the_other_nothing_is_started_behind_a_bad_one() -> None:
    """What went well keeps its outputs, what was never begun is cancelled."""
    fine = Happens(takes=1, outputs={"done": "yes"})
    told, seen, world = played(SCRIPT, ["a", "b", "c", "d"], {"a": fine, "b": BROKEN})
    assert told.run == "failed"
    assert world.hosts("patch") == ["a", "b"]
    assert statuses(seen) == ["succeeded", "failed", "cancelled", "cancelled"]
    first, second, *_ = json.loads(seen["ITEMS"])
    assert first["outputs"] == {"done": "yes"}
    assert second["error"] == {"type": "Unreachable", "message": "b is down"}
    assert seen["STATUS"] == "failed"
    assert seen["WHY"] == "item 1 failed: Unreachable: b is down"
    assert told.steps["after"] == {"status": "skipped", "reason": "upstream_failed"}


def test_what_a_function_says_is_told_without_its_trace() -> None:
    """Lambda reports an error as JSON; the message alone is what stored results tell, too."""
    cause = json.dumps({"errorMessage": 'no "b"\nat all', "errorType": "X", "stackTrace": ["f"]})
    bad = Happens("failed", error="X", message=cause)
    _, seen, _ = played(SCRIPT, ["a"], {"a": bad})
    assert seen["WHY"] == 'item 0 failed: X: no "b"\nat all'


def test_items_under_way_are_stopped() -> None:
    """With several at once the bad one does not wait for the others."""
    fates = {"a": Happens(takes=100), "b": BROKEN, "c": Happens(takes=2)}
    fates |= {"d": Happens(takes=50)}
    told, seen, world = played(SCRIPT, ["a", "b", "c", "d", "e"], fates, at_once=3)
    assert sorted(world.hosts("patch")) == ["a", "b", "c", "d"]
    assert statuses(seen)[:3] == ["cancelled", "failed", "succeeded"]
    assert told.played.duration < 100


@pytest.mark.parametrize("hosts", [[], ["a"], ["a", "b", "c"]])
@pytest.mark.parametrize("workflow", [SCRIPT, BLOCK])
def test_without_a_bad_one_all_are_carried_out(workflow: str, hosts: list[str]) -> None:
    told, seen, world = played(workflow, hosts, {})
    assert told.run == "succeeded"
    assert statuses(seen) == ["succeeded"] * len(hosts)
    assert world.hosts("patch" if workflow is SCRIPT else "work") == hosts


def test_it_costs_a_good_run_no_state_that_nobody_asked_for() -> None:
    """No Choice looks for failures behind the items, and unread items write nothing down.

    Which item it is stays known outside of its block: a state for each.
    """
    plain = BLOCK.replace("AT_ONCE", "1").replace("MOST", "5")
    slow = plain.replace("    fail_fast: true\n", "")
    hosts = {"hosts": ["a", "b"]}
    fast = run(compiled(plain), {}, hosts).played
    other = run(compiled(slow), {}, hosts).played
    assert fast.transitions == other.transitions - 1 + len(hosts["hosts"])
    read = compiled(slow + TELL).machines[0].definition
    assert "patch.note" not in {name for name, _ in every_state(read)}
    names = {name for name, _ in every_state(compiled(plain).machines[0].definition)}
    assert not names & {"patch.note", "patch.kept", "patch.close", "patch.items"}


def test_a_block_that_went_well_is_told_as_such() -> None:
    """It leaves no stored result of its own: it writes down what it came to."""
    told, seen, world = played(BLOCK, ["a", "b", "c"], {"b": BROKEN}, step="work")
    assert told.run == "failed"
    assert world.hosts("before") == ["a", "b"]
    assert statuses(seen) == ["succeeded", "failed", "cancelled"]
    assert seen["WHY"] == "item 1 failed: StepsFailed: work failed: Unreachable"


def test_what_is_let_pass_in_a_block_stops_nothing() -> None:
    tolerant = BLOCK.replace("id: work, run: echo", "id: work, on_error: continue, run: echo")
    told, seen, world = played(tolerant, ["a", "b"], {"a": BROKEN}, step="work")
    assert told.run == "succeeded"
    assert world.hosts("work") == ["a", "b"]
    assert statuses(seen) == ["succeeded", "succeeded"]


def test_a_step_of_a_block_that_a_condition_skips_stops_nothing() -> None:
    picky = BLOCK.replace("id: work, run", "id: work, condition: item != 'a', run")
    told, seen, world = played(picky, ["a", "b", "c"], {"b": BROKEN}, step="work")
    assert told.run == "failed"
    assert world.hosts("work") == ["b"]
    assert statuses(seen) == ["succeeded", "failed", "cancelled"]


def test_an_items_own_retries_come_first() -> None:
    again = SCRIPT.replace("    env:", "    retry: {count: 2, delay: 1s, jitter: none}\n    env:")
    told, seen, world = played(again, ["a", "b"], {"a": BROKEN})
    assert world.hosts("patch") == ["a", "a", "a"]
    assert statuses(seen) == ["failed", "cancelled"]
    assert told.run == "failed"


def test_a_tolerated_step_is_stopped_all_the_same() -> None:
    """`on_error: continue` is about the step: the run goes on, without the items left."""
    tolerant = SCRIPT.replace("    env:", "    on_error: continue\n    env:")
    told, seen, world = played(tolerant, ["a", "b"], {"a": BROKEN})
    assert told.run == "succeeded"
    assert world.hosts("patch") == ["a"]
    assert statuses(seen) == ["failed", "cancelled"]
    assert told.steps["after"]["status"] == "succeeded"


def test_a_no_stops_those_that_are_asked_after_it() -> None:
    """Who has said yes is told; the questions that are open are closed."""
    fates = {"a": Happens(takes=1), "b": Happens("rejected", takes=5), "c": Happens("timed_out")}
    told, seen, world = played(MANUAL, ["a", "b", "c", "d", "e"], fates, at_once=3)
    assert told.run == "failed"
    assert statuses(seen)[:3] == ["succeeded", "rejected", "cancelled"]
    assert json.loads(seen["OUTPUTS"])[0]["decided_by"] == "alice@example.com"
    assert world.closed == ["patch"]


def test_a_no_that_lets_the_run_go_on_stops_nothing() -> None:
    lenient = MANUAL.replace("    title", "    on_reject: continue\n    title")
    told, seen, _ = played(lenient, ["a", "b", "c"], {"b": Happens("rejected")})
    assert told.run == "succeeded"
    assert statuses(seen) == ["succeeded", "rejected", "succeeded"]


def test_silence_is_a_bad_end_as_well() -> None:
    told, seen, _ = played(MANUAL, ["a", "b"], {"a": Happens("timed_out")})
    assert told.run == "failed"
    assert statuses(seen) == ["timed_out", "cancelled"]


OTHERS = {
    "repeat": (
        "    run: echo\n    repeat: {until: steps.patch.outputs.ok == 'yes', delay: 10s}\n"
        "    outputs: {ok: '${{ steps.patch.outputs.ok }}'}\n"
    ),
    "pause": "    run: echo\n    on_error: pause\n",
    "call": "    action: aws:dynamodb:getItem\n    inputs: {TableName: t, Key: {}}\n",
    "wait": "    type: wait\n    for: 10s\n",
    "callback": "    action: http-request\n    callback: true\n    inputs: {url: 'https://a.b'}\n",
}


@pytest.mark.parametrize("kind", OTHERS)
def test_items_whose_stored_result_is_not_their_end_write_it_down(kind: str) -> None:
    """A round, an attempt somebody is asked about, an action that is answered later."""
    text = "name: w\nsteps:\n  - id: patch\n    for_each: [1, 2]\n    fail_fast: true\n"
    made = compiled(text + OTHERS[kind] + TELL, catalogue=surroundings().catalogue)
    states = dict(state for one in made.machines for state in every_state(one.definition))
    assert states["patch.note"]["Type"] == "Task"
    assert [p for one in made.machines for p in check(one.definition)] == []
    if kind in ("wait", "call", "pause"):  # what the world of these tests plays by itself
        played = run(made, {}).played
        notes = [call.arguments["Payload"] for call in played.calls if call.state == "patch.note"]
        assert [note["producer"] for note in notes] == ["0", "1"]
        assert [note["values"]["item"]["status"] for note in notes] == ["succeeded"] * 2
        assert (played.status, played.query_errors) == ("SUCCEEDED", [])


@pytest.mark.parametrize("more", ["", "    fail_fast: true\n"])
@pytest.mark.parametrize("items", ["[1, 2]", "${{ inputs.hosts }}"])
def test_a_wait_that_cannot_fail_may_have_a_list_that_can(more: str, items: str) -> None:
    workflow = (
        "name: w\ninputs: {hosts: {type: array}}\nsteps:\n"
        f"  - id: patch\n    type: wait\n    for: 10s\n    for_each: {items}\n{more}"
    )
    assert run(compiled(workflow), {}, {"hosts": [1]}).run == "succeeded"
    if "inputs" in items:
        assert run(compiled(workflow), {}, {"hosts": None}).run == "failed"


def test_what_is_read_back_may_fail() -> None:
    """The step has failed with its own error, whatever else fails; the items are cancelled."""

    class Silent(Stored):
        def __call__(self, call: Call) -> Outcome:
            if call.arguments["Payload"].get("op") in ("close", "items", "noted"):
                return Outcome.fail("Lambda.Unknown", "out of memory")
            if call.state == "patch.note":
                return Outcome.fail("Lambda.Unknown", "out of memory")
            return super().__call__(call)

    for workflow, step in ((SCRIPT, "patch"), (MANUAL, "patch"), (BLOCK, "work")):
        seen: dict[str, Any] = {}

        def say(
            name: str, payload: Mapping[str, Any], step: str = step, seen: dict[str, Any] = seen
        ) -> Happens:
            if name == "tell":
                seen.update(payload["env"])
            is_bad = "b" in (payload.get("title"), payload.get("env", {}).get("HOST"))
            return Happens("rejected") if name == step and is_bad else Happens()

        text = workflow.replace("AT_ONCE", "1").replace("MOST", "5") + TELL
        told = run(compiled(text), say, {"hosts": ["a", "b", "c"]}, world=Silent(say))
        assert told.run == "failed"
        assert statuses(seen)[0] == statuses(seen)[2] == "cancelled"
        assert statuses(seen)[1] in ("failed", "rejected")


@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 30)), min_size=1, max_size=9),
    st.integers(1, 4),
    st.sampled_from([(SCRIPT, "patch"), (BLOCK, "work"), (MANUAL, "patch")]),
)
def test_any_list_ends_as_a_queue_with_so_many_workers_would(
    drawn: list[tuple[bool, int]], at_once: int, kind: tuple[str, str]
) -> None:
    """Held against a model: what has ended when the first bad one does, what had begun."""
    # No two end at the same time: each takes a fraction of a second of its own.
    items = [(good, takes + 2.0**-at) for at, (good, takes) in enumerate(drawn)]
    hosts = [f"h{at}" for at in range(len(items))]
    bad = "rejected" if kind[0] is MANUAL else "failed"
    fates = {
        host: Happens("succeeded" if good else bad, takes=takes)
        for host, (good, takes) in zip(hosts, items, strict=True)
    }
    told, seen, _ = played(kind[0], hosts, fates, at_once=at_once, step=kind[1])
    expected = _queue(items, at_once)
    assert statuses(seen) == [bad if one == "failed" else one for one in expected]
    assert told.run == ("failed" if "failed" in expected else "succeeded")


def _queue(items: list[tuple[bool, float]], at_once: int) -> list[str]:
    found = ["cancelled"] * len(items)
    waiting, working, now = [*range(len(items))], list[tuple[float, int]](), 0.0
    while waiting or working:
        while waiting and len(working) < at_once:
            index = waiting.pop(0)
            working.append((now + items[index][1], index))
        now, index = min(working)
        working.remove((now, index))
        found[index] = "succeeded" if items[index][0] else "failed"
        if not items[index][0]:
            break
    return found
