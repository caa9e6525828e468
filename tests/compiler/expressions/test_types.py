"""Types: joined, compared, shown, and read from JSON Schemas."""

from __future__ import annotations

import pytest
from hypothesis import given

from compiler.expressions.json_schema import from_json_schema
from compiler.expressions.types import (
    BOOLEAN,
    NULL,
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    accepts,
    join,
    optional,
    show,
    without_null,
)
from tests.differential.strategies import TYPES


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "string"}, TEXT),
        ({"type": "integer"}, NUMBER),
        ({"type": ["string", "null"]}, optional(TEXT)),
        ({"enum": ["a", 1]}, join(TEXT, NUMBER)),
        ({"const": True}, BOOLEAN),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, join(TEXT, NUMBER)),
        ({"type": "array", "items": {"type": "string"}}, ListOf(TEXT)),
        ({"type": "array"}, ListOf(UNKNOWN)),
        ({}, UNKNOWN),
        (True, UNKNOWN),
        (
            {
                "type": "object",
                "properties": {
                    "a": {"type": "string"},
                    "b": {"type": "number"},
                    "c": {"type": "boolean", "default": False},
                },
                "required": ["a"],
                "additionalProperties": False,
            },
            Record({"a": TEXT, "b": optional(NUMBER), "c": BOOLEAN}),
        ),
        (
            {"$ref": "#/$defs/tag", "$defs": {"tag": {"type": "string"}}},
            TEXT,
        ),
        ({"$ref": "#"}, UNKNOWN),
    ],
)
def test_json_schemas(schema, type_):
    """A property that need not be there may be null; endless references say nothing."""
    assert from_json_schema(schema) == type_


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (optional(TEXT), "text or null"),
        (join(NULL, TEXT), "text or null"),
        (ListOf(optional(NUMBER)), "list of (number or null)"),
        (Record({"a": TEXT}), "object with a"),
        (Record({}, open=True), "object"),
        (ListOf(UNKNOWN), "list"),
        (UNKNOWN, "anything"),
    ],
)
def test_types_are_shown_in_the_authors_words(type_, text):
    """No Python names in messages."""
    assert show(type_) == text


def test_joined_records_know_what_both_know():
    """A member that only one of them has may be missing."""
    joined = join(Record({"a": TEXT, "b": TEXT}), Record({"a": NUMBER}))
    assert joined == Record({"a": join(TEXT, NUMBER), "b": optional(TEXT)})


@pytest.mark.parametrize(
    ("target", "given_", "fits"),
    [
        (TEXT, NUMBER, False),
        (TEXT, UNKNOWN, True),
        (TEXT, optional(TEXT), False),
        (optional(TEXT), TEXT, True),
        (ListOf(TEXT), ListOf(NUMBER), False),
        (Record({"a": TEXT}), Record({"a": TEXT, "b": TEXT}), False),
        (Record({"a": TEXT}, open=True), Record({"a": TEXT, "b": TEXT}), True),
        (Record({"a": TEXT}), Record({}), False),
        (Record({"a": optional(TEXT)}), Record({}), True),
    ],
)
def test_what_may_stand_where(target, given_, fits):
    """Every value of the given type must fit."""
    assert accepts(target, given_) is fits


@given(TYPES, TYPES)
def test_a_joined_type_accepts_both(a, b):
    """Joining loses knowledge, never values."""
    assert accepts(join(a, b), a)
    assert accepts(join(a, b), b)
    assert accepts(a, without_null(a))
