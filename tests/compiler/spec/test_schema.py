"""The JSON Schema for editors says the same as the decoder, as far as it can."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from compiler.codes.spec import CODES
from compiler.document import Json, to_plain
from compiler.spec.schema import workflow_json_schema
from tests.compiler.spec.reading import as_workflow, document

ROOT = Path(__file__).parents[3]
ARTICLES = sorted((Path(__file__).parent / "articles").glob("*.yaml"))
VALIDATOR = Draft202012Validator(workflow_json_schema())
# What spans several keys, or the whole file, is the decoder's alone.
BEYOND = {
    "bad-action", "bad-cron", "bad-default", "bad-event-pattern", "bad-id", "bad-name",
    "bad-pattern", "bad-ref-pattern", "bad-reference", "bad-timezone",
    "conflicting-keys", "duplicate-step", "duplicate-trigger", "missing-key", "not-here",
}  # fmt: skip


def plain(text: str) -> Json:
    return to_plain(document(text)[0].root)


def test_the_file_in_the_repository_is_current():
    file = ROOT / "schema" / "workflow.schema.json"
    assert json.loads(file.read_text()) == workflow_json_schema()


def test_it_is_a_json_schema():
    Draft202012Validator.check_schema(workflow_json_schema())


@pytest.mark.parametrize("file", ARTICLES, ids=lambda file: file.stem)
def test_it_takes_the_examples_of_the_articles(file):
    assert list(VALIDATOR.iter_errors(plain(file.read_text()))) == []


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.slug)
def test_it_takes_what_is_right_and_refuses_what_is_wrong(code):
    assert VALIDATOR.is_valid(plain(code.right))
    assert VALIDATOR.is_valid(plain(code.wrong)) == (code.slug in BEYOND)


@pytest.mark.parametrize(
    "line",
    [
        "zzz: 1",
        "retry: {zzz: 1}",
        "retry: {backoff: {zzz: 1}}",
        "repeat: {until: x, zzz: 1}",
        "timeout: 30",
        "depends_on: null",
        "type: manual",
    ],
)
def test_it_refuses_what_a_script_step_does_not_take(line):
    assert not VALIDATOR.is_valid(plain(as_workflow(f"id: a\nrun: x\n{line}")))


def test_every_key_has_a_description():
    definitions = workflow_json_schema()["$defs"]
    assert isinstance(definitions, dict)
    for name, definition in definitions.items():
        assert isinstance(definition, dict)
        properties = definition.get("properties", {})
        assert isinstance(properties, dict)
        for key, value in properties.items():
            assert isinstance(value, dict)
            assert value.get("description"), f"{name}.{key}"
