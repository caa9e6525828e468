"""Documents, keys, aliases, limits and encodings."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import pytest

from compiler.codes.document import CODES
from compiler.diagnostics import Diagnostic, Diagnostics
from compiler.document import (
    Document,
    Lost,
    Scalar,
    Sequence,
    limits,
    only,
    read,
    source_from_bytes,
    to_plain,
    walk,
)
from compiler.document import parser as parsing
from compiler.source import Source


def only_one(text: str) -> tuple[Document | None, list[Diagnostic]]:
    """Return the document of a text that holds one workflow, and what was said."""
    found = Diagnostics(Source("flow.yaml", text))
    documents = read(found.source, found)
    return (only(documents, found) if documents else None), list(found)


def load(text: str) -> tuple[tuple[Document, ...], list[tuple[str, tuple[int, int]]], Diagnostics]:
    source = Source("flow.yaml", text)
    found = Diagnostics(source)
    documents = read(source, found)
    places = [(d.code, source.line_column(d.span.start)) for d in found]
    return documents, places, found


def test_each_document_of_a_file_is_returned() -> None:
    documents, found, _ = load("a: 1\n---\nb: 2\n...\n---\n- 3\n")
    assert [to_plain(d.root) for d in documents] == [{"a": 1}, {"b": 2}, [3]]
    assert not found


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "\ufeff"])
def test_a_file_without_a_document_is_reported(text: str) -> None:
    documents, found, _ = load(text)
    assert documents == ()
    assert found == [("empty-file", (1, 1))]


# Keys


def test_duplicate_keys_are_reported_at_every_level_with_both_places() -> None:
    _, places, found = load("a: 1\nb:\n  - {c: 1, d: 2, c: 3}\na: 2\n'a': 3\n")
    assert places == [
        ("duplicate-key", (3, 18)),
        ("duplicate-key", (4, 1)),
        ("duplicate-key", (5, 1)),
    ]
    assert [d.labels[0].span.start for d in found] == [13, 0, 0]


def test_keys_are_the_same_after_unicode_normalisation() -> None:
    _, places, _ = load("caf\u00e9: 1\ncafe\u0301: 2\n")
    assert places == [("duplicate-key", (2, 1))]


def test_a_written_key_overrides_a_merged_one_and_earlier_merges_win() -> None:
    documents, places, _ = load(
        "a: &a {x: 1, y: 2}\nb: &b {x: 3, z: 4}\nc:\n  y: 9\n  <<: [*a, *b]\nd:\n  <<: *b\n"
    )
    assert not places
    plain: Any = to_plain(documents[0].root)
    assert plain["c"] == {"x": 1, "y": 9, "z": 4}
    assert plain["d"] == {"x": 3, "z": 4}


@pytest.mark.parametrize("value", ["text", "[1]", "[{a: 1}, 2]", ""])
def test_only_mappings_are_merged(value: str) -> None:
    _, places, _ = load(f"a:\n  <<: {value}\n  b: 1\n")
    assert [code for code, _ in places] == ["merge-not-mapping"]


def test_a_quoted_merge_key_is_a_key() -> None:
    documents, places, _ = load("'<<': 1\n")
    assert not places
    assert to_plain(documents[0].root) == {"<<": 1}


@pytest.mark.parametrize("text", ["? [a, b]\n: 1\n", "{{a: 1}: 2}\n", "x: {{ y }}\n"])
def test_a_key_is_text(text: str) -> None:
    _, places, _ = load(text)
    assert [code for code, _ in places] == ["key-not-text"]


def test_braces_without_a_dollar_are_taken_for_a_missing_value() -> None:
    documents, _, found = load("a: {{ x.y }}\nb: 1\n")
    assert to_plain(documents[0].root) == {"a": "{{ x.y }}", "b": 1}
    lost = documents[0].find(("a",))
    assert isinstance(lost, Scalar)
    assert isinstance(lost.value, Lost)
    assert [d.help for d in found] == ["write ${{ x.y }}"]


# Aliases


def test_modest_anchors_work_and_copies_are_separate() -> None:
    documents, places, _ = load("a: &a {x: [1]}\nb: *a\nc: [*a, *a]\n*k : v\n".replace("*k ", "k "))
    assert not places
    plain: Any = to_plain(documents[0].root)
    plain["b"]["x"].append(2)
    assert plain["a"] == {"x": [1]}
    assert plain["c"] == [{"x": [1]}, {"x": [1]}]
    assert documents[0].find(("b",)) is documents[0].find(("a",))


def test_an_alias_as_a_key_is_text() -> None:
    documents, _, _ = load("a: &k 12\n*k : v\n")
    assert to_plain(documents[0].root) == {"a": 12, "12": "v"}


@pytest.mark.parametrize(
    ("text", "place"), [("a: &a [*a]\n", (1, 8)), ("a: &a\n  b:\n    - *a\n", (3, 7))]
)
def test_a_value_cannot_contain_itself(text: str, place: tuple[int, int]) -> None:
    _, places, _ = load(text)
    assert places == [("recursive-alias", place)]


def test_an_alias_needs_an_anchor_in_its_own_document() -> None:
    _, places, _ = load("a: &a 1\n---\nb: *a\n")
    assert places == [("unknown-alias", (3, 4))]


# Limits: a few bytes that would grow to millions of nodes, and files that are simply huge.

BOMB = "a0: &x0 [0, 0, 0, 0, 0, 0, 0, 0, 0]\n" + "".join(
    f"a{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 9)
)
MERGES = "m0: &m0 {k: 1}\n" + "".join(
    f"m{n}: &m{n}\n  <<: *m{n - 1}\n  k{n}: 1\n" for n in range(1, 1001)
)
DEEP_BY_ALIAS = "a0: &x0 [1]\n" + "".join(
    f"a{n}: &x{n} {'[' * 50}*x{n - 1}{']' * 50}\n" for n in range(1, 60)
)


def timed(text: str) -> float:
    """Return the seconds of CPU time that reading a text takes."""
    began = time.process_time()
    load(text)
    return time.process_time() - began


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BOMB, "document-too-large"),
        (MERGES, "document-too-large"),
        ("a: &a 1\nb: [" + "*a, " * 20_000 + "]\n", "document-too-large"),
        ("[" * 10_000, "document-too-deep"),
        ("- " * 10_000 + "a", "document-too-deep"),
        ("{a: " * 10_000, "document-too-deep"),
        ("".join(" " * n + "a:\n" for n in range(1_000)), "document-too-deep"),
        (DEEP_BY_ALIAS, "document-too-deep"),
        ("a: " + "x" * 50_000_000, "document-too-large"),
    ],
    ids=[
        "aliases",
        "merges",
        "many-aliases",
        "brackets",
        "dashes",
        "braces",
        "lines",
        "deep-by-alias",
        "50MB",
    ],
)
def test_bombs_are_refused_quickly_and_in_little_memory(text: str, code: str) -> None:
    documents, places, _ = load(text)
    assert [found for found, _ in places] == [code]
    assert documents == ()
    # the best of several: this machine may be busy with something else
    assert min(timed(text) for _ in range(5)) < 0.1
    tracemalloc.start()
    try:
        load(text)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_more_keys_and_values_than_a_workflow_can_have_are_refused(monkeypatch) -> None:
    monkeypatch.setattr(limits, "MAX_NODES", 1_000)
    _, places, _ = load("- a\n" * 2_000)
    assert places == [("document-too-large", (1000, 3))]


def test_a_thousand_uses_of_one_anchor_are_fine() -> None:
    text = "retry: &r {max_attempts: 3, delay: 1s}\nsteps:\n" + "  - {<<: *r, a: b}\n" * 1_000
    documents, places, _ = load(text)
    assert not places
    steps = documents[0].find(("steps",))
    assert isinstance(steps, Sequence)
    assert len(steps.items) == 1_000


def test_ninety_levels_are_fine() -> None:
    documents, places, _ = load("[" * 90 + "]" * 90)
    assert not places
    assert sum(1 for _ in walk(documents[0].root)) == 90


# Bytes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_bytes_are_read_by_their_byte_order_mark(encoding: str) -> None:
    source, found = source_from_bytes("é: 😀\n".encode(encoding), "flow.yaml")
    assert source.text == "é: 😀\n"
    assert not found.has_errors


def test_a_big_endian_mark_is_known() -> None:
    source, _ = source_from_bytes(b"\xfe\xff" + "a: é".encode("utf-16-be"), "flow.yaml")
    assert source.text == "a: é"


def test_bytes_that_are_no_text_are_reported_at_their_places() -> None:
    source, found = source_from_bytes(b"a: caf\xe9\nb: \xc3\xa9 \xff\n", "flow.yaml")
    assert [source.line_column(d.span.start) for d in found] == [(1, 7), (2, 6)]
    assert {d.code for d in found} == {"unreadable-character"}
    (document,) = read(source, found)
    assert to_plain(document.root) == {"a": "caf\ufffd", "b": "é \ufffd"}


def test_half_a_utf16_character_is_reported() -> None:
    source, found = source_from_bytes(b"\xff\xfea\x00:\x00 \x00b", "flow.yaml")
    assert [d.code for d in found] == ["unreadable-character"]
    assert source.text == "a: \ufffd"


def test_a_file_of_many_megabytes_is_not_decoded() -> None:
    source, found = source_from_bytes(b"\xff" * (limits.MAX_SIZE + 1), "flow.yaml")
    assert source.text == ""
    assert [d.code for d in found] == ["document-too-large"]


@pytest.mark.parametrize("bad", ["\x00", "\x07", "\x7f", "\x85", "\u2028", "\ud800", "\ufffe"])
def test_characters_that_yaml_cannot_hold_are_reported_and_the_rest_is_read(bad: str) -> None:
    documents, places, _ = load(f"é: 'x{bad}y'\nb: 1\nb: 2\n")
    assert places == [("unreadable-character", (1, 6)), ("duplicate-key", (3, 1))]
    plain: Any = to_plain(documents[0].root)
    assert plain["b"] == 1


def test_an_invisible_blank_in_a_key_is_reported() -> None:
    _, places, _ = load("steps:\n  - id: a\n    \u00a0run: x\n")
    assert places == [("unreadable-character", (3, 5))]


# Both parsers


def test_the_parser_in_python_gives_the_same(monkeypatch) -> None:
    text = "\ufeffé: &a [1, 'b''c', \"d\\n\"]\nf: |\n  g\n  h\n\ni: {j: *a}\nk: x\n  y\n"
    fast, _, _ = load(text)
    monkeypatch.setattr(parsing, "_PARSER", parsing.PythonParser)
    slow, places, _ = load(text)
    assert not places
    assert slow == fast


# The table of codes


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.slug)
def test_the_wrong_example_gives_its_code_and_the_right_one_nothing(code) -> None:
    assert [found.code for found in only_one(code.wrong)[1]] == [code.slug]
    document, found = only_one(code.right)
    assert document is not None
    assert not found


# Several documents


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("a: 1\n---\nb: 2\n---\n- 3\n", [9, 18]),
        ("---\na: 1\n---\n", []),
        ("---\n---\na: 1\n...\n", []),
        ("a: 1\n", []),
    ],
)
def test_one_file_holds_one_workflow(text: str, places: list[int]) -> None:
    """Every document after the first that holds something is reported at its first key."""
    document, found = only_one(text)
    assert document is not None
    assert to_plain(document.root) == {"a": 1}
    assert [(d.code, d.span.start) for d in found] == [("second-workflow", at) for at in places]


# What was not read


@pytest.mark.parametrize(
    "text", ["a: *b\n", "a: &c [1, *c]\n", "a: .inf\n", "a: {{ b }}\n", "a:\n  -b\n"]
)
def test_a_value_that_was_not_read_is_told_from_text(text: str) -> None:
    """Later passes do not report what only follows from it."""
    documents, found, _ = load(text)
    assert len(found) == 1
    scalars = [node for node in walk(documents[0].root) if isinstance(node, Scalar)]
    assert [isinstance(node.value, Lost) for node in scalars][-1:] == [True]


def test_a_merge_of_what_was_not_read_adds_nothing() -> None:
    documents, places, _ = load("a:\n  <<: [*b, &c {d: 1}]\n  e: 2\n")
    assert [code for code, _ in places] == ["unknown-alias"]
    assert to_plain(documents[0].root) == {"a": {"d": 1, "e": 2}}


def test_braces_in_the_place_of_a_key_are_not_made_an_expression() -> None:
    """A key cannot be an expression, so none is proposed."""
    _, places, found = load("{{ x }}: 1\n")
    assert [code for code, _ in places] == ["key-not-text"]
    assert all("${{" not in (d.help or "") for d in found)
