"""Commands of a bash script: which word is a command, what is compound, where heredocs are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compiler.check.shell import refusals
from compiler.check.shell.compounds import Compounds
from compiler.check.shell.mask import Masked
from compiler.check.shell.reader import Shared
from compiler.check.shell.syntax import (
    BrokenScriptError,
    Command,
    Quoting,
    Redirect,
    Script,
    Word,
)

_REDIRECT = re.compile(
    r"(?P<fd>[0-9]+|\{[A-Za-z_]\w*\})?(?P<op><<<|<<-?|<>|<&|>&|>>|>\||[<>](?!\())|&>>?", re.ASCII
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[\])?\+?=")
_EMPTY_BRACKETS = re.compile(r"[ \t]*\([ \t]*\)")
_ENDS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})


@dataclass(slots=True)
class _Heredoc:
    redirect: Redirect
    delimiter: str
    at: int
    end: int
    quoted: bool
    strip: bool


class Grammar(Compounds):
    """Reads the commands of a script."""

    def __init__(self, text: str, origin: Sequence[int], shared: Shared) -> None:
        super().__init__(text, origin, shared)
        self._heredocs: list[_Heredoc] = []

    def script(self) -> Script:
        """Read commands up to a closing bracket or word, which stays."""
        script = Script([])
        with self.deeper():
            while self._separators():
                script.pipelines.append(self._pipeline())
        return script

    def enclosed(self) -> Script:
        """Read the commands of a substitution, which has heredocs of its own."""
        outer, self._heredocs = self._heredocs, []
        script = self.script()
        self._heredocs = outer + self._heredocs
        return script

    def _separators(self) -> bool:
        """Go over what separates pipelines; answer whether a command follows."""
        while self.i < len(self.text):
            self.blanks()
            if self.i >= len(self.text):
                break
            char = self.text[self.i]
            if char == "\n":
                self.newline()
            elif char == "#":
                self.comment()
            elif char == ")" or self.text.startswith((";;", ";&"), self.i):
                return False
            elif self.text.startswith(("&&", "||"), self.i):
                self.i += 2
            elif char == ";" or (char == "&" and not self.peek("&>")):
                self.i += 1
            else:
                return self.keyword() not in _ENDS
        if self._heredocs:
            self.newline()
        return False

    def newline(self) -> None:
        """Go over a line break, and the heredocs that begin after it."""
        self.i = min(self.i + 1, len(self.text))
        pending, self._heredocs = self._heredocs, []
        for heredoc in pending:
            self._body(heredoc)

    def _body(self, heredoc: _Heredoc) -> None:
        start = end = self.i
        ended = False
        while self.i < len(self.text) and not ended:
            stop = self.text.find("\n", self.i)
            stop = len(self.text) if stop < 0 else stop
            line, end = self.text[self.i : stop], self.i
            self.i = min(stop + 1, len(self.text))
            ended = (line.lstrip("\t") if heredoc.strip else line) == heredoc.delimiter
        if not ended and self.shared.mark in heredoc.delimiter:
            return
        if not ended:
            message = f'the heredoc is never ended by a line "{heredoc.delimiter}"'
            help_ = f"write {heredoc.delimiter} alone on a line, not indented, where it ends"
            raise self.broken(heredoc.at, message, help_, length=heredoc.end - heredoc.at)
        body = Word(self.origin[start], self.origin[end], quoted=heredoc.quoted)
        reader = self.inside(self.text[start:end], self.origin[start : end + 1])
        reader.sink = body
        while reader.i < len(reader.text):
            if not heredoc.quoted:
                reader.quoted_piece(Quoting.HEREDOC)
            elif reader.text[reader.i] == self.shared.mark:
                reader.hole(Quoting.HEREDOC, refusals.QUOTED_HEREDOC)
            else:
                reader.literal()
        heredoc.redirect.body = body

    # -- commands

    def _pipeline(self) -> list[Command]:
        commands: list[Command] = []
        while True:
            while (keyword := self.keyword()) in ("!", "time"):
                self.i += len(keyword)
                self.blanks()
                if keyword == "time" and re.match(r"-p(?=\s)", self.text[self.i : self.i + 3]):
                    self.i += 2
                self.blanks()
            start = self.i
            with self.deeper():
                commands.append(self._command())
            if self.i == start and not self._at_end():
                char = self.text[self.i]
                message = f'"{char}" stands where a command is expected'
                raise self.broken(start, message, "take it out, or quote it")
            self.blanks()
            if not self.peek("|") or self.peek("||"):
                return commands
            self.i += 2 if self.peek("|&") else 1
            self.newlines()

    def _at_end(self) -> bool:
        return self.i >= len(self.text) or self.text[self.i] in "\n;&)"

    def _command(self) -> Command:
        keyword = self.keyword()
        if keyword in _ENDS:
            return Command()
        if keyword == "coproc":
            self.i += len(keyword)
            self.blanks()
            if re.match(r"\w+[ \t]+[{(]", self.text[self.i :]):
                self.word()
                self.blanks()
            with self.deeper():
                return self._command()
        if keyword == "function":
            return self._function()
        command = self.compound_command()
        if command is None:
            return self._simple()
        self._redirects(command)
        return command

    def _function(self) -> Command:
        self.i += len("function")
        self.blanks()
        self._define(self.word())
        if match := _EMPTY_BRACKETS.match(self.text, self.i):
            self.i = match.end()
        self.newlines()
        with self.deeper():
            return self._command()

    def _define(self, name: Word) -> None:
        self.shared.functions.add(name.value)
        for hole in name.holes:
            hole.refuse(refusals.FUNCTION)

    def _simple(self) -> Command:
        command = Command()
        while True:
            self.blanks()
            if self.i >= len(self.text) or self.text[self.i] in "\n;)|":
                return command
            if self.peek("#"):
                self.comment()
                return command
            if self._redirect(command):
                continue
            if self.peek("&"):
                return command
            start = self.i
            word = self.word()
            if self.i == start:
                char = self.text[start]
                help_ = "take it out, or quote it"
                raise self.broken(start, f'"{char}" stands where a word is expected', help_)
            if self._is_definition(command, word):
                with self.deeper():
                    return self._command()
            self._take(command, word)

    def _is_definition(self, command: Command, word: Word) -> bool:
        match = _EMPTY_BRACKETS.match(self.text, self.i)
        if match is None or command.words or command.assignments:
            return False
        self._define(word)
        self.i = match.end()
        self.newlines()
        return True

    def _take(self, command: Command, word: Word) -> None:
        following = self.text[self.i : self.i + 1]
        if following and following in "<>" and word.holes and self.vanish(word):
            word.holes[-1].refuse(refusals.DESCRIPTOR)
        if not command.words and _ASSIGNMENT.match(word.value):
            command.assignments.append(word)
        else:
            self.vanish(word)
            command.words.append(word)
        for element in word.elements:
            self.vanish(element)

    # -- redirections

    def _redirects(self, command: Command) -> None:
        self.blanks()
        while self._redirect(command):
            self.blanks()

    def _redirect(self, command: Command) -> bool:
        match = _REDIRECT.match(self.text, self.i)
        if match is None:
            return False
        start = self.i
        self.i = match.end()
        operator = match["op"] or match[0]
        self.blanks()
        target = self.word()
        if target.start == target.end:
            raise self.broken(start, f'"{match[0]}" needs a file after it', "write its name")
        redirect = Redirect(operator, target, match["fd"] or "")
        command.redirects.append(redirect)
        if operator in ("<<", "<<-"):
            for hole in target.holes:
                hole.refuse(refusals.DELIMITER)
            strip = operator == "<<-"
            self._heredocs.append(
                _Heredoc(redirect, target.value, start, self.i, target.quoted, strip)
            )
        return True


@dataclass(frozen=True, slots=True)
class Parsed:
    """A script as read; `broken` if it could not be read to its end."""

    script: Script
    shared: Shared
    broken: BrokenScriptError | None


def read(masked: Masked) -> Parsed:
    """Return the commands of a script; expressions after a break in it are not known."""
    shared = Shared(masked.mark)
    grammar = Grammar(masked.text, range(len(masked.text) + 1), shared)
    try:
        script = grammar.script()
        if grammar.i < len(masked.text):
            found = grammar.keyword() or masked.text[grammar.i]
            message = f'"{found}" closes nothing in this script'
            raise BrokenScriptError(grammar.i, grammar.i + len(found), message, "take it out")
    except BrokenScriptError as broken:
        return Parsed(Script([]), shared, broken)
    return Parsed(script, shared, None)
