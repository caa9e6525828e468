"""The words of an expression."""

from __future__ import annotations

import re
from typing import NamedTuple

from compiler.diagnostics import Diagnostics
from compiler.expressions.syntax import At


class Token(NamedTuple):
    """One word: `kind` is `name`, `number`, `text`, `op` or `end`; `start` and `end` its place.

    `lost` is an operator that was reported and has no meaning here: what is beside it still has.
    """

    kind: str
    text: str
    start: int
    end: int
    value: None | int | float | str = None


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[^\W\d][\w-]*)
    | (?P<text>'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")
    | (?P<wrong>===|!==|<>|=>|[=!]~|\?\?|\?:|&(?!&)|\|(?!\|)|=(?!=))
    | (?P<op>==|!=|<=|>=|&&|\|\||[!<>().,\[\]])
    | (?P<number>-?\.?\d(?:[\w.]|(?<=[eE])[+-])*)
    | (?P<other>\S)
    )""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NO_PATTERNS = "there are no patterns; write startsWith(a, b), endsWith(a, b) or contains(a, b)"
_MEANT = {
    "===": ("==", "write =="),
    "!==": ("!=", "write !="),
    "<>": ("!=", "write !="),
    "=": ("==", "write =="),
    "=>": (">=", "write >="),
    "=~": ("==", _NO_PATTERNS),
    "!~": ("!=", _NO_PATTERNS),
    "&": ("&&", "write &&"),
    "|": ("||", "write || for a default value, or call a function: length(list)"),
    "??": ("||", "write ||, or coalesce(a, b) to replace null only"),
    "?:": ("||", "write ||, or coalesce(a, b) to replace null only"),
}
_SAFE_INTEGER = 2**53 - 1

_NO_ARITHMETIC = "there is no arithmetic here; compute it in a step and read its output"
_NO_WILDCARD = (
    "there is no `.*` here; write failure(), or compare each: steps.build.status == 'failed'"
)
_OTHER = {
    "+": "texts are joined by format('{0}{1}', a, b); numbers cannot be added here",
    "-": _NO_ARITHMETIC,
    "*": _NO_ARITHMETIC,
    "/": _NO_ARITHMETIC,
    "%": _NO_ARITHMETIC,
    "?": "to choose between two values write condition && a || b",
    ":": "to choose between two values write condition && a || b",
    "$": "write the name without $, as in inputs.name or steps.build.outputs.x",
    "`": "quote text with 'single' or \"double\" quotes",
    ";": "write one expression only",
    "{": "an expression is written once in ${{ }}, without braces inside",
    "}": "an expression is written once in ${{ }}, without braces inside",
}

_LOST = frozenset("+-*/%?:")
"""What stands between two values, or before one: the values can still be read."""


class Lexer:
    """Splits characters `start` to `end` of `text` into tokens.

    `failed` tells of an error, `is_broken` of one after which the tokens make no sense.
    """

    def __init__(self, text: str, start: int, end: int, at: At, diagnostics: Diagnostics) -> None:
        self._text, self._start, self._end = text, start, end
        self._at = at
        self._diagnostics = diagnostics
        self.failed = False
        self.is_broken = False

    def tokens(self) -> list[Token]:
        """Return all tokens, an `end` token last; what cannot be read is reported and left out."""
        found: list[Token] = []
        said: set[str | None] = set()
        end = self._end
        for match in _TOKEN.finditer(self._text, self._start, end):
            kind = match.lastgroup or ""
            start, stop = match.span(kind)
            text = match.group(kind)
            if kind == "text":
                found.append(Token(kind, text, start, stop, self._quoted(text, start)))
            elif kind == "number":
                found.append(Token(kind, text, start, stop, self._number(text, start)))
            elif kind == "wrong":
                found.append(Token("op", self._meant(text, start), start, stop))
            elif kind != "other":
                found.append(Token(kind, text, start, stop))
            elif text in "'\"":
                self._error("expression-text", start, end, *_unclosed(text))
                self.is_broken = True
                break
            elif not self.is_broken:
                help_ = _OTHER.get(text, "take it out, or put it inside quotes")
                if text == "*" and found and found[-1].text == ".":
                    help_ = _NO_WILDCARD
                if help_ not in said:
                    message = f'"{text}" has no meaning here'
                    self._error("expression-syntax", start, stop, message, help_)
                said.add(help_)
                self.is_broken = text not in _LOST
                found.append(Token("lost", text, start, stop))
        found.append(Token("end", "", end, end))
        return found

    def _error(self, code: str, start: int, end: int, message: str, help_: str | None) -> None:
        self.failed = True
        self._diagnostics.error(code, self._at(start, end), message, help=help_)

    def _meant(self, text: str, start: int) -> str:
        meant, help_ = _MEANT[text]
        message = f'"{text}" is not an operator of this language'
        self._error("expression-operator", start, start + len(text), message, help_)
        return meant

    def _quoted(self, text: str, start: int) -> str:
        inner = text[1:-1]
        if text[0] == "'":
            return inner.replace("''", "'")
        if "\\" not in inner:
            return inner
        for match in _ESCAPE.finditer(inner):
            if match[1] not in _ESCAPES and len(match[1]) != 5:
                at = start + 1 + match.start()
                message = f'"{match[0]}" is not an escape'
                help_ = f'write "\\\\{match[1]}" for a backslash, or use single quotes'
                self._error("expression-text", at, at + 2, message, help_)
                return ""
        value = _ESCAPE.sub(_unescaped, inner)
        try:
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            message = "half of a surrogate pair is no character"
            self._error("expression-text", start, start + len(text), message, None)
            return ""

    def _number(self, text: str, start: int) -> int | float:
        match = _NUMBER.fullmatch(text)
        stop = start + len(text)
        if match is None:
            self._error(
                "expression-number", start, stop, f'"{text}" is not a number', _digits(text)
            )
            return 0
        if match[1] is None and match[2] is None:
            whole = int(text) if len(text) < 32 else _SAFE_INTEGER + 1
            if abs(whole) <= _SAFE_INTEGER:
                return whole
            message = f'"{text}" has more digits than a number can keep'
            self._error("expression-number", start, stop, message, f"write it as text: '{text}'")
            return 0
        value = float(text)
        if value in (float("inf"), float("-inf")):
            self._error("expression-number", start, stop, f'"{text}" is too large', None)
            return 0
        is_whole = value.is_integer() and abs(value) <= _SAFE_INTEGER
        return int(value) if is_whole else value


def _unescaped(match: re.Match[str]) -> str:
    escape = match[1]
    return chr(int(escape[1:], 16)) if len(escape) == 5 else _ESCAPES[escape]


def _unclosed(quote: str) -> tuple[str, str]:
    doubled = "''" if quote == "'" else '\\"'
    return f"the text that begins with {quote} does not end", (
        f"close it with {quote}; a {quote} inside is written {doubled}"
    )


def _digits(text: str) -> str:
    try:
        value = int(text.lstrip("0") or "0") if text.isdecimal() else int(text, 0)
    except ValueError:
        return "write digits with at most one point and an exponent, or put it in quotes as text"
    return f"write {value}"
