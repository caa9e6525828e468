"""Compound commands: `if`, `for`, `case`, `[[ ]]` and the others that hold commands."""

from __future__ import annotations

import re

from compiler.check.shell import refusals
from compiler.check.shell.syntax import Command, Script, Word
from compiler.check.shell.words import Words

_KEYWORD = re.compile(
    r"(?:if|then|elif|else|fi|for|select|while|until|do|done|case|esac|function|time|coproc"
    r"|\{|\}|!|\[\[)(?=[ \t\n;&|()<>]|\\\n|\Z)"
)
_COMPOUND: dict[str, tuple[str, frozenset[str]]] = {
    "if": ("fi", frozenset({"then", "elif", "else"})),
    "while": ("done", frozenset({"do"})),
    "until": ("done", frozenset({"do"})),
    "do": ("done", frozenset()),
    "{": ("}", frozenset()),
}
_ENDS_CASE = re.compile(r";;&|;;|;&")


class Compounds(Words):
    """Reads compound commands, without their redirections."""

    def compound_command(self) -> Command | None:
        """Read the compound command that begins here, if one does."""
        keyword = self.keyword()
        if keyword == "[[":
            return self._test()
        if keyword in ("for", "select"):
            return self._for(keyword)
        if keyword == "case":
            return self._case()
        if keyword in _COMPOUND and keyword != "do":
            return self._compound(keyword)
        if self.peek("(("):
            word = self._arithmetic_word()
            return self._subshell() if word is None else Command("((", words=[word])
        return self._subshell() if self.peek("(") else None

    def _arithmetic_word(self) -> Word | None:
        outer, self.sink = self.sink, Word(self.origin[self.i])
        is_arithmetic = self.arithmetic()
        word, self.sink = self.sink, outer
        return word if is_arithmetic else None

    def keyword(self) -> str:
        """Return the word of the shell's grammar that comes next, or nothing."""
        match = _KEYWORD.match(self.text, self.i)
        return "" if match is None else match[0]

    def newlines(self) -> None:
        """Go over blanks, line breaks and comments."""
        while True:
            self.blanks()
            if self.peek("\n"):
                self.newline()
            elif self.peek("#"):
                self.comment()
            else:
                return

    def vanish(self, word: Word) -> bool:
        """Note that a bare word of expressions only is no word if they are empty."""
        alone = not word.quoted and set(word.value) == {self.shared.mark}
        for hole in word.holes:
            hole.vanishes = alone
        return alone

    def _subshell(self) -> Command:
        start = self.i
        self.i += 1
        body = self.script()
        self._close(start, ")")
        return Command("(", body=body)

    def _close(self, start: int, closing: str) -> None:
        if self.peek(closing):
            self.i += 1
            return
        raise self.unclosed(start, "a bracket", f"{closing} where it ends")

    def _compound(self, keyword: str) -> Command:
        start = self.i
        closing, between = _COMPOUND[keyword]
        body = Script([])
        self.i += len(keyword)
        while True:
            body.pipelines += self.script().pipelines
            found = self.keyword()
            self.i += len(found)
            if found == closing:
                return Command(keyword, body=body)
            if found not in between or not found:
                raise self.unclosed(start, f"`{keyword}`", f"`{closing}` where it ends")

    def _for(self, keyword: str) -> Command:
        start = self.i
        self.i += len(keyword)
        self.blanks()
        command = Command(keyword)
        if self.peek("(("):
            word = self._arithmetic_word()
            if word is None:
                raise self.unclosed(self.i, "a bracket", ")) where it ends")
            command.words.append(word)
        else:
            variable = self.word()
            self.shared.loops.add(variable.value)
            for hole in variable.holes:
                hole.refuse(refusals.VARIABLE)
            self.newlines()
            if re.match(r"in(?=[ \t\n;&|]|\Z)", self.text[self.i : self.i + 3]):
                self.i += 2
                self._arguments(command)
        self._separators_before_body()
        found = self.keyword()
        if found not in ("do", "{"):
            raise self.unclosed(start, f"`{keyword}`", "`do` and `done`")
        command.body = self._compound(found).body
        return command

    def _separators_before_body(self) -> None:
        self.newlines()
        if self.peek(";"):
            self.i += 1
        self.newlines()

    def _arguments(self, command: Command) -> None:
        while True:
            self.blanks()
            word = self.word()
            if word.start == word.end:
                return
            self.vanish(word)
            command.words.append(word)

    def _case(self) -> Command:
        start = self.i
        self.i += len("case")
        self.blanks()
        command = Command("case", words=[self.word()])
        self.newlines()
        if not self.peek("in"):
            raise self.unclosed(start, "`case`", "`in` and `esac`")
        self.i += 2
        while True:
            self.newlines()
            if self.keyword() == "esac":
                self.i += len("esac")
                return command
            self._patterns(start, command)
            command.body.pipelines += self.script().pipelines
            if match := _ENDS_CASE.match(self.text, self.i):
                self.i = match.end()
            elif self.keyword() != "esac":
                raise self.unclosed(start, "`case`", "`esac` where it ends")

    def _patterns(self, start: int, command: Command) -> None:
        if self.peek("("):
            self.i += 1
        while True:
            self.blanks()
            command.words.append(self.word())
            self.blanks()
            if self.peek(")"):
                self.i += 1
                return
            if not self.peek("|"):
                raise self.unclosed(start, "`case`", "`esac` where it ends")
            self.i += 1

    def _test(self) -> Command:
        """Read `[[ ]]`; words there are neither split nor patterns if quoted."""
        start = self.i
        self.i += 2
        command = Command("[[")
        while True:
            self.newlines()
            if self._ends_test():
                self.i += 2
                return command
            if self.i >= len(self.text):
                raise self.unclosed(start, "`[[`", "]] where the test ends")
            is_regex = bool(command.words) and command.words[-1].value == "=~"
            word = self._regex() if is_regex else self.word()
            if word.start == word.end:
                self.i += 1
                word.pieces.append(self.text[self.i - 1])
            command.words.append(word)

    def _ends_test(self) -> bool:
        return re.match(r"\]\](?=[ \t\n;&|)<>]|\Z)", self.text[self.i : self.i + 3]) is not None

    def _regex(self) -> Word:
        outer, self.sink = self.sink, Word(self.origin[self.i])
        while self.i < len(self.text) and self.text[self.i] not in " \t\n":
            if self.peek("("):
                self.group()
            elif self.text[self.i] in ";&|)<>":
                self.i += 1
            else:
                self.piece()
        word, self.sink = self.sink, outer
        word.end = self.origin[self.i]
        return word
