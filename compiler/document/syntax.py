"""What the parser could not read, in the author's words, and how to read on.

One function a trap: it returns whether the text was mended and can be read again, or None when
the problem is not its own. The first that knows the problem reports it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import yaml

from compiler.diagnostics import Diagnostics
from compiler.document import tags
from compiler.document.blanks import odd_space, tab
from compiler.document.layout import (
    dash_in_line,
    indentation,
    missing_colon,
    two_colons,
)
from compiler.document.limits import TOO_DEEP
from compiler.document.parser import SCALAR, STREAM_END, Event, parser_of
from compiler.document.problem import Problem
from compiler.document.repair import Mended
from compiler.source import Span

_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
_NOT = re.compile(r"(?:^[ \t]*|:[ \t]+|-[ \t]+)(?P<text>!(?![!<])\S[^\r\n]*)")
_QUOTED_VALUE = re.compile(
    r"""[ ]*(?:-[ ]+)*(?:[^\s"'#][^:\r\n]*:[ ]+)?"""
    r"""(?P<value>"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')[ \t]*"""
)
_DIRECTIVE: Final = "while scanning a directive"
_NAMES: Final = ("while scanning an alias", "while scanning an anchor", _DIRECTIVE)
_MESSAGES: Final = {
    "found undefined tag handle": "`!` begins a tag here, and workflows have no tags",
    "found unexpected document indicator": "a new document begins inside a quoted text",
    "did not find expected <document start>": "nothing can follow the end of the document here",
    "found invalid Unicode character escape code": "this escape names no character",
    "did not find expected hexdecimal number": "this escape needs more hexadecimal digits",
    "did not find expected comment or line break": "only a comment can follow `|` or `>` here",
    "found an indentation indicator equal to 0": "a block of text cannot be indented by 0",
    "found duplicate %YAML directive": "`%YAML` stands twice",
    "found incompatible YAML document": "this version of YAML is not known",
}


def explain(error: yaml.YAMLError, mended: Mended, diagnostics: Diagnostics) -> bool:
    """Report an error of the parser; return whether the text was mended and can be read again."""
    if not isinstance(error, yaml.MarkedYAMLError):
        diagnostics.error("yaml-syntax", Span(0, 0), "the file is no YAML")
        return False
    problem = Problem(error, mended, diagnostics)
    for trap in _TRAPS:
        outcome = trap(problem)
        if outcome is not None:
            return outcome
    raise AssertionError("the last trap takes every problem")


def _too_deep(problem: Problem) -> bool | None:
    """Deeper than libyaml itself goes, before the first level was given out."""
    if problem.what != "exceeded maximum nesting depth":
        return None
    problem.report("document-too-deep", problem.at, problem.at + 1, *TOO_DEEP)
    return False


def _negation(problem: Problem) -> bool | None:
    """`!failure() && x`: a tag to YAML."""
    match = _NOT.search(problem.line)
    if match is None or problem.in_flow:
        return None
    start = problem.line_start + match.start("text")
    end = problem.line_start + len(problem.line.rstrip())
    if start > problem.at:
        return None
    message, advice = tags.negation(problem.text[start:end])
    problem.report("yaml-tag", start, end, message, help=advice)
    return problem.mended.hide(start, start + 1)


def _expression_in_flow(problem: Problem) -> bool | None:
    """`{x: ${{ y }}}`: the braces of the expression are brackets to YAML."""
    if "',' or" not in problem.what and not problem.in_flow:
        return None
    for match in _EXPRESSION.finditer(problem.text, problem.line_start, problem.line_end):
        if match.start() <= problem.at <= match.end():
            problem.report(
                "expression-in-flow",
                match.start(),
                match.end(),
                f"inside `{{...}}` or `[...]` the braces of `{match[0]}` are taken for YAML's own",
                help=f"put it in quotes: {tags.quoted(match[0])}",
            )
            return problem.mended.hide(match.start(), match.end())
    return None


def _reserved(problem: Problem) -> bool | None:
    """A value that starts with a sign of YAML: `@x`, `*/5 * * * *`."""
    at = problem.at
    if problem.context in _NAMES and problem.began is not None:
        at = problem.began
    elif problem.what == "did not find expected node content":
        if problem.in_flow or problem.text[at : at + 1] not in (",", "]", "}"):
            return None
    elif problem.what not in (
        "found character that cannot start any token",
        "mapping keys are not allowed in this context",
    ):
        return None
    end = problem.end_of_line(at)
    sign, value = problem.text[at : at + 1], problem.text[at:end].rstrip()
    if not sign:
        return None
    shown = "a backtick" if sign == "`" else f"`{sign}`"
    problem.report(
        "reserved-character",
        at,
        at + 1,
        f"a value cannot start with {shown}, which means something to YAML",
        help=f"put the whole value in quotes: {tags.quoted(value)}"
        if not problem.in_flow
        else "put the whole value in quotes",
    )
    # A directive's line begins no value: there is nothing to read on with.
    return problem.context != _DIRECTIVE and problem.mended.hide(at, at + 1)


def _after_quote(problem: Problem) -> bool | None:
    """Text behind a closing quote, or a quote closed by one that was to open another text."""
    if not problem.what.startswith(("did not find expected", "mapping values")):
        return None
    at = problem.began if problem.context in _NAMES and problem.began is not None else problem.at
    match = _QUOTED_VALUE.match(problem.text, problem.start_of_line(at), at)
    if match is not None and match.end() == at and not problem.in_flow:
        return _rest_of_line(problem, match, at)
    last = _last_scalar(problem.text)
    if last is None or last.style not in ("'", '"'):
        return None
    start, end = last.start_mark.index, last.end_mark.index
    if problem.text[end : problem.at].strip(" \t") or problem.at == problem.line_end:
        return None
    start = problem.text.find(last.style, start, end)
    if problem.start_of_line(start) != problem.line_start:
        return _open_quote(problem, start)
    return None


def _rest_of_line(problem: Problem, quoted: re.Match[str], at: int) -> bool:
    start = quoted.start("value")
    value = problem.text[start : problem.end_of_line(at)].rstrip()
    meant = value
    if quoted.end("value") == at:
        if value[0] == value[-1]:  # 'it's': quotes around a quote
            meant = value[1:-1]
        elif value[0] not in value[at - start :]:  # "a/"${{ b }}: quotes around the first part
            meant = value[1 : at - start - 1] + value[at - start :]
    problem.report(
        "text-after-quote",
        at,
        start + len(value),
        f"the value ends with the quote before `{value[at - start :]}`",
        help=f"put the whole value in quotes: {tags.quoted(meant)}",
    )
    return problem.mended.hide(start, start + len(value))


def _unclosed_quote(problem: Problem) -> bool | None:
    if "quoted scalar" not in problem.context or problem.began is None:
        return None
    if problem.what == "found unknown escape character":
        return _unknown_escape(problem)
    if problem.what not in (
        "found unexpected end of stream",
        "found unexpected document indicator",
    ):
        return None
    return _open_quote(problem, problem.began)


def _open_quote(problem: Problem, start: int) -> bool:
    end = start + len(problem.text[start : problem.end_of_line(start)].rstrip())
    quote = problem.text[start]
    problem.report(
        "not-closed",
        start,
        end,
        f"the quote `{quote}` that opens here is not closed on its line",
        help=f"close it with `{quote}`, or write a longer text as a block with `|`",
    )
    mended = True
    if "\\" in problem.text[start:end]:
        mended = problem.mended.hide(start, end)
    else:
        problem.mended.replace(end, end, quote)
    problem.mended.guessed = True
    return mended


def _unknown_escape(problem: Problem) -> bool:
    at = problem.at
    if problem.text[at : at + 1] != "\\" and problem.text[at - 1 : at] == "\\":
        at -= 1
    end = min(at + 2, len(problem.text))
    problem.report(
        "unknown-escape",
        at,
        end,
        f"`{problem.text[at:end]}` is no escape that YAML knows",
        help="in double quotes write a backslash twice, or use single quotes",
    )
    problem.mended.replace(at, at, "\\")
    return True


def _unclosed_bracket(problem: Problem) -> bool | None:
    if "',' or" not in problem.what or problem.began is None:
        return None
    began = problem.began
    bracket = problem.text[began : began + 1]
    closing = "]" if bracket == "[" else "}"
    end = problem.end_of_line(began)
    if problem.line_start > end or problem.at >= len(problem.text):
        problem.report(
            "not-closed",
            began,
            began + 1,
            f"`{bracket}` opens here and `{closing}` is missing",
            help=f"close it with `{closing}`",
        )
        written = problem.text[began:end]
        comment = re.search(r"\s#", written)
        close_at = began + len(written[: comment.start()] if comment else written.rstrip())
        problem.mended.replace(close_at, close_at, closing)
        problem.mended.guessed = True
        return True
    problem.report(
        "yaml-syntax",
        problem.at,
        problem.at + 1,
        f"`,` or `{closing}` is missing before `{_word(problem)}`",
        help="put a comma between the values, and quotes around a text that holds one of `,:[]{}`",
    )
    problem.mended.replace(problem.at, problem.at, ", ")
    problem.mended.guessed = True
    return True


def _word(problem: Problem) -> str:
    words = problem.text[problem.at : problem.line_end].split()
    return words[0][:40] if words else "the end of the line"


def _anything(problem: Problem) -> bool:
    message = _MESSAGES.get(problem.what)
    if message is None and "did not find expected" in problem.what:
        message = f"`{_word(problem)}` cannot stand here"
    start, end = problem.at, problem.at + 1
    if start >= len(problem.text):
        start = end = len(problem.text.rstrip())
        message = "the file ends too early"
    began = problem.began
    problem.report(
        "yaml-syntax",
        start,
        max(end, start),
        message or f"this is no YAML: {problem.what}",
        help="text with signs of YAML in it is safe in quotes, or as a block with `|`",
        also=(began, began + 1, "read since here")
        if began is not None and began != start and began < len(problem.text)
        else None,
    )
    return False


def _last_scalar(text: str) -> Event | None:
    """Return the last scalar that the parser reads before it gives up."""
    parser = parser_of(text)
    last = None
    try:
        while True:
            event = parser.get_event()
            if isinstance(event, SCALAR):
                last = event
            elif isinstance(event, STREAM_END):
                return last
    except yaml.YAMLError:
        return last
    finally:
        parser.dispose()


_TRAPS: Final[tuple[Callable[[Problem], bool | None], ...]] = (
    _too_deep,
    odd_space,
    tab,
    _negation,
    _expression_in_flow,
    _unclosed_quote,
    _after_quote,
    _reserved,
    two_colons,
    missing_colon,
    dash_in_line,
    _unclosed_bracket,
    indentation,
    _anything,
)
