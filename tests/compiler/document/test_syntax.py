"""Mistakes of YAML: each reported once, at its place, and the rest of the file read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.diagnostics import Diagnostics
from compiler.document import Scalar, limits, place, read, to_plain, walk
from compiler.source import Source
from tests.fuzzing import fuzz


def load(text: str):
    source = Source("flow.yaml", text)
    found = Diagnostics(source)
    documents = read(source, found)
    places = [(d.code, *source.line_column(d.span.start)) for d in found]
    return [to_plain(document.root) for document in documents], places, list(found)


# text, what is reported, what is read all the same (None: nothing)
MISTAKES = {
    "a tab": (
        "steps:\n\t- id: a\n\t  run: x\n",
        [("tab-indentation", 2, 1)],
        {"steps": [{"id": "a", "run": "x"}]},
    ),
    "tabs in several places": (
        "steps:\n  - id: a\n\trun: x\n  - id: b\n    env:\n\t\tC: d\n\t\tE: f\n    run: y\n",
        [("tab-indentation", 3, 1), ("tab-indentation", 6, 1)],
        {"steps": [{"id": "a", "run": "x"}, {"id": "b", "env": {"C": "d", "E": "f"}, "run": "y"}]},
    ),
    "tabs everywhere": (
        "a:\n\tb:\n\t\tc: d\n\te: f\n\tg:\n\t\t- h\n\t\t- i: j\nk: l\n",
        [("tab-indentation", 2, 1)],
        {"a": {"b": {"c": "d"}, "e": "f", "g": ["h", {"i": "j"}]}, "k": "l"},
    ),
    "what looks like a space": (
        "a:\n  -\u00a0b: c\n    d: e\nh:\u00a0i\nj: k\n",
        [("unreadable-character", 2, 4), ("unreadable-character", 4, 3)],
        {"a": [{"b": "c", "d": "e"}], "h": "i", "j": "k"},
    ),
    "an item without its space": (
        "a:\n  -b\nc:\n  -d\n  -e\nf: -g\nh: [\n  -i]\n",
        [("missing-space", 2, 3), ("missing-space", 4, 3)],
        {"a": "-b", "c": "-d -e", "f": "-g", "h": ["-i"]},
    ),
    "a quote that ends before an expression": (
        'a: "b/"${{ c }}\nd: e\n',
        [("text-after-quote", 1, 8)],
        {"a": '"b/"${{ c }}', "d": "e"},
    ),
    "a colon in a value": (
        'name: Deploy: all: now\nrun: echo "a: b"\nx: 1\n',
        [("colon-in-value", 1, 13), ("colon-in-value", 2, 13)],
        {"name": "Deploy: all: now", "run": 'echo "a: b"', "x": 1},
    ),
    "a comment in an expression": (
        "a: ${{ b # c }}\nd: x ${{ e #f }} g # comment\nh: ${{ i }} # fine\n",
        [("comment-in-expression", 1, 10), ("comment-in-expression", 2, 12)],
        {"a": "${{ b # c }}", "d": "x ${{ e #f }} g # comment", "h": "${{ i }}"},
    ),
    "not, without an expression": (
        "a: !failure()\nb: !failure() && x == 'y'\nc:\n  - !contains(d, \"e\")\n",
        [("yaml-tag", 1, 4), ("yaml-tag", 2, 4), ("yaml-tag", 4, 5)],
        {"a": "!failure()", "b": "!failure() && x == 'y'", "c": ['!contains(d, "e")']},
    ),
    "tags": (
        "a: !Sub 'x'\nb: !!set {c}\nd: !Ref\n  e: 1\nf: !!int g\nh: !a!b c\n",
        [
            ("yaml-tag", 1, 4),
            ("yaml-tag", 2, 4),
            ("yaml-tag", 3, 4),
            ("yaml-tag", 5, 4),
            ("yaml-tag", 6, 4),
        ],
        {"a": "x", "b": {"c": None}, "d": {"e": 1}, "f": "g", "h": "!a!b c"},
    ),
    "expressions in brackets": (
        "a: {b: ${{ c }}, d: ${{ e['f, g'] }}}\nh: [x-${{ i }}, j]\n",
        [("expression-in-flow", 1, 8), ("expression-in-flow", 1, 21), ("expression-in-flow", 2, 7)],
        {"a": {"b": "${{ c }}", "d": "${{ e['f, g'] }}"}, "h": ["x-${{ i }}", "j"]},
    ),
    "signs of YAML first": (
        "a: @b\nc: `d`\ne: %f\ng: *.py\nh: */5 * * * *\ni: && j\nk: ? l\nm: ]\n",
        [("reserved-character", line, 4) for line in range(1, 9)],
        {
            "a": "@b", "c": "`d`", "e": "%f", "g": "*.py", "h": "*/5 * * * *", "i": "&& j",
            "k": "? l", "m": "]",
        },
    ),
    "text behind a quote": (
        "a: \"b\" && c\nd: 'e' == ${{ f }}\ng: 'it's'\n",
        [("text-after-quote", 1, 8), ("text-after-quote", 2, 8), ("text-after-quote", 3, 8)],
        {"a": '"b" && c', "d": "'e' == ${{ f }}", "g": "'it's'"},
    ),
    "a quote left open": (
        'a: "b\nc: "d"\ne: f\n',
        [("not-closed", 1, 4)],
        {"a": "b", "c": "d", "e": "f"},
    ),
    "a quote left open to the end": (
        "a: 'b\nc: d\n",
        [("not-closed", 1, 4)],
        {"a": "b", "c": "d"},
    ),
    "brackets left open": (
        "a: [b, c # d\ne: f\n",
        [("not-closed", 1, 4)],
        {"a": ["b", "c"], "e": "f"},
    ),
    "a colon inside of a value in brackets": (
        "a: {b: Incident: 3, c: d}\n",
        [("yaml-syntax", 1, 16)],
        None,
    ),
    "a comma left out": ('a: ["b" "c"]\n', [("yaml-syntax", 1, 9)], {"a": ["b", "c"]}),
    "escapes": ('a: "\\d"\nb: "\\."\n', [("unknown-escape", 1, 5), ("unknown-escape", 2, 5)],
                {"a": "\\d", "b": "\\."}),
    "no space after a colon": (
        "steps:\n  - id:build\n    action: x\n    run:y\n    z: 1\n",
        [("missing-space", 2, 5), ("missing-space", 4, 5)],
        {"steps": [{"id": "build", "action": "x", "run": "y", "z": 1}]},
    ),
    "no space after a dash": (
        "steps:\n  - id: a\n  -id: b\n",
        [("missing-space", 3, 3)],
        {"steps": [{"id": "a"}, {"id": "b"}]},
    ),
    "indented too far": (
        "steps:\n  - id: a\n     action: y\n     run: z\n  - id: b\n",
        [("indentation", 3, 1)],
        {"steps": [{"id": "a", "action": "y", "run": "z"}, {"id": "b"}]},
    ),
    "indented too little": (
        "steps:\n  - id: a\n   action: y\n  - id: b\n",
        [("indentation", 3, 1)],
        {"steps": [{"id": "a", "action": "y"}, {"id": "b"}]},
    ),
    "the first key indented": ("  a: 1\nb: 2\n", [("indentation", 2, 1)], {"a": 1, "b": 2}),
    "a list on its key's line": (
        "a: - b\n   - c\nd: 1\n",
        [("yaml-syntax", 1, 4)],
        {"a": ["b", "c"], "d": 1},
    ),
    "a list among keys": ("a: b\n- c\n", [("indentation", 2, 1)], None),
    "a key among items": ("- a\nb: c\n", [("indentation", 2, 1)], None),
    "words alone": ("a: 1\nfoo bar\nb: 2\n", [("yaml-syntax", 2, 1)], None),
    "words alone first": ("foo\nbar: 1\n", [("yaml-syntax", 1, 1)], None),
    "an unknown directive": ("%FOO\n---\na: 1\n", [("reserved-character", 1, 1)], None),
    "a tab in the first line of a block": ("a: |\n  \tb\n", [], {"a": "\tb\n"}),
    "several kinds at once": (
        "\ufeffa: b: c\nd: @e\nf: {g: ${{ h }}}\ni: 1\ni: 2\nj: .inf\n",
        [
            ("colon-in-value", 1, 6),
            ("reserved-character", 2, 4),
            ("expression-in-flow", 3, 8),
            ("duplicate-key", 5, 1),
            ("number-not-finite", 6, 4),
        ],
        {"a": "b: c", "d": "@e", "f": {"g": "${{ h }}"}, "i": 1, "j": ".inf"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "reported", "value"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_reported_at_its_place_and_the_rest_is_read(text, reported, value) -> None:
    documents, places, _ = load(text)
    assert places == reported
    assert documents == ([] if value is None else [value])


@pytest.mark.parametrize("case", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_explained_without_words_of_the_parser(case) -> None:
    _, _, found = load(case[0])
    for diagnostic in found:
        assert diagnostic.help
        assert not diagnostic.message.endswith(".")
        assert "did not find" not in diagnostic.message
        assert "<" not in diagnostic.message


def test_the_documents_before_a_broken_one_are_returned() -> None:
    documents, places, _ = load("a: 1\n---\n- b\nc: d\n---\ne: 2\n")
    assert documents == [{"a": 1}]
    assert places == [("indentation", 4, 1)]


def test_mended_text_keeps_its_places() -> None:
    source = Source(
        "flow.yaml", "steps:\n  - id:build\n    run: echo: ${{ x }}\n    z: |\n      y\n"
    )
    (document,) = read(source, Diagnostics(source))
    run = document.find(("steps", 0, "run"))
    assert isinstance(run, Scalar)
    at = run.text.index("x")
    assert source.text[place(run, at, at + 1).start - 4 :].startswith("${{ x")
    block = document.find(("steps", 0, "z"))
    assert isinstance(block, Scalar)
    assert source.text[place(block, 0, 1).start] == "y"


WORKFLOW = """\
name: release   # the name
trigger: {type: git-push, branch: "main"}
inputs:
  stage: string
steps:
  - id: build
    run: |
      make "all"
      echo 'done: yes'
    retry: &retry {max_attempts: 3, delay: 10s}
  - id: deploy
    depends_on: [build]
    condition: ${{ success() && inputs.stage != 'none' }}
    action: deploy
    retry:
      <<: *retry
      delay: 1m
    inputs:
      text: >-
        folded
        text
"""
SNIPPETS = [
    "\t", ": ", " #", "!", "&a ", "*a", "*retry", "{", "}", "[", "]", "'", '"', "- ", "-", "|\n",
    ">", "\n", "\r\n", "  ", "${{", "}}", "%", "@", "`", "\\", "?", "? ", "<<: ", "---\n", "...\n",
    "\x00", "\u2028", "\ud800", "é", "😀", ".inf", "!!int ", ",", "&retry", "\ufeff",
]  # fmt: skip


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """Return the workflow with pieces put in, taken out and doubled."""
    text = WORKFLOW
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 12)))
        kind = draw(st.sampled_from(["insert", "delete", "double", "replace"]))
        new = draw(st.sampled_from(SNIPPETS))
        if kind == "insert":
            text = text[:at] + new + text[at:]
        elif kind == "delete":
            text = text[:at] + text[end:]
        elif kind == "double":
            text = text[:end] + text[at:]
        else:
            text = text[:at] + new + text[end:]
    return text


def assert_survives(text: str) -> None:
    source = Source("flow.yaml", text)
    found = Diagnostics(source)
    documents = read(source, found)
    assert documents or found.has_errors
    for diagnostic in found:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        source.line_column(diagnostic.span.start)
    for document in documents:
        to_plain(document.root)
        for node in walk(document.root):
            assert 0 <= node.span.start <= node.span.end <= len(text)
            if isinstance(node, Scalar):
                whole = place(node, 0, len(node.text))
                assert 0 <= whole.start <= whole.end <= len(text)


@fuzz
@given(mutations())
def test_no_change_to_a_workflow_ends_in_a_traceback(text: str) -> None:
    assert_survives(text)


@fuzz
@given(st.text(max_size=60) | st.lists(st.sampled_from([*SNIPPETS, "a", "b: "])).map("".join))
def test_no_text_ends_in_a_traceback(text: str) -> None:
    assert_survives(text)


def test_a_large_broken_file_is_given_up_soon() -> None:
    text = "a: b: c\n" * (limits.MAX_SIZE // 8)
    _, places, _ = load(text)
    assert 1 <= len(places) <= 3


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_tabs_are_told_whatever_ends_the_lines(ends):
    text = ends.join(
        ["name: x", "steps:", "", "  - id: a", "\trun: make", "\tenv:", "\t\tB: c", ""]
    )
    documents, places, _ = load(text)
    assert [code for code, *_ in places] == ["tab-indentation"]
    assert documents == [{"name": "x", "steps": [{"id": "a", "run": "make", "env": {"B": "c"}}]}]


def test_a_tab_at_the_start_of_a_file_is_told():
    assert load("\r\tname: x\nsteps:\n  - id: a\n")[1]
    assert load("a: 1\r\tb: 2\n")[1]
