"""Diagnostics as people, programs and GitHub read them, to the letter."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from cli.output import github, text
from cli.output import json as as_json
from cli.output.paint import shown, width
from compiler.diagnostics import Diagnostics
from compiler.source import Source, Span

REFUND = dedent("""\
    name: Refund
    steps:
      - id: review
        type: manual
      - id: pay
        run: ./pay
        depends_on: [reviw]
    """)


def place(source: Source, words: str, nth: int = 0) -> Span:
    """Return where words stand in a source."""
    at = -1
    for _ in range(nth + 1):
        at = source.text.index(words, at + 1)
    return Span(at, at + len(words))


def refund() -> Diagnostics:
    """Return the example: a step that waits for one that is not there."""
    source = Source("refund.yaml", REFUND)
    found = Diagnostics(source)
    found.error(
        "unknown-step",
        place(source, "reviw"),
        "'pay' comes after 'reviw', and no step has that name",
        help="did you mean 'review'?",
        labels=[found.label(place(source, "review"), "this one")],
    )
    return found


def test_text_shows_the_place_what_is_wrong_and_what_to_write():
    assert text.render(refund()) == dedent("""\
        error[unknown-step]: 'pay' comes after 'reviw', and no step has that name
         --> refund.yaml:7:18
          |
        3 |   - id: review
          |         ------ this one
        ...
        7 |     depends_on: [reviw]
          |                  ^^^^^
          = help: did you mean 'review'?
          = see: stepsmith explain unknown-step

        """)


def test_a_second_place_in_the_same_line_is_underlined_below():
    source = Source("a.yaml", "steps: {a: 1, a: 2}\n")
    found = Diagnostics(source)
    first = found.label(place(source, "a"), "first here")
    found.warning("duplicate-key", place(source, "a", 1), "'a' stands twice", labels=[first])

    assert text.render(found) == dedent("""\
        warning[duplicate-key]: 'a' stands twice
         --> a.yaml:1:15
          |
        1 | steps: {a: 1, a: 2}
          |               ^
          |         - first here
          = see: stepsmith explain duplicate-key

        """)


def test_a_place_in_another_file_is_shown_with_its_file():
    source, other = Source("a.yaml", "uses: ./b.yaml\n"), Source("b.yaml", "name: B\n")
    found = Diagnostics(source)
    from compiler.diagnostics import Label

    label = Label(place(other, "B"), "called here", other)
    found.error("workflow-cycle", place(source, "./b.yaml"), "they call each other", labels=[label])

    assert "::: b.yaml:1:7\n" in text.render(found)
    assert "      |       - called here" not in text.render(found)
    assert "1 | name: B\n  |       - called here\n" in text.render(found)


def test_wide_characters_take_two_columns_and_joined_ones_none():
    source = Source("a.yaml", 'title: "日本語 e\u0301 🚀" # oops\n')
    found = Diagnostics(source)
    found.error("wrong-type", place(source, "oops"), "it is wrong")

    line, under = text.render(found).split("\n")[3:5]
    assert width(under[: under.index("^")]) == width(line[: line.index("oops")])


def test_a_place_over_several_lines_is_underlined_to_the_end_of_its_first():
    source = Source("a.yaml", "run: |\n  one\n  two\n")
    found = Diagnostics(source)
    found.error("wrong-type", Span(5, len(source.text)), "it is wrong")

    assert "1 | run: |\n  |      ^\n" in text.render(found)


def test_of_a_very_long_line_what_is_around_the_place_is_shown():
    source = Source("a.yaml", "x: " + "a" * 500 + "HERE" + "b" * 500 + "\n")
    found = Diagnostics(source)
    found.error("wrong-type", place(source, "HERE"), "it is wrong")

    line, under = text.render(found).split("\n")[3:5]
    assert len(line) < 140
    assert line[under.index("^") :].startswith("HERE")


def test_what_stands_at_the_end_of_a_file_can_be_shown():
    source = Source("a.yaml", "steps:")
    found = Diagnostics(source)
    found.error("wrong-type", Span(6, 6), "`steps` has no value")

    assert "1 | steps:\n  |       ^\n" in text.render(found)


@pytest.mark.parametrize("hostile", ["\x1b[2J", "\u202e", "\r", "\x00", "\x7f", "\x9b31m"])
def test_nothing_in_a_file_reaches_the_terminal_as_a_command(hostile: str):
    source = Source(f"{hostile}.yaml", f"name: a{hostile}b\n")
    found = Diagnostics(source)
    found.error("wrong-type", Span(6, 9), f"it is {hostile}", help=hostile)

    assert hostile not in text.render(found)


def test_a_tab_takes_four_columns():
    assert shown("\ta") == "    a"


@pytest.mark.parametrize(
    ("files", "found", "line"),
    [
        (["a.yaml"], [], "a.yaml: no mistakes\n"),
        (["a.yaml", "b.yaml"], [], "2 files: no mistakes\n"),
        (["refund.yaml"], list(refund()), "refund.yaml: 1 error\n"),
        (["refund.yaml", "b.yaml"], list(refund()) * 2, "2 files: 2 errors in 1 of them\n"),
    ],
)
def test_the_last_line_counts(files, found, line):
    assert text.summary(files, found, colour=False) == line


def test_json_tells_all_of_it_for_programs():
    assert json.loads(as_json.render(["refund.yaml"], list(refund()))) == {
        "format": 1,
        "files": ["refund.yaml"],
        "errors": 1,
        "warnings": 0,
        "diagnostics": [
            {
                "code": "unknown-step",
                "severity": "error",
                "message": "'pay' comes after 'reviw', and no step has that name",
                "file": "refund.yaml",
                "start": {"line": 7, "column": 18, "offset": 96},
                "end": {"line": 7, "column": 23, "offset": 101},
                "help": "did you mean 'review'?",
                "labels": [
                    {
                        "text": "this one",
                        "file": "refund.yaml",
                        "start": {"line": 3, "column": 9, "offset": 28},
                        "end": {"line": 3, "column": 15, "offset": 34},
                    }
                ],
            }
        ],
    }


def test_github_gets_a_command_a_line():
    assert github.render(refund()) == (
        "::error file=refund.yaml,line=7,col=18,endColumn=23,title=unknown-step::"
        "'pay' comes after 'reviw', and no step has that name%0Adid you mean 'review'?\n"
    )


def test_github_commands_cannot_be_written_by_a_file():
    source = Source("a,b:c.yaml", "x\ny\n")
    found = Diagnostics(source)
    found.error("wrong-type", Span(0, 3), "100%\n::error::no")

    assert github.render(found) == (
        "::error file=a%2Cb%3Ac.yaml,line=1,endLine=2,title=wrong-type::100%25%0A::error::no\n"
    )
