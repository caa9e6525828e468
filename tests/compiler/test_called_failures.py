"""What a machine says of a workflow that it called and that ended badly, on both engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.asl.failures import called, cause, first_of
from functions.domain.records import said
from protocol.names import ITEMS_FAILED, RUN_FAILED, STEPS_FAILED
from tests.differential.engines import Local, Reference, reference
from tests.differential.strategies import TEXTS

ID = "r-1-0123456789abcdef0123456789abcdef"
FAILED = {"step_id": "compile", "status": "failed", "type": "ScriptFailed"}


@pytest.fixture(params=["local", "reference"], scope="module")
def engine(request: Any) -> Iterator[Local | Reference]:
    """Both evaluators: that of local runs, and the one that is as Step Functions'."""
    found: Local | Reference = Local() if request.param == "local" else reference()
    yield found
    if isinstance(found, Reference):
        found.close()


def described(**fields: Any) -> str:
    """Return the cause of a Task that waited for an execution, as Step Functions writes it.

    The names are in the order of the alphabet, the input is a text, what there is not is left out.
    """
    described = {
        "ExecutionArn": f"arn:aws:states:eu-central-1:123456789012:execution:leaf:{ID}",
        "Input": json.dumps({"run": {"id": "x"}, "inputs": {"a": '"Cause":"{\\"type\\"'}}),
        "InputDetails": {"Included": True},
        "Name": ID,
        "RedriveCount": 0,
        "StartDate": 1790676767025,
        "StateMachineArn": "arn:aws:states:eu-central-1:123456789012:stateMachine:leaf",
        "Status": "FAILED",
        "StopDate": 1790676767071,
        **fields,
    }
    return json.dumps(dict(sorted(described.items())), ensure_ascii=False, separators=(",", ":"))


def told(engine: Local | Reference, error: dict[str, Any]) -> Any:
    """Return the error that a caller's catcher makes of one."""
    return engine.evaluate(called("$e"), {"e": error})


def run_cause(engine: Local | Reference, *failures: Any) -> str:
    """Return the cause of a run with these failures."""
    text = engine.evaluate(cause("$f"), {"f": [*failures]})
    assert isinstance(text, str)
    return text


@given(TEXTS)
def test_what_failed_in_a_called_run_comes_to_its_caller(engine: Local | Reference, text: str):
    """The step, its error's name and the first line of its message, with the run's id."""
    failed = {**FAILED, "message": text}
    description = described(Cause=run_cause(engine, failed), Error=RUN_FAILED)
    error = told(engine, {"Error": "States.TaskFailed", "Cause": description})
    first = text.split("\n", 1)[0]
    if any(ord(one) < 32 or 0xD800 <= ord(one) <= 0xDFFF or ord(one) > 0xFFFF for one in first):
        assert error["Cause"].startswith("compile: ScriptFailed")  # escaped as JSON has it
        return
    assert error == {
        "Error": RUN_FAILED,
        "Cause": f"{f'compile: ScriptFailed: {first}'[:300]} (run {ID})",
    }


def test_the_innermost_run_is_named_by_all_that_called_it(engine: Local | Reference):
    inner = told(
        engine,
        {"Error": "States.TaskFailed", "Cause": described(
            Cause=run_cause(engine, {**FAILED, "message": "no"}), Error=RUN_FAILED)},
    )  # fmt: skip
    build = {"step_id": "build", "status": "failed", "type": inner["Error"]}
    middle = run_cause(engine, {**build, "message": inner["Cause"]})
    text = described(Cause=middle, Error=RUN_FAILED, ExecutionArn=f"a:b:{'m' * 40}-{'0' * 32}")
    error = told(engine, {"Error": "States.TaskFailed", "Cause": text})
    assert error["Cause"] == f"build: compile: ScriptFailed: no (run {ID})"


def test_of_others_that_failed_the_names_are_told(engine: Local | Reference):
    failures = [{**FAILED, "step_id": f"s{at}", "message": "no"} for at in range(12)]
    text = json.loads(run_cause(engine, *failures))
    assert text["message"] == ("s0: ScriptFailed: no; also s1, s2, s3, s4, s5, s6, s7, s8, s9")
    assert [one["step_id"] for one in text["details"]] == [f"s{at}" for at in range(10)]


STOPPED = [
    ({"Status": "TIMED_OUT"}, "timed out"),
    ({"Status": "ABORTED"}, "was aborted"),
    ({"Status": "ABORTED", "Error": "Stopped", "Cause": "enough"}, "was aborted"),
    ({"Status": "ABORTED", "Error": "Stepsmith.Cancelled", "Cause": '{"by":"x"}'}, "was cancelled"),
    ({"Error": "States.Runtime", "Cause": "An error occurred"}, "failed"),
    ({"Error": "States.Runtime"}, "failed"),
]


@pytest.mark.parametrize(("fields", "how"), STOPPED)
def test_a_run_that_told_no_cause_is_named(
    engine: Local | Reference, fields: dict[str, Any], how: str
):
    error = told(engine, {"Error": "States.TaskFailed", "Cause": described(**fields)})
    assert error == {
        "Error": "States.TaskFailed",
        "Cause": f"the workflow that was called {how} (run {ID})",
    }


def test_the_run_of_a_later_attempt_is_named_without_the_attempt(engine: Local | Reference):
    arn = f"arn:aws:states:eu-central-1:123456789012:execution:leaf:{ID}-2"
    error = told(engine, {"Error": "x", "Cause": described(Status="ABORTED", ExecutionArn=arn)})
    assert error["Cause"].endswith(f"(run {ID})")
    assert said.run_of({"ExecutionArn": arn}) == ID


def test_a_description_that_was_cut_tells_what_is_left(engine: Local | Reference):
    """A cause has at most 32,768 characters; the input stands behind what is read."""
    failed = {**FAILED, "message": "no"}
    text = described(
        Cause=run_cause(engine, failed), Error=RUN_FAILED, Input="x" * 40_000
    )[:32_768]  # fmt: skip
    error = told(engine, {"Error": "States.TaskFailed", "Cause": text})
    assert error["Cause"] == f"compile: ScriptFailed: no (run {ID})"


@pytest.mark.parametrize(
    "error",
    [
        {"Error": "States.Timeout"},
        {"Error": "States.Timeout", "Cause": ""},
        {"Error": None, "Cause": None},
        {
            "Error": "Broken",
            "Cause": '{"errorMessage": "a \\"ExecutionArn\\":\\"b", "errorType": "B"}',
        },
        {"Error": "StepFunctions.ExecutionLimitExceeded", "Cause": "too many"},
    ],
)
def test_an_error_of_another_kind_stays_as_it_is(engine: Local | Reference, error: dict[str, Any]):
    assert told(engine, error) == error


_KINDS = st.sampled_from(["ScriptFailed", RUN_FAILED, STEPS_FAILED, ITEMS_FAILED, "x" * 80])
_MESSAGES = TEXTS | st.sampled_from(["a; also b", "a (run x); also b", "x" * 500, "two\nlines"])
_FAILURES = st.lists(
    st.fixed_dictionaries(
        {"step_id": st.sampled_from(["a", "b-c"]), "type": _KINDS, "message": _MESSAGES}
    ),
    min_size=1,
    max_size=4,
)


@given(_FAILURES)
def test_machines_and_records_say_alike_what_failed(engine: Local | Reference, failures: Any):
    texts = "".join(one["message"] for one in failures)
    if any(ord(one) > 0xFFFF for one in texts) or not failures[0]["message"].split("\n")[0]:
        return  # which engines count as one character or as two; what a record leaves out
    assert engine.evaluate(first_of("$f"), {"f": failures}) == said.first_of(failures)


def test_what_a_step_pays_for_it_stays_small():
    assert len(json.dumps(called())) < 1_000
