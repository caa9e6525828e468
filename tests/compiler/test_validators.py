"""What the compiler emits is accepted: by every validator there is, for machines of every kind."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import boto3
import pytest
import sfnx.testing
from cfnlint.config import ConfigMixIn
from cfnlint.decode.mark import Mark
from cfnlint.decode.node import dict_node, list_node, str_node
from cfnlint.rules import RulesCollection
from cfnlint.runner import Runner, run_template_by_data
from moto import mock_aws
from statelint.linter import Linter

from tests.asl_player import check
from tests.compiler.corpus import MADE_UP, definitions
from tests.golden.project import ROOT

ROLE = "arn:aws:iam::123456789012:role/machine"

# Where AWS takes an expression in JSONata mode, and a validator knows only a constant. Nothing
# else that they find is passed over.
# https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html
FALSE_FINDINGS_OF_STATELINT = (
    (r"\.TimeoutSeconds is \"{% .* %}\" but should be an Integer", "a deadline is computed"),
    (r"\.Seconds is \"{% .* %}\" but should be an Integer", "a wait may be computed"),
    (r"\.Timestamp is \"{% .* %}\" but should be an RFC3339 timestamp", "a wait may be computed"),
)
FALSE_FINDINGS_OF_CFN_LINT = (
    (
        "TimeoutSeconds",
        r"['\"]{% .* %}['\"] is not of type '(integer|number)'",
        "a deadline is computed",
    ),
)

CFN_LINT_RULES = ("E1001", "E1101", "E3001", "E3002", "E3601")
"""E3601 looks at definitions; the others lead it there. All of them take five times as long."""


@pytest.fixture(scope="module")
def machines() -> dict[str, Any]:
    """Return the corpus, as JSON has it."""
    found: dict[str, Any] = json.loads(json.dumps(definitions()))
    assert len(found) > MADE_UP
    return found


def test_asl_validator_finds_nothing(machines: dict[str, Any]):
    folder = ROOT / "node_modules" / "asl-validator"
    asked = subprocess.run(
        ["node", str(Path(__file__).with_name("asl_validate.js")), str(folder)],
        input=json.dumps({**machines, "bad": _spoilt(machines)}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert list(json.loads(asked.stdout)) == ["bad"], asked.stdout[:2000]


def test_sfnx_finds_nothing(machines: dict[str, Any]):
    for name, definition in machines.items():
        try:
            sfnx.testing.check(definition)
        except Exception as error:  # noqa: BLE001 - said with the machine's name
            pytest.fail(f"{name}: {error}")
    with pytest.raises((sfnx.testing.InvalidDefinition, sfnx.testing.Unsupported)):
        sfnx.testing.check(_spoilt(machines))


def test_the_player_finds_nothing(machines: dict[str, Any]):
    found = {name: check(definition) for name, definition in machines.items()}
    assert {name: problems for name, problems in found.items() if problems} == {}
    assert check(_spoilt(machines))


def test_moto_creates_them(machines: dict[str, Any]):
    with mock_aws():
        client = boto3.client("stepfunctions")
        for name, definition in machines.items():
            created = client.create_state_machine(
                name=name, definition=json.dumps(definition), roleArn=ROLE
            )
            assert created["stateMachineArn"].endswith(name)


def test_statelint_finds_nothing_but_what_is_known_to_be_false(machines: dict[str, Any]):
    false = [re.compile(pattern, re.DOTALL) for pattern, _ in FALSE_FINDINGS_OF_STATELINT]
    found = [
        f"{name}: {problem}"
        for name, definition in machines.items()
        for problem in Linter.validate(definition)
        if not any(pattern.search(problem) for pattern in false)
    ]
    assert found == []
    assert Linter.validate(_spoilt(machines))


def test_cfn_lint_finds_nothing_but_what_is_known_to_be_false(machines: dict[str, Any]):
    asked = {**machines, "bad": _spoilt(machines)}
    names = {f"M{at}": name for at, name in enumerate(asked)}
    resources = {
        key: {
            "Type": "AWS::StepFunctions::StateMachine",
            "Properties": {"RoleArn": ROLE, "Definition": asked[name]},
        }
        for key, name in names.items()
    }
    template = {"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources}
    config = ConfigMixIn(regions=["eu-central-1"])
    rules = RulesCollection()
    for rule in Runner(config).rules.values():
        if rule.id in CFN_LINT_RULES:
            rules.register(rule)
    found = [
        (names[str(match.path[1])], str(match.path[-1]), match.message)
        for match in run_template_by_data(_nodes(template), config, rules)
        if not _is_false(str(match.path[-1]), match.message)
    ]
    assert [finding for finding in found if finding[0] != "bad"] == []
    assert found


def _is_false(field: str, message: str) -> bool:
    return any(
        field == known and re.fullmatch(pattern, message, re.DOTALL)
        for known, pattern, _ in FALSE_FINDINGS_OF_CFN_LINT
    )


def _nodes(value: Any) -> Any:
    """Return plain data as cfn-lint reads it from a file, without the time YAML takes."""
    here = Mark(0, 0)
    if isinstance(value, dict):
        items = {str_node(key, here, here): _nodes(item) for key, item in value.items()}
        return dict_node(items, here, here)
    if isinstance(value, list):
        return list_node([_nodes(item) for item in value], here, here)
    return str_node(value, here, here) if isinstance(value, str) else value


def _spoilt(machines: dict[str, Any]) -> Any:
    """Return a machine with a fault that each validator has to find."""
    spoilt = json.loads(json.dumps(next(iter(machines.values()))))
    spoilt["States"]["Start"] |= {"Next": "Nowhere", "Typo": 1}
    return spoilt
