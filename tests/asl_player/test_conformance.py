"""The player gives what AWS gives, on the machines of the conformance list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.asl_player import Rejected, play
from tests.asl_player.fake_lambda import FakeLambda

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "conformance.json").read_text(encoding="utf-8")
)

# Cases whose answer comes from another service than Lambda: here a stub would give it, so
# they say nothing about the player. The list is closed: every other case must pass.
ASKS_A_SERVICE = {
    "ddb_cond_fail_sdk": "DynamoDB evaluates the condition",
    "ddb_cond_fail_opt": "DynamoDB evaluates the condition",
    "ddb_no_table_sdk": "DynamoDB looks for the table",
    "events_put_bad": "EventBridge refuses the entry",
    "sqs_send": "SQS gives the message id",
    "sdk_sfn_describe": "the Step Functions API describes the run",
    "sdk_sfn_bad_token": "the Step Functions API refuses the token",
    "codebuild_sync": "CodeBuild looks for the project",
}


def conform(case: dict[str, Any]) -> tuple[str, Any]:
    """Play a case; return what came of it in the list's own terms."""
    try:
        played = play(case["definition"], case["input"], FakeLambda(), name="N", machine="SM")
    except Rejected:
        return "error", "rejected at create"
    if played.status == "SUCCEEDED":
        return "output", played.output
    return "error", "execution timed out" if played.status == "TIMED_OUT" else played.error


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case["name"]) for case in CASES if case["name"] not in ASKS_A_SERVICE],
)
def test_a_machine_ends_as_on_aws(case: dict[str, Any]) -> None:
    kind, value = conform(case)
    if "output" in case:
        wanted = json.loads(json.dumps(case["output"]).replace("@NAME", "N").replace("@SM", "SM"))
        assert (kind, value) == ("output", wanted)
        assert type(value) is type(wanted)
    else:
        assert kind == "error"
        assert value in case["error"]


def test_the_cases_left_out_are_in_the_list() -> None:
    assert ASKS_A_SERVICE.keys() <= {case["name"] for case in CASES}
    assert len(CASES) - len(ASKS_A_SERVICE) == 76
