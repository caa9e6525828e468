"""Expressions in a `run` script become environment variables, each with a quoted reference.

Whatever the quoting, only the variable's name ever becomes script text, never the value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from compiler.check.shell.mask import Spot
from compiler.check.shell.syntax import Hole, Quoting, Refusal
from compiler.check.shell.text import ScriptText, as_script
from compiler.check.shell.variables import Names, plain_name
from compiler.diagnostics import Diagnostics
from compiler.document.nodes import Scalar
from compiler.document.offsets import place
from compiler.expressions import Expr
from compiler.expressions import parse as parse_expression
from compiler.expressions.syntax import At
from compiler.source import Span

Parse: TypeAlias = Callable[[str, At, Diagnostics], "Expr | None"]

# In arithmetic a value that holds more than digits becomes a text without code in it, which ends
# the script: an unset variable under `set -u`, a syntax error of arithmetic otherwise.
_NUMBER = "//*[!0-9-]*/{name}_is_not_a_whole_number @"


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable of a script: its value is the expression's, null the empty text.

    `span` is the expression's first place.
    """

    name: str
    expr: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Interpolated:
    """A script without expressions, and the variables it reads instead, each once."""

    text: str
    variables: tuple[Variable, ...]


def interpolate(
    script: Scalar | tuple[str | ScriptText, At],
    diagnostics: Diagnostics,
    parse: Parse = parse_expression,
    *,
    taken: Collection[str] = (),
) -> Interpolated | None:
    """Return a `run` script with a reference to a variable for each `${{ }}`.

    `script` is the scalar, or its text with the places of its characters; `taken` are names of
    variables that the step sets. None after reporting: broken shell syntax, an expression that
    is wrong, or one that stands where its value cannot be passed safely.
    """
    if isinstance(script, Scalar):
        script = (script.text, partial(place, script))
    given, at = script
    read = as_script(given)
    return _Writer(read, at, diagnostics).write(parse, Names(read.text, taken))


class _Writer:
    def __init__(self, script: ScriptText, at: At, diagnostics: Diagnostics) -> None:
        self._text, self._at = script.text, at
        self._masked, self._parsed = script.masked, script.parsed
        self._diagnostics = diagnostics
        self._failed = self._unclosed = False
        self._variables: list[Variable] = []

    def write(self, parse: Parse, names: Names) -> Interpolated | None:
        pieces = list(self._pieces(parse, names))
        self._broken()
        return None if self._failed else Interpolated("".join(pieces), tuple(self._variables))

    def _pieces(self, parse: Parse, names: Names) -> Iterator[str]:
        position = 0
        for spot in self._masked.spots:
            yield self._text[position : spot.start]
            position = spot.end
            hole = self._parsed.shared.holes.get(spot.at)
            if hole is not None and hole.quoting is Quoting.COMMENT:
                # On one line, as the comment would end with it.
                yield " ".join(self._text[spot.start : spot.end].split())
                continue
            expr = self._expression(spot, parse)
            if expr is None or hole is None:
                self._failed = True
            elif hole.refusal is not None:
                self._refuse(spot, expr, hole.refusal)
            else:
                yield self._reference(spot, hole, expr, names)
        yield self._text[position:]

    def _expression(self, spot: Spot, parse: Parse) -> Expr | None:
        if not spot.closed:
            self._unclosed = True
            message = "the expression that begins with ${{ does not end"
            span = self._at(spot.start, spot.end)
            self._diagnostics.error("expression-unclosed", span, message, help="write }} after it")
            return None
        start = spot.start + 3
        inner = self._text[start : spot.end - 2]
        return parse(inner, lambda a, b: self._at(start + a, start + b), self._diagnostics)

    def _reference(self, spot: Spot, hole: Hole, expr: Expr, names: Names) -> str:
        name, is_new = names.of(expr)
        if is_new:
            self._variables.append(Variable(name, expr, self._at(spot.start, spot.end)))
        return reference(name, hole)

    def _refuse(self, spot: Spot, expr: Expr, refusal: Refusal) -> None:
        self._failed = True
        written = " ".join(self._text[spot.start : spot.end].split())
        name = plain_name(expr)
        self._diagnostics.error(
            refusal.code,
            self._at(spot.start, spot.end),
            f'"{written}" {refusal.why}',
            help=(
                f"pass it by `env`: write under `env` of this step\n    {name}: {written}\n"
                f"then {refusal.instead.replace('NAME', name)}"
            ),
        )

    def _broken(self) -> None:
        broken = self._parsed.broken
        # An expression without an end takes the quotes behind it along.
        if broken is None or self._unclosed:
            return
        self._failed = True
        start = self._masked.original(broken.start)
        end = max(self._masked.original(broken.end), start)
        span = self._at(start, min(end, len(self._text)))
        self._diagnostics.error("run-script-syntax", span, broken.message, help=broken.help)


def reference(name: str, hole: Hole) -> str:
    """Return the text that stands for an expression whose value is in variable `name`."""
    inner = name + _NUMBER.format(name=name) if hole.number else name
    braced = f"${{{inner}}}"
    quoted = f'"{braced}"' if hole.number else f'"${name}"'
    match hole.quoting:
        case Quoting.BARE:
            return f"${{{name}:+{quoted}}}" if hole.vanishes else quoted
        case Quoting.SINGLE:
            return f"'{quoted}'"
        case Quoting.ANSI:
            return f"'{quoted}$'"
        case Quoting.DOUBLE | Quoting.HEREDOC:
            return braced
        case Quoting.COMMENT:
            return ""
