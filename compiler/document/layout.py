"""Mistakes of lines and columns: indentation, colons and dashes."""

from __future__ import annotations

import re

from compiler.document import tags
from compiler.document.problem import Problem

_COLON = re.compile(r":(?=[ \t]|$)")
_KEY_LINE = re.compile(r"^[ ]*(?:-[ ]+)*(?:[\w.$/-]+|\"[^\"]*\"|'[^']*')[ ]*$")
_NO_SPACE = re.compile(r"^[ ]*(?:-[ ]+)*(?P<key>[A-Za-z_][\w-]*):(?P<value>[^\s:/][^\r\n]*)$")
_NO_SPACE_DASH = re.compile(r"^[ ]*(?P<dash>-)(?P<item>[A-Za-z_\"'\[{$][^\r\n]*)$")
_KEY_VALUE = re.compile(r"^(?P<lead>[ ]*(?:-[ ]+)*)[^\s#][^:]*:(?:[ ]+\S|[ ]*$)")
_COLUMNS = re.compile(r"[ ]*-[ ]+|[ ]+")


def two_colons(problem: Problem) -> bool | None:
    """A second `: ` on a line, or a key that YAML takes for the rest of the value above."""
    if not problem.what.startswith("mapping values are not allowed"):
        return None
    before = problem.text[problem.line_start : problem.at]
    if _KEY_LINE.match(before):
        outcome = _key_as_text(problem)
        if outcome is not None:
            return outcome
    first = re.match(r"[ ]*(?:-[ ]+)*[^:]*?:[ \t]+", problem.line)
    start = (
        first.end() if first and first.end() <= problem.at else len(before) - len(before.lstrip())
    )
    value = problem.line[start:].rstrip()
    problem.report(
        "colon-in-value",
        problem.at,
        problem.at + 1,
        f"`{value}` has a colon before a space, which YAML takes for a key",
        help=f"put the whole value in quotes: {tags.quoted(value)}",
    )
    end = problem.line_end
    hidden = False
    for match in reversed(list(_COLON.finditer(problem.line, problem.column))):
        at = problem.line_start + match.start()
        if at < end:
            hidden = problem.mended.hide(at, at + 1) or hidden
    return hidden


def _key_as_text(problem: Problem) -> bool | None:
    """Tell why a line that is a key was read as the rest of the value above it."""
    above = next(problem.lines_before(), None)
    if above is None:
        return None
    start, line = above
    no_space = _NO_SPACE.match(line)
    if no_space is not None:
        return _space_after_colon(problem, start, no_space)
    depth = len(problem.line) - len(problem.line.lstrip(" "))
    pair = _KEY_VALUE.match(line)
    if pair is None:
        return _words_alone(problem, start, line)
    if depth <= len(pair["lead"]):
        return None
    problem.report(
        "indentation",
        problem.line_start,
        problem.line_start + depth,
        f"`{problem.line.split(':')[0].strip()}` is indented more than the line above, "
        "whose value it cannot go on",
        help="line it up with the key above, or let the key above end with its colon",
        also=(start + len(pair["lead"]), start + len(line.rstrip()), "the line above"),
    )
    problem.shift_block(len(pair["lead"]) - depth)
    problem.mended.guessed = True
    return True


def _space_after_colon(problem: Problem, start: int, match: re.Match[str]) -> bool:
    key, value = match["key"], match["value"].rstrip()
    problem.report(
        "missing-space",
        start + match.start("key"),
        start + match.start("value") + len(value),
        f"`{key}:{value}` has no space after the colon, so it is no key with a value",
        help=f"write `{key}: {value}`",
    )
    problem.mended.replace(start + match.start("value"), start + match.start("value"), " ")
    return True


def missing_colon(problem: Problem) -> bool | None:
    """A line among keys that is no key: `id:build`, `-item`, or words alone."""
    if problem.what != "could not find expected ':'" or problem.began is None:
        return None
    start = problem.start_of_line(problem.began)
    line = problem.text[start : problem.end_of_line(start)]
    match = _NO_SPACE.match(line)
    if match is not None:
        return _space_after_colon(problem, start, match)
    dash = _NO_SPACE_DASH.match(line)
    if dash is not None:
        return _space_after_dash(problem, start, dash)
    return _words_alone(problem, start, line)


def _words_alone(problem: Problem, start: int, line: str) -> bool:
    words = line.strip()
    problem.report(
        "yaml-syntax",
        start + line.index(words),
        start + len(line.rstrip()),
        f"`{words[:60]}` is neither a key with a colon nor an item with a dash",
        help="write `key: value`; a text of several lines is a block after `|`",
    )
    return False


def _space_after_dash(problem: Problem, start: int, match: re.Match[str]) -> bool:
    item = match["item"].rstrip()
    problem.report(
        "missing-space",
        start + match.start("dash"),
        start + match.start("item"),
        f"`-{item}` has no space after the dash, so it is no item of a list",
        help=f"write `- {item}`",
    )
    problem.mended.replace(start + match.start("item"), start + match.start("item"), " ")
    return True


def dash_in_line(problem: Problem) -> bool | None:
    """`key: - item`: a list that begins on the line of its key."""
    if problem.what != "block sequence entries are not allowed in this context":
        return None
    problem.report(
        "yaml-syntax",
        problem.at,
        problem.at + 1,
        "a list cannot begin on the line of its key",
        help="put each `- item` on a line of its own below the key, or write `[item, item]`",
    )
    problem.mended.replace(problem.at, problem.at, "\n" + " " * problem.column)
    return True


def indentation(problem: Problem) -> bool | None:
    """A line that lines up with nothing above it."""
    if problem.in_flow or problem.at >= len(problem.text):
        return None
    if not problem.what.startswith("did not find expected"):
        return None
    depth = len(problem.line) - len(problem.line.lstrip(" "))
    if depth != problem.column:
        return None
    dash = _NO_SPACE_DASH.match(problem.line)
    if dash is not None:
        return _space_after_dash(problem, problem.line_start, dash)
    columns = _open_columns(problem)
    if depth in columns:
        return _item_or_key(problem)
    nearest = min(columns, key=lambda column: (abs(column - depth), -column), default=None)
    if nearest is None:
        return None
    problem.report(
        "indentation",
        problem.line_start,
        problem.line_start + max(depth, 1),
        f"`{problem.line.strip()[:60]}` is indented by {depth}, and nothing above it is",
        help="line it up with what it belongs to: columns above are "
        + ", ".join(str(column) for column in sorted(columns)),
    )
    problem.shift_block(nearest - depth)
    problem.mended.guessed = True
    return True


def _item_or_key(problem: Problem) -> bool:
    if problem.line.lstrip().startswith("- "):
        message = "a list item stands among the keys of a mapping"
        advice = "indent it below the key whose list it is in"
    else:
        message = f"`{problem.line.strip()[:60]}` stands among the items of a list"
        advice = "begin an item with `- `, or indent the line below the item it belongs to"
    problem.report(
        "indentation",
        problem.at,
        problem.line_start + len(problem.line.rstrip()),
        message,
        help=advice,
    )
    return False


def _open_columns(problem: Problem) -> set[int]:
    """Return the columns at which the line could go on what stands above it."""
    columns: set[int] = set()
    limit: int | None = None
    for _, line in problem.lines_before():
        here = [len(line) - len(line.lstrip(" "))]
        while line.startswith("- ", here[-1]):
            rest = line[here[-1] + 1 :]
            here.append(len(line) - len(rest.lstrip(" ")))
        for column in here:
            if limit is None or column < limit:
                columns.add(column)
        limit = here[0] if limit is None else min(limit, here[0])
        if limit == 0:
            break
    return columns
