"""What `$` and backticks begin: variables, substitutions, arithmetic.

https://www.gnu.org/software/bash/manual/bash.html#Shell-Expansions
"""

from __future__ import annotations

import re

from compiler.check.shell import refusals
from compiler.check.shell.reader import Reader
from compiler.check.shell.syntax import DYNAMIC, BrokenScriptError, Expansion, Quoting, Script

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPERATOR = re.compile(r":?[-=+?]|")
_PARAMETER = re.compile(r"[!#]?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[-@*#?$!])")


class Expansions(Reader):
    """Reads the expansions in a word."""

    def dollar(self, *, quoted: bool) -> None:
        """Read what a `$` begins."""
        pieces = len(self.sink.pieces)
        following = self.text[self.i + 1 : self.i + 2]
        if following == self.shared.mark:
            self.i += 1
            self.hole(Quoting.DOUBLE if quoted else Quoting.BARE, refusals.DOLLAR)
        elif following == "'" and not quoted:
            self.i += 1
            self.single(Quoting.ANSI)
            return
        elif following == '"' and not quoted:
            self.i += 1
            self.double()
            return
        elif following == "(":
            self.i += 1
            if not (self.peek("((") and self.arithmetic()):
                self._substitution(self.sink.substitutions)
        elif following == "{":
            self._parameter(quoted=quoted)
        elif following == "[":
            self.i += 2
            self._numbers("]")
            self.i += 1
        elif match := _PARAMETER.match(self.text, self.i + 1):
            name = match[0]
            # Without braces `$#x` is `$#` and `x`, and `$10` is `$1` and `0`.
            start = self.i
            self.i += 1 + (len(name) if _NAME.fullmatch(name) else 1)
            self._reads(name, start)
        else:
            self.i += 1
            self.sink.pieces.append("$")
            return
        del self.sink.pieces[pieces:]
        self.sink.pieces.append(DYNAMIC)

    def _reads(self, name: str, start: int, operator: str = "") -> None:
        """Note that a variable is read from `start` to here."""
        if _NAME.fullmatch(name):
            at = self.origin[start]
            found = Expansion(name, at, self.origin[self.i], operator)
            self.shared.expansions[at] = found

    def _substitution(self, scripts: list[Script]) -> None:
        start = self.i
        self.i += 1
        with self.deeper():
            scripts.append(self.enclosed())
        if not self.peek(")"):
            raise self.unclosed(start, "a bracket", ") where the command ends")
        self.i += 1

    def process(self) -> None:
        """Read a substitution that stands for a file: `<( )` or `>( )`."""
        self.i += 1
        self._substitution(self.sink.processes)
        self.sink.pieces.append(DYNAMIC)

    def arithmetic(self) -> bool:
        """Read `((  ))` if that is what comes next, else stay and answer no."""
        start = self.i
        if self.origin[start] in self.shared.not_arithmetic:
            return False
        holes, depth = len(self.sink.holes), self.shared.depth
        try:
            self.i += 2
            self._numbers(")")
        except BrokenScriptError:
            self.i = len(self.text)
        if self.peek("))"):
            self.i += 2
            return True
        # `$((` may also begin a subshell in a substitution.
        self.i, self.shared.depth = start, depth
        del self.sink.holes[holes:]
        for at in [at for at in self.shared.expansions if at >= self.origin[start]]:
            del self.shared.expansions[at]
        self.shared.not_arithmetic.add(self.origin[start])
        return False

    def _numbers(self, closing: str) -> None:
        """Read arithmetic up to the bracket or character that ends it, which stays."""
        start, stack = self.i, [closing]
        with self.deeper():
            while self.i < len(self.text):
                char = self.text[self.i]
                if char == stack[-1]:
                    stack.pop()
                    if not stack:
                        return
                    self.literal()
                elif char in "([":
                    stack.append(")" if char == "(" else "]")
                    self.literal()
                else:
                    self.quoted_piece(Quoting.DOUBLE, number=True)
        raise self.unclosed(start - 1, "arithmetic", f"{closing} where it ends")

    def _parameter(self, *, quoted: bool) -> None:
        start = self.i
        self.i += 2
        match = _PARAMETER.match(self.text, self.i)
        if match is not None:
            self.i = match.end()
        elif self.text[self.i : self.i + 1] in ("!", "#"):
            self.i += 1
        if self.text[self.i : self.i + 1] == self.shared.mark:
            self.hole(Quoting.DOUBLE, refusals.VARIABLE)
        if self.peek("["):
            self.subscript()
        operator = _OPERATOR.match(self.text, self.i)
        with self.deeper():
            self._operand(quoted=quoted)
        if not self.peek("}"):
            raise self.unclosed(start, "`${`", "} where it ends")
        self.i += 1
        if match is not None:
            self._reads(match[0].removeprefix("#"), start, operator[0] if operator else "")

    def _operand(self, *, quoted: bool) -> None:
        """Read the rest of `${name...}`, up to the bracket that ends it."""
        if self.peek(":") and self.text[self.i + 1 : self.i + 2] not in ("-", "=", "?", "+"):
            self.i += 1
            self._numbers("}")
            return
        # These begin a pattern, in which quotes count even inside double quotes.
        is_pattern = self.text[self.i : self.i + 1] in ("#", "%", "/", "^", ",")
        as_text = quoted and not is_pattern
        while self.i < len(self.text) and not self.peek("}"):
            if self.peek('"'):
                self.double()
            elif as_text:
                self.quoted_piece(Quoting.DOUBLE)
            else:
                self.piece()

    def subscript(self) -> None:
        """Read the index of an array, brackets included."""
        holes, pieces = len(self.sink.holes), len(self.sink.pieces)
        self.i += 1
        self._numbers("]")
        self.i += 1
        for hole in self.sink.holes[holes:]:
            hole.refuse(refusals.SUBSCRIPT)
        self.sink.pieces[pieces:] = ["[]"]

    def backtick(self, *, quoted: bool) -> None:
        """Read a substitution in backticks, inside which a backslash quotes another one."""
        start = self.i
        self.i += 1
        inner: list[str] = []
        origin: list[int] = []
        escapes = '$`\\"' if quoted else "$`\\"
        while not self.peek("`"):
            if self.i >= len(self.text):
                raise self.unclosed(start, "a backtick", "` where the command ends")
            if self.peek("\\") and self.text[self.i + 1 : self.i + 2] in tuple(escapes):
                self.i += 1
            inner.append(self.text[self.i])
            origin.append(self.origin[self.i])
            self.i += 1
        origin.append(self.origin[self.i])
        self.i += 1
        with self.deeper():
            reader = self.inside("".join(inner), origin)
            self.sink.substitutions.append(reader.script())
        if reader.i < len(reader.text):
            raise reader.broken(
                reader.i, f'"{reader.text[reader.i]}" closes nothing', "take it out"
            )
        self.sink.pieces.append(DYNAMIC)
