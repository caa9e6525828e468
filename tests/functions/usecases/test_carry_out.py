"""What the wrapper does around an action: inputs in, outputs, references and errors out."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from functions import ports
from functions.domain import errors
from functions.domain.action import Action
from functions.usecases.carry_out import Surroundings, carry_out

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Clock:
    def now(self):
        return NOON

    def sleep(self, _seconds):
        raise AssertionError


class Results:
    """Claims that succeed unless `answer` says otherwise; keeps what was written."""

    def __init__(self, answer=None):
        self.answer = answer or ports.Claimed("claim", 2)
        self.attempt: Any = None
        self.finished: Any = None
        self.failed: Any = None

    def claim(self, _place, attempt, *, repeatable):  # noqa: ARG002
        self.attempt = attempt
        return self.answer

    def finish(self, place, claim, envelope):
        self.finished = (place, claim, envelope)

    def fail(self, _place, _claim, failure, _at):
        self.failed = failure


class Blobs:
    def __init__(self):
        self.kept = {}

    def put(self, _place, name, value):
        self.kept[name] = value
        return {"bucket": "b", "key": name, "bytes": len(json.dumps(value))}

    def get(self, reference):
        return self.kept[reference["key"]]


class Files:
    def __init__(self):
        self.stored, self.laid = [], []

    def store(self, _place, _workspace, paths):
        self.stored += paths

    def lay(self, _run, step, workspace: Path):
        self.laid.append(step)
        (workspace / step).write_text(step)


class Sources:
    def lay(self, _run, workspace: Path, _wanted):
        (workspace / "source").write_text("here")


class Echo(BaseModel):
    """Inputs and outputs of an action that gives back what it gets."""

    model_config = ConfigDict(extra="allow")


def around(results=None, secrets=None, **replaced) -> Surroundings:
    parts = {
        "clock": Clock(),
        "results": results or Results(),
        "blobs": Blobs(),
        "files": Files(),
        "sources": Sources(),
        "secrets": type("Secrets", (), {"get": lambda _self, name: (secrets or {})[name]})(),
        "evaluate": lambda portable, values: [portable, values],
        "inherited": {},
        **replaced,
    }
    return Surroundings(**parts)


def call(**fields) -> Any:
    run = {
        "id": "r", "attempt": 1, "started_at": "t", "workflow": "w", "version": "1", "contract": 1,
    }  # fmt: skip
    return {"run": run, "step": "s", "inputs": {}, **fields}


def action(run=lambda inputs, _context: inputs, **fields) -> Action:
    return Action(name="echo", inputs=Echo, outputs=Echo, run=run, **fields)


def test_a_variable_is_the_text_of_its_value_as_expressions_write_it():
    """Compact JSON, whole numbers without a point, and no digit is lost."""
    seen: dict[str, str] = {}

    def carry(_inputs, context):
        seen.update(context.env)
        return Echo()

    env = {"a": [1, {"b": "é"}], "b": 2.0, "c": 2.5, "d": 9007199254740991, "e": True, "f": None}
    carry_out(call(env=env), action(carry), around())
    assert [*seen.values()] == ['[1,{"b":"é"}]', "2", "2.5", "9007199254740991", "true", ""]


def test_what_the_action_gives_comes_back_in_an_envelope_and_is_stored():
    results = Results()
    envelope = carry_out(call(inputs={"a": 1}), action(), around(results))
    assert envelope == {
        "step": "s", "status": "succeeded", "attempt": 2, "outputs": {"a": 1},
        "started_at": "2026-01-01T12:00:00.000Z", "timestamp": "2026-01-01T12:00:00.000Z",
    }  # fmt: skip
    assert results.finished == (ports.Place("r", "s"), "claim", envelope)


def test_the_key_holds_items_and_iteration_but_not_the_attempt():
    results = Results()
    carry_out(call(items=[3, 1], iteration=2), action(), around(results))
    assert results.finished[0] == ports.Place("r", "s/3/1/r2")


def test_a_finished_step_is_not_carried_out_again():
    stored: Any = {"step": "s", "outputs": {"a": "stored"}}

    def never(_inputs, _context):
        raise AssertionError

    assert carry_out(call(), action(never), around(Results(ports.Finished(stored)))) is stored


@pytest.mark.parametrize(
    ("claim", "error"),
    [
        (ports.InProgress(NOON), errors.StepInProgress),
        (ports.InDoubt("earlier"), errors.StepInDoubt),
    ],
)
def test_a_step_that_another_attempt_holds_is_left_alone(claim, error):
    with pytest.raises(error):
        carry_out(call(), action(), around(Results(claim)))


def test_a_failure_is_stored_as_it_is_reported():
    results = Results()

    def fail(_inputs, _context):
        raise errors.ScriptFailed("no", status_code=3, outputs={"a": "half"})

    with pytest.raises(errors.ScriptFailed):
        carry_out(call(), action(fail), around(results))
    assert results.failed == ports.Failure("ScriptFailed", "no (status_code=3)", 3, {"a": "half"})
    assert results.finished is None


def test_a_secret_reaches_the_action_and_no_error_message():
    results = Results()

    def fail(_inputs, context):
        raise errors.ScriptFailed(f"wrong password {context.env['PASSWORD']}")

    request = call(env={"PASSWORD": None}, secrets={"/env/PASSWORD": "DB"})
    with pytest.raises(errors.ScriptFailed) as raised:
        carry_out(request, action(fail), around(results, {"DB": "hunter2"}))
    assert str(raised.value) == results.failed.message == "wrong password ***"


def test_what_came_from_a_fork_finds_an_empty_text_where_a_secret_would_be():
    secrets = {"/env/A": "DB", "/env/B": [["text", "to "], ["secret", "NOPE"]]}
    request = call(env={"A": None, "B": None}, secrets=secrets)
    request["run"]["secrets"] = "withheld"
    seen = {}

    def look(inputs, context):
        seen.update(context.env)
        return inputs

    carry_out(request, action(look), around(secrets={"DB": "hunter2"}))
    assert seen == {"A": "", "B": "to "}


def test_a_reference_is_resolved_before_the_action_sees_it():
    blobs = Blobs()
    reference = blobs.put(None, "big", ["large"])
    request = call(inputs={"a/b": {"c": [0, None]}}, refs={"/inputs/a~1b/c/1": reference})
    envelope = carry_out(request, action(), around(blobs=blobs))
    assert envelope["outputs"] == {"a/b": {"c": [0, ["large"]]}}


def test_the_largest_outputs_go_by_reference_until_the_rest_fits():
    blobs = Blobs()
    request: Any = call(inputs={"small": "x" * 40, "large": "é" * 40, "kept": "x" * 30}, limit=95)
    request["inline"] = ["kept"]
    envelope = carry_out(request, action(), around(blobs=blobs))
    assert envelope["outputs"] == {"small": "x" * 40, "kept": "x" * 30}
    assert envelope["refs"] == {"large": {"bucket": "b", "key": "large", "bytes": 242}}
    assert blobs.kept == {"large": "é" * 40}


def test_an_output_that_the_machine_reads_may_not_be_too_large():
    with pytest.raises(errors.OutputTooLarge, match="'a'"):
        carry_out(call(inputs={"a": "x" * 99}, inline=["a"], limit=80), action(), around())


def test_derived_outputs_see_what_the_step_wrote_and_its_literals():
    request = call(inputs={"a": 1}, defaults={"b": 2}, derived={"c": "expression"})
    outputs = carry_out(request, action(), around())["outputs"]
    own = {"outputs": {"a": 1, "b": 2}, "status": "succeeded"}
    assert outputs["c"] == ["expression", {"steps": {"s": own}, "env": {}}]


def test_an_action_that_reads_files_gets_the_source_and_the_files_of_earlier_steps():
    seen = []

    def look(inputs, context):
        seen.extend(sorted(path.name for path in context.workspace.iterdir()))
        (context.workspace / "made").write_text("x")
        return inputs

    files = Files()
    request = call(files=["a", "b"], artifacts=["made"], defaults={"x": "made", "y": "elsewhere"})
    carry_out(request, action(look, reads_files=True), around(files=files))
    assert seen == ["a", "b", "source"]
    assert files.stored == ["made", "made"]


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ({}, 840),
        ({"timeout": 60}, 60),
        ({"timeout": 60, "deadline": "2026-01-01T12:00:10Z"}, 10),
        ({"timeout": 60, "deadline": None}, 60),
    ],
)
def test_an_attempt_has_until_its_timeout_or_the_deadline(fields, seconds):
    results, seen = Results(), []

    def look(inputs, context):
        seen.append(context.seconds)
        return inputs

    carry_out(call(**fields), action(look), around(results))
    assert seen == [seconds]
    assert results.attempt.lease == NOON + timedelta(seconds=seconds + 30)


def test_nothing_starts_after_the_deadline():
    results = Results()
    with pytest.raises(errors.DeadlinePassed, match=r"passed before 's' began$"):
        carry_out(call(deadline="2026-01-01T12:00:00Z"), action(), around(results))
    assert results.attempt is None


def test_a_call_of_a_newer_contract_is_refused():
    request = call()
    request["run"]["contract"] = 2
    with pytest.raises(errors.ValidationError, match="contract 2"):
        carry_out(request, action(), around())


def test_wrong_inputs_are_named():
    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        a: int

    strict = Action(name="x", inputs=Strict, outputs=Echo, run=lambda _inputs, _context: Echo())
    with pytest.raises(errors.ValidationError, match=r"^/inputs/a: .*; /inputs/b: "):
        carry_out(call(inputs={"b": 1}), strict, around())


def test_an_action_that_does_not_end_is_left_alone_and_in_doubt_unless_repeatable(monkeypatch):
    monkeypatch.setattr("functions.usecases.carry_out.GRACE_SECONDS", 0.05)
    for repeatable in (False, True):
        ending, results = threading.Event(), Results()

        def wait(inputs, _context, ending=ending):
            ending.wait()
            return inputs

        request = call(deadline="2026-01-01T12:00:00.010Z")
        with pytest.raises(errors.StepTimedOut, match=r"stopped after 0\.01 seconds"):
            carry_out(request, action(wait, repeatable=repeatable), around(results))
        ending.set()
        assert results.failed.in_doubt is not repeatable


def test_a_category_is_stored_and_raised_for_an_error_of_a_library():
    results = Results()

    def fail(_inputs, _context):
        raise ValueError("wrapped") from ConnectionRefusedError("no route")

    with pytest.raises(errors.NetworkError, match="wrapped"):
        carry_out(call(), action(fail), around(results))
    assert results.failed.type == "NetworkError"


def test_a_secret_shows_in_no_output_and_in_no_cause():
    def leak(inputs, context):
        if inputs.fails:
            raise KeyError(context.env["TOKEN"])
        return Echo(a=[f"x{context.env['TOKEN']}"])

    request: Any = call(
        env={"TOKEN": None}, secrets={"/env/TOKEN": [["text", "t-"], ["secret", "T"]]}
    )
    given = {"T": "hunter2"}
    envelope = carry_out(request | {"inputs": {"fails": False}}, action(leak), around(None, given))
    assert envelope["outputs"] == {"a": ["xt-***"]}
    with pytest.raises(errors.StepError) as raised:
        carry_out(request | {"inputs": {"fails": True}}, action(leak), around(None, given))
    assert raised.value.__suppress_context__
    assert "hunter2" not in str(raised.value)


def test_a_secret_that_is_not_there_is_named():
    request = call(env={"TOKEN": None}, secrets={"/env/TOKEN": "NOPE"})
    with pytest.raises(errors.ValidationError, match="'NOPE'"):
        carry_out(request, action(), around())


def test_every_wrong_input_is_listed_with_its_place():
    class Inner(BaseModel):
        n: int

    class Strict(BaseModel):
        items: list[Inner]
        name: str

    strict = Action(name="x", inputs=Strict, outputs=Echo, run=lambda _inputs, _context: Echo())
    results = Results()
    with pytest.raises(errors.ValidationError):
        carry_out(call(inputs={"items": [{"n": 1}, {"n": "a/b"}]}), strict, around(results))
    pointers = [detail["pointer"] for detail in results.failed.details]
    assert pointers == ["/inputs/items/1/n", "/inputs/name"]


def test_a_file_that_an_action_says_it_made_is_kept():
    def make(_inputs, context):
        (context.workspace / "made").write_text("x")
        return Echo(artifact="made")

    files = Files()
    carry_out(call(), action(make, files=("artifact",)), around(files=files))
    assert files.stored == ["made"]


def test_the_log_hears_of_the_begin_what_is_said_and_the_end():
    class Log:
        def __init__(self):
            self.heard = []

        def begun(self, call, action):
            self.heard.append((call["step"], action))

        def said(self, stream, text):
            self.heard.append((stream, text))

        def succeeded(self, envelope, _seconds):
            self.heard.append(envelope["status"])

        def failed(self, error, _seconds):
            self.heard.append(str(error))

    def fail(_inputs, _context):
        raise errors.ScriptFailed("no")

    def speak(inputs, context):
        context.logs.joinpath(f"attempt-{context.attempt}.stderr").write_text(
            f"my {context.env['TOKEN']}"
        )
        return inputs

    log = Log()
    secret = call(env={"TOKEN": None}, secrets={"/env/TOKEN": "T"})
    carry_out(secret, action(speak), around(None, {"T": "hunter2"}, log=log))
    with pytest.raises(errors.ScriptFailed):
        carry_out(call(), action(fail), around(log=log))
    assert log.heard == [("s", "echo"), ("stderr", "my ***"), "succeeded", ("s", "echo"), "no"]
