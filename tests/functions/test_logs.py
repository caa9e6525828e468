"""What a function of an action logs: a JSON object a line, with the run, step and attempt."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from functions.domain.errors import ScriptFailed, StepInDoubt
from functions.logs import StepLog

CALL: Any = {"run": {"id": "run-1", "workflow": "w"}, "step": "s", "attempt": 2, "inputs": {"a": 1}}
ENVELOPE: Any = {"outputs": {"secret": "s3cret"}, "refs": {"big": {}}}


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
