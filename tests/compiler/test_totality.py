"""No emitted expression can fail: machines played in worlds that answer anything at all.

Inputs are missing, null or of the wrong kind; tasks answer in the wrong shape or fail without a
name; latches leave values out; texts hold whatever breaks quoting. A run may fail then, but by
its own error, never in an expression.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from compiler.asl.bodies import TIME_STAMP
from compiler.asl.failures import cause
from compiler.document import Json
from protocol.names import RUN_FAILED
from tests.asl_player import Machine, Played, play
from tests.compiler.evaluations import recorded
from tests.compiler.generate import made
from tests.compiler.worlds import Hostile, execution_input
from tests.differential.engines import Failed, Local, Reference, reference
from tests.emitted import Happens, compiled, run
from tests.fuzzing import FUZZ_INPUTS

MACHINES = max(300, FUZZ_INPUTS) if FUZZ_INPUTS > 500 else 300
PARTS = 10
KINDNESS = (1.0, 0.9, 0.4, 0.1)
"""How often a world keeps the contract."""
THE_MACHINES_OWN = ("States.QueryEvaluationError", "States.Runtime", "States.DataLimitExceeded")


def started(seed: int) -> list[dict[str, Any]]:
    """Return the machines that are started from outside: the workflow's own and its close.

    The one that carries out a chunk of items is given its input by the workflow's own.
    """
    first, *others = made(seed, 7).machines
    return [first.definition, *(m.definition for m in others if m.id.endswith("--close"))]


def played(seed: int, kindness: float, machine: Machine) -> Played:
    """Play a machine in one hostile world."""
    return play(machine, execution_input(seed), Hostile(seed, kindness))


def faults(run_: Played) -> list[Any]:
    """Return the expressions that failed where no Catch of a step is asked, and a wrong end."""
    found: list[Any] = [q for q in run_.query_errors if not q[1].startswith("Arguments")]
    if run_.status == "FAILED" and run_.error in THE_MACHINES_OWN:
        found.append((run_.error, run_.cause))
    if run_.status == "FAILED" and run_.error == RUN_FAILED:
        assert run_.cause is not None
        told = json.loads(run_.cause)
        if not told["details"] or len(json.dumps(told, ensure_ascii=False).encode()) > 4_096:
            found.append(("cause", run_.cause))
    return found


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(PARTS))
def test_no_expression_fails_outside_of_arguments(part: int):
    """Whatever comes in, a run ends well or by its own error."""
    wrong = {}
    for seed in range(part, MACHINES, PARTS):
        for at, definition in enumerate(started(seed)):
            compiled_once = Machine(definition)
            for world in range(2):
                kindness = KINDNESS[(seed // PARTS + world) % len(KINDNESS)]
                found = faults(played(seed * 10 + world, kindness, compiled_once))
                if found:
                    wrong[seed, at, world] = found
    assert wrong == {}


# On AWS another engine evaluates: the same expressions, with the same variables, must give it the
# same values. What depends on the time or on chance cannot be compared.
INCOMPARABLE = ("$millis", "$random", "$now")


def test_the_reference_engine_gives_the_same_values():
    """Every expression of some plays, evaluated by the JavaScript engine that AWS uses."""
    engine = reference()
    wrong = []
    compared = 0
    for seed in range(40):
        definition = started(seed)[seed % 2 and -1]
        with recorded() as evaluations:
            played(seed, KINDNESS[seed % len(KINDNESS)], Machine(definition))
        for one in evaluations:
            if any(word in one.code for word in INCOMPARABLE):
                continue
            compared += 1
            given = engine.evaluate(one.code, one.variables)
            if isinstance(given, Failed) or not same(given, one.value):
                wrong.append((seed, one.code, given, one.value))
    engine.close()
    assert wrong == []
    assert compared > 1_000


def same(one: Any, other: Any) -> bool:
    """Compare values; the engines differ in which characters of a JSON text they escape."""
    if isinstance(one, str) and isinstance(other, str):
        return unescaped(one) == unescaped(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def unescaped(text: str) -> str:
    """Return a text with the JSON escapes in it turned into their characters."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# --- found by the plays above, each smallest case kept -------------------------------------------


def test_a_block_that_ends_in_a_fork_has_a_join_of_its_own():
    """The state behind a parallel step and the one behind a fork of its name differ."""
    made_ = compiled(
        {
            "name": "w",
            "steps": [
                {"id": "a", "type": "parallel", "steps": [{"id": "x", "run": "true"}]},
                {"id": "b", "run": "true", "depends_on": []},
                {"id": "c", "run": "true", "depends_on": ["a", "b"]},
            ],
        }
    )
    Machine(made_.machines[0].definition)


def test_children_of_a_skipped_block_leave_a_branch_as_null():
    """A branch whose last block was skipped gives null for the block's children."""
    steps = [
        {"id": "a", "run": "true", "depends_on": []},
        {
            "id": "block",
            "type": "parallel",
            "depends_on": ["a"],
            "condition": "inputs.x == 'yes'",
            "steps": [{"id": "child", "run": "true", "outputs": {"o": "1"}}],
        },
        {"id": "b", "run": "true", "depends_on": []},
        {
            "id": "end",
            "depends_on": ["block", "b"],
            "condition": "always()",
            "run": "true",
            "env": {"X": "${{ steps.child.outputs.o }}"},
        },
    ]
    told = run(compiled({"name": "w", "inputs": {"x": "string"}, "steps": steps}), {}, {"x": "no"})
    assert told.run == "succeeded"
    assert told.played.query_errors == []
    assert env_of(told.played, "end") == {"X": None}


def test_a_tolerated_failure_leaves_a_branch_as_null():
    """A step that may fail without harm has no outputs then, near or far."""
    steps = [
        {"id": "a", "run": "true", "depends_on": [], "on_error": "continue", "outputs": {"o": "1"}},
        {
            "id": "near",
            "run": "true",
            "depends_on": ["a"],
            "env": {"X": "${{ steps.a.outputs.o }}"},
        },
        {"id": "b", "run": "true", "depends_on": []},
        {
            "id": "far",
            "run": "true",
            "depends_on": ["near", "b"],
            "env": {"X": "${{ steps.a.outputs.o }}"},
        },
    ]
    told = run(compiled({"name": "w", "steps": steps}), {"a": Happens("failed")})
    assert told.played.query_errors == []
    assert env_of(told.played, "near") == env_of(told.played, "far") == {"X": None}


def test_outputs_kept_as_a_whole_may_lack_one():
    """Where all outputs are read as one, a single one that is not there is null."""
    steps = [
        {"id": "a", "action": "aws:sqs:getQueueUrl"},
        {
            "id": "b",
            "run": "true",
            "depends_on": ["a"],
            "env": {"ALL": "${{ toJSON(steps.a.outputs) }}", "ONE": "${{ steps.a.outputs.Url }}"},
        },
    ]
    told = run(compiled({"name": "w", "steps": steps}), {})
    assert told.played.query_errors == []
    assert env_of(told.played, "b") == {"ALL": "{}", "ONE": None}


def test_a_retry_reads_the_first_status_code_of_several():
    """An error's text may hold the words that tell a status code more than once."""
    condition = "steps.a.outputs.status_code == 503"
    retry = {"max_attempts": 2, "delay": "1s", "conditions": [condition]}
    steps = [{"id": "a", "run": "true", "retry": retry}]
    broken = Happens("failed", message="status_code=503, then status_code=504")
    told = run(compiled({"name": "w", "steps": steps}), {"a": broken})
    assert told.played.query_errors == []
    assert len(told.played.calls) == 2


def test_a_read_behind_a_latch_that_no_way_leads_to():
    """A step that is always skipped waits for nobody; what it reads is brought nowhere."""
    steps: list[dict[str, Any]] = [
        {"id": "a", "run": "true", "depends_on": []},
        {"id": "b", "run": "true", "depends_on": ["a"], "condition": "failure()"},
        {"id": "c", "run": "true", "depends_on": ["b"], "outputs": {"o": "1"}},
        {"id": "d", "run": "true", "depends_on": ["b"]},
        {"id": "e", "run": "true", "depends_on": ["b", "c", "d"]},
        {"id": "f", "run": "true", "depends_on": ["c", "e"]},
        {
            "id": "g",
            "run": "true",
            "depends_on": ["b", "c"],
            "env": {"O": "${{ steps.c.outputs.o }}"},
        },
        {
            "id": "h",
            "run": "true",
            "depends_on": ["b", "e", "f"],
            "env": {"O": "${{ steps.c.outputs.o }}"},
        },
    ]
    assert run(compiled({"name": "w", "steps": steps}), {}).run == "succeeded"


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("2026-02-28T10:00:00Z", True),
        ("2024-02-29T10:00:00.5+05:30", True),
        ("2026-02-29T10:00:00Z", False),
        ("2026-04-31T10:00:00Z", False),
        ("2026-13-01T10:00:00Z", False),
        ("2026-01-01T24:00:00Z", False),
        ("2026-01-01T10:00:00", False),
        ("2026-01-01T10:00:00Z\n", False),
        ("soon", False),
    ],
)
def test_a_wait_takes_only_times_that_there_are(text: str, waits: bool):
    """A day that no calendar has fails the step; in the Wait itself nothing could catch it."""
    steps = [{"id": "a", "type": "wait", "until": "${{ inputs.x }}"}]
    told = run(compiled({"name": "w", "inputs": {"x": "string"}, "steps": steps}), {}, {"x": text})
    assert told.played.query_errors == []
    assert told.run == ("succeeded" if waits else "failed")
    if not waits:
        wanted = "needs a time stamp such as 2026-11-29T09:00:00Z"
        said = f"ValidationError: the wait of a {wanted}, not {text.strip()}"
        assert json.loads(str(told.played.cause))["message"] == f"a: {said}"
    assert TIME_STAMP.startswith("/^")


@pytest.mark.parametrize("engine", [Local, reference], ids=["local", "reference"])
@pytest.mark.parametrize("given", [None, 1, "x", [], [1], [1, 2], [[1]], {"b": [3]}])
def test_a_list_in_a_list_stays_one(engine: type[Local] | Any, given: Any):
    """JSONata takes lists inside of `[...]` apart; a payload keeps them."""
    payload = {
        "l": ["${{ inputs.a }}", 1, ["${{ inputs.a }}"], "${{ inputs.a.b }}"],
        "m": [[1], []],
    }
    steps = [{"id": "p", "type": "publish", "event": "x", "payload": payload}]
    made_ = compiled({"name": "w", "inputs": {"a": {"required": False}}, "steps": steps})
    state: Any = made_.machines[0].definition["States"]["p"]
    code = state["Arguments"]["Entries"][0]["Detail"][2:-2]
    asked: Reference | Local = engine()
    detail: Any = asked.evaluate(code, {"inputs": {"a": given}, "run": {"id": "r"}})
    below = given["b"] if isinstance(given, dict) else None
    assert detail["payload"] == {"l": [given, 1, [given], below], "m": [[1], []]}
    if isinstance(asked, Reference):
        asked.close()


@pytest.mark.parametrize("character", ["x", "é", "\U0001f389", "\u0007", '"'])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_the_cause_of_a_run_stays_small(character: str, count: int):
    """The first ten failing steps are told in 4,096 bytes, whatever the texts of their errors."""
    long = character * 400
    failed: list[dict[str, Json]] = [
        {"step_id": f"step_{at}_{'y' * 50}", "status": "failed", "type": long, "message": long}
        for at in range(count)
    ]
    engine = reference()
    text = engine.evaluate(cause("$f"), {"f": [*failed]})
    engine.close()
    assert isinstance(text, str)
    assert len(text.encode()) <= 4_096
    told = json.loads(text)
    assert [d["step_id"] for d in told["details"]] == [f["step_id"] for f in failed[:10]]
    if count == 1:
        assert told["details"][0]["message"] in (character * 80, character * 20)


def env_of(run_: Played, step: str) -> Any:
    """Return the environment that a step was called with."""
    for call in run_.calls:
        payload = call.arguments.get("Payload", {})
        if payload.get("step") == step:
            return payload["env"]
    raise AssertionError(f"{step} was not called")
