from __future__ import annotations

import json

import pytest

from protocol.reading import read_json


@pytest.mark.parametrize(
    "text", ["null", "[1, 2.5, true]", '{"a": {"b": "NaN"}}', "-0.0", "1e308", "9" * 300]
)
def test_what_every_store_can_hold_is_read_as_python_does(text: str):
    assert read_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("NaN", "NaN is no number"),
        ("[-Infinity]", "-Infinity is no number"),
        ('{"a": 1e999}', "1e999 is too large"),
        ("-1e999", "too large"),
        ("9" * 400, "too large"),
        ("9" * 5_000, "too large"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_none_can_hold_is_refused(text: str, told: str):
    with pytest.raises(ValueError, match=told):
        read_json(text)


def test_what_is_no_json_is_refused_with_its_place():
    with pytest.raises(json.JSONDecodeError, match="line 2 column 1"):
        read_json("[1,\n}")
