"""A bash script character by character: quotes, comments, and the expressions between them.

https://www.gnu.org/software/bash/manual/bash.html#Shell-Syntax
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from compiler.check.shell import refusals
from compiler.check.shell.syntax import (
    BrokenScriptError,
    Expansion,
    Hole,
    Quoting,
    Refusal,
    Script,
    Word,
)

_PLAIN = re.compile(r"[^ \t\n;&|()<>\\'\"$`{}\[\]/:\ue000-\uf8ff]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEEPEST = 90


@dataclass(slots=True)
class Shared:
    """What the readers of one script share; places are those of the masked text.

    `holes` and `expansions` are by the places where they begin, `loops` the variables of `for`.
    """

    mark: str
    holes: dict[int, Hole] = field(default_factory=dict)
    expansions: dict[int, Expansion] = field(default_factory=dict)
    loops: set[str] = field(default_factory=set)
    not_arithmetic: set[int] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    depth: int = 0


class Reader:
    """Reads pieces of `text`; `origin` gives the place of each character in the masked text."""

    def __init__(self, text: str, origin: Sequence[int], shared: Shared) -> None:
        self.text, self.origin, self.shared = text, origin, shared
        self.i = 0
        self.sink = Word(0)

    # -- what the classes below this one give

    def script(self) -> Script:
        """Read commands up to a closing bracket or word, which stays."""
        raise NotImplementedError

    def enclosed(self) -> Script:
        """Read the commands of a substitution, which has heredocs of its own."""
        raise NotImplementedError

    def newline(self) -> None:
        """Go over a line break, and the heredocs that begin after it."""
        raise NotImplementedError

    def dollar(self, *, quoted: bool) -> None:
        """Read what a `$` begins."""
        raise NotImplementedError

    def backtick(self, *, quoted: bool) -> None:
        """Read a substitution in backticks."""
        raise NotImplementedError

    def subscript(self) -> None:
        """Read the index of an array, brackets included."""
        raise NotImplementedError

    # -- places

    def inside(self, text: str, origin: Sequence[int]) -> Reader:
        """Return a reader of a text inside this one, for the same word."""
        reader = type(self)(text, origin, self.shared)
        reader.sink = self.sink
        return reader

    def peek(self, text: str) -> bool:
        """Whether `text` comes next."""
        return self.text.startswith(text, self.i)

    def broken(self, start: int, message: str, help: str, *, length: int = 1) -> BrokenScriptError:
        """Return the error that what begins at `start` is wrong."""
        at = self.origin[min(start, len(self.text))]
        return BrokenScriptError(at, at + length, message, help)

    def unclosed(self, start: int, opening: str, closing: str) -> BrokenScriptError:
        """Return the error that an opening at `start` is never closed."""
        length = len(opening.strip("`")) if opening.startswith("`") else 1
        message = f"{opening} is never closed in this script"
        return self.broken(start, message, f"write {closing}", length=length)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level of nesting more; too many are an error."""
        self.shared.depth += 1
        if self.shared.depth > _DEEPEST:
            help_ = "put the inner parts into variables or a script file"
            raise self.broken(self.i, "the script is nested too deeply", help_)
        yield
        self.shared.depth -= 1

    def hole(
        self, quoting: Quoting, refusal: Refusal | None = None, *, number: bool = False
    ) -> None:
        """Take in the expression that comes next."""
        at = self.origin[self.i]
        hole = Hole(at, quoting, number=number, refusal=refusal)
        self.shared.holes[at] = hole
        self.sink.holes.append(hole)
        self.sink.pieces.append(self.shared.mark)
        self.i += 1

    # -- blanks and comments

    def blanks(self) -> None:
        """Go over blanks and continued lines."""
        while self.i < len(self.text):
            if self.text[self.i] in " \t":
                self.i += 1
            elif self.peek("\\\n"):
                self.i += 2
            else:
                return

    def comment(self) -> None:
        """Go over a comment, up to the end of its line."""
        outer, self.sink = self.sink, Word(self.i)
        end = self.text.find("\n", self.i)
        end = len(self.text) if end < 0 else end
        while (at := self.text.find(self.shared.mark, self.i, end)) >= 0:
            self.i = at
            self.hole(Quoting.COMMENT)
        self.i, self.sink = end, outer

    # -- quotes

    def piece(self) -> None:
        """Read the next piece of unquoted text."""
        char = self.text[self.i]
        if char == self.shared.mark:
            self.hole(Quoting.BARE)
        elif char == "\\":
            self.escape(Quoting.BARE)
        elif char == "'":
            self.single(Quoting.SINGLE)
        elif char == '"':
            self.double()
        elif char == "$":
            self.dollar(quoted=False)
        elif char == "`":
            self.backtick(quoted=False)
        elif char == "[" and _NAME.fullmatch(self.sink.value) and self._is_subscript():
            self.subscript()
        else:
            self.literal()

    def _is_subscript(self) -> bool:
        """Whether the `[` here is that of `name[...]=` rather than of a pattern."""
        closing = self.text.find("]", self.i)
        return closing > 0 and self.text[closing + 1 : closing + 3].lstrip("+")[:1] == "="

    def literal(self) -> None:
        """Read characters without a meaning of their own."""
        match = _PLAIN.match(self.text, self.i)
        end = self.i + 1 if match is None else match.end()
        self.sink.pieces.append(self.text[self.i : end])
        self.i = end

    def escape(self, quoting: Quoting) -> None:
        """Read a backslash and what it quotes."""
        self.sink.quoted = True
        self.i += 1
        following = self.text[self.i : self.i + 1]
        if following == self.shared.mark:
            self.hole(quoting, refusals.BACKSLASH)
            return
        if following != "\n":
            kept = quoting is not Quoting.BARE and following not in '$`"\\'
            self.sink.pieces.append("\\" + following if kept else following)
        self.i = min(self.i + 1, len(self.text))

    def single(self, quoting: Quoting) -> None:
        """Read text in single quotes, or after `$` such with escapes."""
        start = self.i
        self.sink.quoted = True
        self.i += 1
        while not self.peek("'"):
            if self.i >= len(self.text):
                raise self.unclosed(start, "a single quote", "' where the text ends")
            if self.text[self.i] == self.shared.mark:
                self.hole(quoting)
            elif quoting is Quoting.ANSI and self.peek("\\"):
                self._ansi_escape()
            else:
                self.sink.pieces.append(self.text[self.i])
                self.i += 1
        self.i += 1

    def _ansi_escape(self) -> None:
        following = self.text[self.i + 1 : self.i + 2]
        self.i += 1
        if following == self.shared.mark:
            self.hole(Quoting.ANSI, refusals.BACKSLASH)
            return
        self.sink.pieces.append({"n": "\n", "t": "\t"}.get(following, following))
        self.i = min(self.i + 1, len(self.text))

    def double(self) -> None:
        """Read text in double quotes."""
        start = self.i
        self.sink.quoted = True
        self.i += 1
        with self.deeper():
            while not self.peek('"'):
                if self.i >= len(self.text):
                    raise self.unclosed(start, "a double quote", '" where the text ends')
                self.quoted_piece(Quoting.DOUBLE)
        self.i += 1

    def quoted_piece(self, quoting: Quoting, *, number: bool = False) -> None:
        """Read the next piece of text in which only `$`, backticks and backslashes count."""
        char = self.text[self.i]
        if char == self.shared.mark:
            self.hole(quoting, number=number)
        elif char == "\\":
            self.escape(quoting)
        elif char == "$":
            self.dollar(quoted=True)
        elif char == "`":
            self.backtick(quoted=True)
        else:
            self.literal()
