"""What expressions and handlers read of the steps that failed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from compiler.asl.close import failure_of
from compiler.asl.failures import message
from local.evaluator import evaluate

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_failed_steps_are_told_as_the_first_one_is(count: int):
    """Each with id, name, status and error, in the order of the file."""
    failed = [
        {"step_id": step, "status": "failed", "type": "Bad", "message": f"{step} is bad"}
        for step in ("b", "a")[:count]
    ]
    closing: Any = SimpleNamespace(order=(("a", "First"), ("b", "Second")))
    states = {"input": {"failure": {"steps": failed}}}
    found = evaluate(failure_of(closing), {}, states, NOW)
    steps = [
        {"step_id": s, "name": n, "status": "failed", "error": {"type": "Bad", "message": m}}
        for s, n, m in [("a", "First", "a is bad"), ("b", "Second", "b is bad")][2 - count :]
    ]
    assert found == ({**steps[0], "steps": steps} if steps else {"steps": []})


def of_cause(cause: str, length: int = 400) -> Any:
    states = {"errorOutput": {"Error": "ScriptFailed", "Cause": cause}}
    return evaluate(message("$states.errorOutput", length), {}, states, NOW)


@pytest.mark.parametrize(
    "said", ["boom", "", 'he said "no"\ntwice, é 😀', "{} $1", '", "errorType": "']
)
def test_of_a_function_s_error_the_message_is_told(said: str):
    error = {"errorMessage": said, "errorType": "ScriptFailed", "stackTrace": ["line 1"]}
    assert of_cause(json.dumps(error, ensure_ascii=False)) == said


@pytest.mark.parametrize("cause", ["timed out", "", "{", '{"Error": "x"}', '["errorMessage": "x"]'])
def test_another_cause_is_told_as_it_is(cause: str):
    assert of_cause(cause) == cause


@pytest.mark.parametrize("said", ["x\n" * 3000, "😀" * 3000, '"' * 3000])
def test_a_long_message_is_cut_between_characters(said: str):
    assert of_cause(json.dumps({"errorMessage": said}, ensure_ascii=False)) == said[:400]


@pytest.mark.parametrize("cut", ["", "\\", "\\u", "\\u00e"])
def test_a_cause_that_was_cut_fails_nothing(cut: str):
    assert of_cause('{"errorMessage": "so far' + cut) == "so far" + cut


def test_an_error_without_a_cause_has_no_message():
    states = {"errorOutput": {"Error": "ScriptFailed"}}
    error = f"{{'type': 'x', 'message': {message('$states.errorOutput', 9)}}}"
    assert evaluate(error, {}, states, NOW) == {"type": "x"}
