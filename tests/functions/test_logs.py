"""What a function of an action logs, counts and traces, with the run and the step."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import Any

import pytest
from aws_lambda_powertools.tracing import Tracer
from aws_xray_sdk import global_sdk_config
from aws_xray_sdk.core import xray_recorder
from aws_xray_sdk.core.lambda_launcher import LambdaContext

from functions import logs
from functions.domain.errors import ScriptFailed, StepInDoubt
from functions.logs import ApiLog, StepLog

CALL: Any = {"run": {"id": "run-1", "workflow": "w"}, "step": "s", "attempt": 2, "inputs": {"a": 1}}
ENVELOPE: Any = {"outputs": {"secret": "s3cret"}, "refs": {"big": {}}}
TRACE = "1-5759e988-bd862e3fe1be46a994272793"
LOADED = """
import sys
from functions.logs import StepLog

call = {"run": {"id": "run-1", "workflow": "w"}, "step": "s", "attempt": 1, "inputs": {}}
log = StepLog()
log.begun(call, "run")
log.succeeded({}, 1)
print([name for name in sys.modules if name.startswith("aws_xray_sdk")])
"""


@pytest.fixture(autouse=True)
def fresh_logger():
    """Powertools makes a logger once in a process, with the stdout of that moment."""
    logging.Logger.manager.loggerDict.pop("stepsmith", None)


def lines(capsys) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_every_line_says_whose_it_is_and_holds_no_inputs_or_outputs(capsys):
    log = StepLog("prod")
    log.begun(CALL, "run")
    log.said("stdout", "hello")
    log.succeeded(ENVELOPE, 1.5)
    begun, said, succeeded, metric = lines(capsys)
    assert (said["stream"], said["text"]) == ("stdout", "hello")
    for line in (begun, said, succeeded):
        assert (line["service"], line["run_id"], line["step_id"], line["attempt"]) == (
            "stepsmith", "run-1", "s", 2,
        )  # fmt: skip
    assert (succeeded["seconds"], succeeded["by_reference"]) == (1.5, ["big"])
    assert "s3cret" not in json.dumps([begun, succeeded])
    assert (metric["Succeeded"], metric["Duration"], metric["action"], metric["stage"]) == (
        [1.0], [1.5], "run", "prod",
    )  # fmt: skip


def test_failures_and_doubts_are_told_and_counted_apart(capsys):
    log = StepLog()
    log.begun(CALL, "run")
    log.failed(ScriptFailed("no"), 1)
    log.begun(CALL | {"step": "t"}, "notify")
    log.failed(StepInDoubt("who knows"), 1)
    found = lines(capsys)
    failed, doubt = (line for line in found if line.get("message") == "attempt failed")
    assert (failed["error_type"], failed["error"], failed["in_doubt"]) == (
        "ScriptFailed",
        "no",
        False,
    )
    assert (doubt["step_id"], doubt["in_doubt"]) == ("t", True)
    assert [line["action"] for line in found if "Failed" in line or "InDoubt" in line] == [
        "run",
        "notify",
    ]


class Daemon:
    """Takes what the X-Ray daemon would get, in the place of a socket to it."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send_entity(self, entity) -> None:
        self.sent.append(json.loads(entity.serialize()))


@pytest.fixture(scope="module", autouse=True)
def closed_socket():
    """The SDK opens a socket to the daemon as it is imported, and never closes it."""
    xray_recorder.emitter._socket.close()


@pytest.fixture
def daemon(monkeypatch):
    """The X-Ray daemon of a Lambda environment."""
    daemon = Daemon()
    monkeypatch.setenv("LAMBDA_TASK_ROOT", "/var/task")
    monkeypatch.delenv("POWERTOOLS_TRACE_DISABLED", raising=False)
    monkeypatch.setattr(xray_recorder, "context", LambdaContext())
    monkeypatch.setattr(xray_recorder, "emitter", daemon)
    enabled = global_sdk_config.sdk_enabled()
    global_sdk_config.set_sdk_enabled(True)
    Tracer._reset_config()
    logs._made.cache_clear()
    yield daemon
    logs._made.cache_clear()
    Tracer._reset_config()
    global_sdk_config.set_sdk_enabled(enabled)


def called(monkeypatch, parent: str, sampled: int = 1) -> None:
    """Do as Lambda does at each call: say where in which trace it belongs."""
    header = f"Root={TRACE};Parent={parent};Sampled={sampled};Lineage=1:a87bd80c:0"
    monkeypatch.setenv("_X_AMZN_TRACE_ID", header)


def test_an_attempt_is_a_subsegment_that_can_be_found_by_run_step_and_outcome(daemon, monkeypatch):
    called(monkeypatch, "53995c3f42cd8ad8")
    log = StepLog()
    log.begun(CALL, "http-request")
    assert daemon.sent == []
    log.succeeded(ENVELOPE, 1.5)
    (sent,) = daemon.sent
    assert (sent["name"], sent["trace_id"], sent["parent_id"]) == (
        "http-request", TRACE, "53995c3f42cd8ad8",
    )  # fmt: skip
    assert sent["annotations"] == {
        "run_id": "run-1",
        "workflow": "w",
        "step_id": "s",
        "outcome": "succeeded",
    }
    assert "fault" not in sent
    assert "s3cret" not in json.dumps(sent)


def test_a_failed_attempt_is_a_fault_and_one_in_doubt_says_so(daemon, monkeypatch):
    called(monkeypatch, "53995c3f42cd8ad8")
    log = StepLog()
    for error in (ScriptFailed("no"), StepInDoubt("who knows")):
        log.begun(CALL, "run")
        log.failed(error, 1)
    assert [sent["annotations"]["outcome"] for sent in daemon.sent] == ["failed", "in doubt"]
    assert all(sent["fault"] for sent in daemon.sent)
    assert [
        (cause["type"], cause["message"], cause.get("stack"))
        for sent in daemon.sent
        for cause in sent["cause"]["exceptions"]
    ] == [("ScriptFailed", "no", None), ("StepInDoubt", "who knows", None)]


def test_calls_of_one_execution_share_a_trace_and_each_keeps_its_own_subsegment(
    daemon, monkeypatch
):
    """The first call is cut off: its subsegment stays open, and no other ends up below it."""
    log = StepLog()
    called(monkeypatch, "1111111111111111")
    log.begun(CALL, "run")
    for parent in ("2222222222222222", "3333333333333333"):
        called(monkeypatch, parent)
        log.begun(CALL, "run")
        log.succeeded(ENVELOPE, 1)
    assert [sent["parent_id"] for sent in daemon.sent] == ["2222222222222222", "3333333333333333"]


def test_calls_that_are_not_sampled_or_told_not_to_are_not_traced(daemon, monkeypatch):
    log = StepLog()
    called(monkeypatch, "1111111111111111", sampled=0)
    log.begun(CALL, "run")
    log.succeeded(ENVELOPE, 1)
    called(monkeypatch, "2222222222222222")
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "true")
    log.begun(CALL, "run")
    log.failed(ScriptFailed("no"), 1)
    assert (daemon.sent, logs._made.cache_info().misses) == ([], 0)


def test_calls_without_a_trace_never_load_the_sdk_of_x_ray(monkeypatch):
    monkeypatch.delenv("_X_AMZN_TRACE_ID", raising=False)
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_call_of_the_api_is_logged_and_a_fault_without_its_text(capsys):
    log = ApiLog("prod")
    log.answered("request-1", "GET", "/api/tasks", 200, 0.1)
    try:
        raise ValueError("s3cret")
    except ValueError as error:
        log.fault("request-2", "/api/tasks", error)
    log.lacking("request-3", "/api/webhooks/x", "the stage has no secret 'hook'")
    answered, fault, lacking = lines(capsys)
    assert (answered["route"], answered["status"], answered["stage"]) == ("/api/tasks", 200, "prod")
    assert (fault["error_type"], fault["request_id"]) == ("ValueError", "request-2")
    assert "test_logs.py" in fault["at"][-1]
    assert "s3cret" not in json.dumps(fault)
    told = (lacking["level"], lacking["message"], lacking["what"])
    assert told == ("ERROR", "lacking", "the stage has no secret 'hook'")


def test_logs_of_two_stages_in_one_process_do_not_mix(capsys):
    StepLog("one")
    log = StepLog("two")
    log.begun(CALL, "run")
    log.succeeded(ENVELOPE, 1.0)
    assert '"stage":"two"' in capsys.readouterr().out.replace(" ", "")
