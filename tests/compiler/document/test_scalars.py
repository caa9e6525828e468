"""What plain scalars mean: the YAML 1.2 core schema, and what older readers made of them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from compiler.diagnostics import Diagnostics
from compiler.document import Scalar, SourceFloat, SourceInt, read, to_plain
from compiler.source import Source


def only(text: str) -> tuple[Any, Diagnostics]:
    source = Source("flow.yaml", text)
    found = Diagnostics(source)
    (document,) = read(source, found)
    return to_plain(document.root), found


# (written, value); text where the value is the same text.
TABLE = [
    ("true", True),
    ("false", False),
    ("True", True),
    ("FALSE", False),
    ("yes", "yes"),
    ("no", "no"),
    ("NO", "NO"),
    ("on", "on"),
    ("off", "off"),
    ("y", "y"),
    ("null", None),
    ("~", None),
    ("", None),
    ("none", "none"),
    ("nULL", "nULL"),
    ("12", 12),
    ("-7", -7),
    ("+7", 7),
    ("0", 0),
    ("0o17", 15),
    ("0x1F", 31),
    ("0b11", "0b11"),
    ("0755", "0755"),
    ("-0755", "-0755"),
    ("012345670001", "012345670001"),
    ("012345678901", "012345678901"),
    ("123456789012", 123456789012),
    ("00.5", "00.5"),
    ("12:30", "12:30"),
    ("09:30", "09:30"),
    ("1:2:3", "1:2:3"),
    ("2026-11-29", "2026-11-29"),
    ("2026-11-29T10:00:00Z", "2026-11-29T10:00:00Z"),
    ("1_000", "1_000"),
    ("1,000", "1,000"),
    ("3.10", 3.1),
    ("1.", 1.0),
    (".5", 0.5),
    ("1e3", 1000.0),
    ("1.0e3", 1000.0),
    ("1.2.3", "1.2.3"),
    (".", "."),
    ("+", "+"),
    ("e3", "e3"),
    ("15m", "15m"),
    ("=", "="),
    ("'12'", "12"),
    ('"true"', "true"),
    ("'~'", "~"),
    ("!!str 12", "12"),
    ("! 12", "12"),
    ("!!int '12'", 12),
]


@pytest.mark.parametrize(("written", "value"), TABLE, ids=[row[0] or "nothing" for row in TABLE])
def test_a_scalar_means(written: str, value: object) -> None:
    plain, found = only(f"x: {written}\n")
    assert plain == {"x": value}
    assert isinstance(plain["x"], type(value))
    assert not found.has_errors


@pytest.mark.parametrize("key", ["on", "yes", "true", "null", "12", "3.10", "~", "1e3", "0x1F"])
def test_a_key_is_always_text(key: str) -> None:
    plain, found = only(f"{key}: 1\n{{}}".removesuffix("{}"))
    assert plain == {key: 1}
    assert not found.has_errors


@pytest.mark.parametrize(
    "written", [".inf", "-.inf", "+.INF", ".nan", ".NaN", "1e400", "9" * 400, "0x" + "f" * 300]
)
def test_numbers_that_json_cannot_hold_are_refused(written: str) -> None:
    plain, found = only(f"x: {written}\ny: 1\n")
    assert [(d.code, d.span.start) for d in found] == [("number-not-finite", 3)]
    assert plain == {"x": written, "y": 1}


def test_numbers_keep_how_they_were_written() -> None:
    plain, _ = only("a: 3.10\nb: 0x1F\nc: 1e3\n")
    assert [plain[key].text for key in "abc"] == ["3.10", "0x1F", "1e3"]
    assert isinstance(plain["a"], SourceFloat)
    assert isinstance(plain["b"], SourceInt)


@pytest.mark.parametrize("number", [SourceInt(31, "0x1F"), SourceFloat(3.1, "3.10")])
def test_copies_of_numbers_keep_how_they_were_written(number) -> None:
    for again in (copy.deepcopy(number), pickle.loads(pickle.dumps(number))):
        assert again == number
        assert again.text == number.text


def test_every_key_and_value_knows_its_place() -> None:
    source = Source(
        "flow.yaml", "é: 1\nsteps:\n  - id: 'a b'\n    run: |\n      x\n  - [1, {k: v}]\n"
    )
    (document,) = read(source, Diagnostics(source))
    text = source.text

    def at(*path: str | int) -> str:
        node = document.find(path)
        assert node is not None
        return text[node.span.start : node.span.end]

    assert at("é") == "1"
    assert at("steps", 0, "id") == "'a b'"
    assert at("steps", 0, "run") == "|\n      x"
    assert at("steps", 0) == "id: 'a b'\n    run: |\n      x"
    assert at("steps", 1) == "[1, {k: v}]"
    assert at("steps", 1, 1, "k") == "v"
    assert at("steps").startswith("- id")
    assert source.line_column(document.nearest(("steps", 1, 1, "k")).span.start) == (6, 13)


def test_a_missing_value_has_an_empty_place_behind_its_colon() -> None:
    source = Source("flow.yaml", "a:   \nb: 1\n")
    (document,) = read(source, Diagnostics(source))
    node = document.find(("a",))
    assert isinstance(node, Scalar)
    assert (node.value, node.span.start, node.span.end) == (None, 2, 2)
