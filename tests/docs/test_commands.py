"""The commands on the pages for operators are there, with these options: ours, and AWS's."""

from __future__ import annotations

import importlib
from typing import Any

import botocore.session
import pytest
from botocore import xform_name

from cli.commands.table import COMMANDS
from cli.console import Misuse
from cli.parser import Parser
from tests.docs.commands import commands, mentions
from tests.docs.pages import ROOT

PAGES = ("deployment", "operations", "resume", "security")
OF_AWS_ALONE = {
    ("logs", "tail"): {"--since", "--filter-pattern"},
}
"""What the command `aws` makes of several calls:
https://docs.aws.amazon.com/cli/latest/reference/logs/tail.html"""
_ANYWHERE = {"--query", "--output", "--region", "--profile"}


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def parser_of(command: str) -> Parser:
    parser = Parser(command, "", ())
    module: Any = importlib.import_module(COMMANDS[command].module)
    module.add_arguments(parser)
    return parser


def wrong_with(words: list[str]) -> str | None:
    """Return what is wrong with a call of ours."""
    command, *rest = words[1:]
    if command not in COMMANDS:
        return f"there is no {command}"
    try:
        parser_of(command).parse_args(rest)
    except Misuse as misuse:
        return str(misuse)
    return None


def unknown_in(words: list[str]) -> list[str]:
    """Return the options of a call of ours that are not there."""
    known = parser_of(words[1])._option_string_actions
    return [word for word in words[2:] if word.startswith("-") and word not in known]


def wrong_with_aws(words: list[str]) -> str | None:
    """Return what is wrong with a call of `aws`, by the models that boto has of its services."""
    service, operation, *rest = words[1:]
    options = {word for word in rest if word.startswith("--")}
    if (service, operation) in OF_AWS_ALONE:
        known = OF_AWS_ALONE[service, operation]
    else:
        model = botocore.session.get_session().get_service_model(_service(service))
        operations = {xform_name(name, "-"): name for name in model.operation_names}
        if operation not in operations:
            return f"{service} has no {operation}"
        shape = model.operation_model(operations[operation]).input_shape
        members = {} if shape is None else shape.members
        known = {f"--{xform_name(name, '-')}" for name in members}
        required = () if shape is None else shape.required_members
        lacking = {f"--{xform_name(name, '-')}" for name in required} - options
        if lacking:
            return f"{service} {operation} lacks {sorted(lacking)}"
    unknown = options - known - _ANYWHERE
    return f"{service} {operation} has no {sorted(unknown)}" if unknown else None


def _service(name: str) -> str:
    """Return what boto calls a service of `aws`."""
    return {"s3api": "s3"}.get(name, name)


@pytest.mark.parametrize("name", PAGES)
def test_commands_of_ours_are_there_with_these_options(name):
    found = {
        f"{name}.md:{line}: {' '.join(words)}": why
        for line, words in commands(page(name), "stepsmith")
        if (why := wrong_with(words)) is not None
    }
    for words in mentions(page(name), "stepsmith"):
        if words[1] not in COMMANDS or unknown_in(words):
            found[" ".join(words)] = "there is no such command, or no such option"

    assert found == {}


@pytest.mark.parametrize("name", PAGES)
def test_commands_of_aws_are_there_with_these_options(name):
    shown = [words for _, words in commands(page(name), "aws")]
    shown += [words for words in mentions(page(name), "aws") if len(words) > 3]
    wrong = {" ".join(words): why for words in shown if (why := wrong_with_aws(words)) is not None}

    assert wrong == {}


def test_the_page_of_operations_shows_each_command_that_works_on_a_stage():
    """And so this file looks at something."""
    shown = {words[1] for _, words in commands(page("operations"), "stepsmith")}
    on_stages = {name for name in COMMANDS if "--on" in parser_of(name)._option_string_actions}

    assert on_stages - {"approve", "reject", "run"} <= shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("stepsmith resum RUN", "there is no resum"),
        ("stepsmith resume RUN --force", "--force"),
        ("stepsmith prune --newest 3", "--on"),
        ("stepsmith runs | stepsmith nope", "there is no nope"),
    ],
)
def test_a_command_of_ours_that_is_not_there_is_noticed(text, told):
    found = [wrong_with(words) for _, words in commands(f"```sh\n{text}\n```\n", "stepsmith")]

    assert any(told in (why or "") for why in found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("aws dynamodb restore-tables --table-name x", "has no restore-tables"),
        ("aws sqs receive-message --queue-url Q --maximum 3", "--maximum"),
        ("aws sqs delete-message --queue-url Q", "lacks ['--receipt-handle']"),
        ("aws logs tail --follows", "--follows"),
    ],
)
def test_a_command_of_aws_that_is_not_there_is_noticed(text, told):
    found = [wrong_with_aws(words) for _, words in commands(f"```sh\n{text}\n```\n", "aws")]

    assert any(told in (why or "") for why in found)
