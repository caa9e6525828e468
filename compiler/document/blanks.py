"""Blanks that YAML does not take for spaces: tabs, and what only looks like a space."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from compiler.document.problem import Problem

_ODD = "[\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000]"
_ODD_SPACE = re.compile(rf"^[ ]*(?:-[ ]+)*(?:-|[A-Za-z_][\w-]*:)?(?P<odd>{_ODD}+)")
_LINE = re.compile(r"[^\r\n]+")
_TABBED = re.compile(r"^(?P<lead>[ \t]*\t[ \t]*)(?=\S)")
_STEP = 2  # columns of a level, where nothing tells
_MAX_TOLD = 5


def odd_space(problem: Problem) -> bool | None:
    """A character that looks like a space where YAML wants one: at the start, after `-` or `:`."""
    start = problem.line_start
    if problem.what == "could not find expected ':'" and problem.began is not None:
        start = problem.start_of_line(problem.began)
    line = problem.text[start : problem.end_of_line(start)]
    match = _ODD_SPACE.match(line)
    if match is None:
        above = next(problem.lines_before(), None)
        if above is None or not problem.what.startswith("mapping values are not allowed"):
            return None
        start, line = above
        match = _ODD_SPACE.match(line)
        if match is None:
            return None
    at, end = start + match.start("odd"), start + match.end("odd")
    code = ord(problem.text[at])
    problem.report(
        "unreadable-character",
        at,
        end,
        f"U+{code:04X} ({unicodedata.name(chr(code), 'a control character').lower()}) "
        "looks like a space, and is none to YAML",
        help="type the spaces again; they often come with text copied from a web page",
    )
    problem.mended.replace(at, end, " " * (end - at))
    return True


def tab(problem: Problem) -> bool | None:
    """Lines indented with tabs."""
    text, at = problem.text, problem.at
    if "tab" not in problem.what.split() and text[at : at + 1] != "\t":
        return None
    if "block scalar" in problem.context and problem.line.startswith(" "):
        # Text of the block: libyaml refuses a tab there in the first line only, YAML does not.
        return problem.mended.hide(at, at + 1)
    if _TABBED.match(problem.line) is None:
        problem.report("tab-indentation", at, at + 1, "a tab cannot stand here", help="use spaces")
        return False
    columns = list(_columns(problem))
    told = 0
    before = -2  # the number of the last line with a tab
    for number, start, lead, _ in columns:
        if number != before + 1 and told < _MAX_TOLD:
            problem.report(
                "tab-indentation",
                start + lead.index("\t"),
                start + len(lead),
                "this line is indented with a tab, and YAML indents with spaces",
                help="replace the tabs by spaces, two for each level",
            )
            told += 1
        before = number
    for _, start, lead, column in reversed(columns):
        problem.mended.replace(start, start + len(lead), " " * column)
    problem.mended.guessed = True
    return True


def _columns(problem: Problem) -> Iterator[tuple[int, int, str, int]]:
    """Yield number, start and lead of the lines that tabs indent, and the column they may mean.

    Lines without a tab are taken as they are. A line goes below the one above if that one ends
    with `:` or `|`, else beside it, or beside the last line with as many tabs.
    """
    above = ""
    seen: dict[str, int] = {}  # where lines with these leads begin
    for number, found in enumerate(_LINE.finditer(problem.text)):
        line, start = found[0], found.start()
        rest = line.lstrip(" \t")
        lead = line[: len(line) - len(rest)]
        read = line
        if "\t" in lead and rest and (lead[0] == "\t" or start == problem.line_start):
            column = _column(above, lead, rest, seen)
            yield number, start, lead, column
            read = " " * column + rest
            seen = {other: at for other, at in seen.items() if at < column}
            seen[lead] = column
        elif rest and not lead:
            seen = {}
        if rest and not rest.startswith("#"):
            above = read


def _column(above: str, lead: str, rest: str, seen: dict[str, int]) -> int:
    if lead in seen:
        return seen[lead]
    dash = re.match(r"[ ]*(?:-[ ]+)*", above)
    inner = dash.end() if dash else 0
    if re.search(r"(?::|[|>][-+0-9]*)\s*(?:#.*)?$", above):
        return inner + _STEP
    if rest.startswith("- ") or rest.strip() == "-":
        return len(above) - len(above.lstrip(" "))
    return inner
