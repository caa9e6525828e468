"""Expressions where bash takes a name, a number or an operator instead of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from compiler.check.shell import refusals
from compiler.check.shell.calls import Call, calls
from compiler.check.shell.syntax import Command, Refusal, Script, Word

_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})
_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_READ_VALUED = frozenset({"-p", "-d", "-n", "-N", "-t", "-u", "-i"})
_MAPFILE_VALUED = frozenset({"-d", "-n", "-O", "-s", "-u", "-C", "-c"})
_NAME = re.compile(r"[^=\[]*")


def mark_places(script: Script, mark: str) -> None:
    """Refuse the expressions of a script that stand where text cannot, and note numbers.

    Bash evaluates numbers as code: an array index inside one may hold `$( )`.
    """
    places = _Places(mark)
    for inner in script.scripts():
        for command in inner.commands():
            places.command(command)


def refuse(word: Word, refusal: Refusal) -> None:
    """Refuse every expression directly in a word."""
    for hole in word.holes:
        hole.refuse(refusal)


def _number(word: Word) -> None:
    for hole in word.holes:
        hole.number = True


class _Places:
    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._integers: set[str] = set()  # the variables that are declared to be numbers so far
        self._range = re.compile(rf"\{{[^{{}},]*(?:\.\.{mark}|{mark}\.\.)[^{{}},]*\}}")
        self._named = re.compile(rf"[\w{mark}]*{mark}[\w{mark}]*(?:\[\])?\+?=")
        self._builtins: dict[str, Callable[[Sequence[Word]], None]] = {
            **dict.fromkeys(_DECLARING, self._declare),
            **dict.fromkeys(("[", "test"), self._test),
            "getopts": lambda words: self._names(words[1:2]),
            "let": self._let,
            "mapfile": lambda words: self._names(_operands(words, _MAPFILE_VALUED)),
            "printf": lambda words: self._after("-v", words),
            "read": lambda words: self._names(_operands(words, _READ_VALUED)),
            "readarray": lambda words: self._names(_operands(words, _MAPFILE_VALUED)),
            "unset": lambda words: self._names(_operands(words, frozenset())),
            "wait": lambda words: self._after("-p", words),
        }

    def command(self, command: Command) -> None:
        for word in command.words:
            if not word.quoted and self._range.search(word.value):
                refuse(word, refusals.RANGE)
        for word in command.assignments:
            name = _name(word)
            if name in self._integers:
                _number(word)
            elif name == "PS4":
                refuse(word, refusals.code_of("PS4", "leave it out of PS4"))
        if command.keyword == "[[":
            self._conditional(command.words)
        if not command.keyword and command.words and self._named.match(command.words[0].value):
            refuse(command.words[0], refusals.VARIABLE)
        for call in calls(command):
            self._call(call)

    def _call(self, call: Call) -> None:
        value = call.name.value
        if value.startswith(self._mark) and "/" not in value:
            refuse(call.name, refusals.COMMAND)
        check = self._builtins.get(value)
        if check is not None and not call.outside:
            check(call.arguments)

    def _names(self, words: Iterable[Word]) -> None:
        for word in words:
            refuse(word, refusals.VARIABLE)

    def _after(self, option: str, words: Sequence[Word]) -> None:
        for before, word in pairwise(words):
            if before.value == option:
                refuse(word, refusals.VARIABLE)

    def _let(self, words: Sequence[Word]) -> None:
        for word in words:
            _number(word)

    def _declare(self, words: Sequence[Word]) -> None:
        flags = "".join(word.value for word in words if word.value.startswith("-"))
        for word in words:
            name = _name(word)
            if self._mark in name or "n" in flags:
                refuse(word, refusals.VARIABLE)
            elif "i" in flags:
                self._integers.add(name)
                _number(word)
            elif "a" in flags.lower():
                refuse(word, refusals.ARRAY_TEXT)

    def _test(self, words: Sequence[Word]) -> None:
        self._after("-v", words)
        for before, word in pairwise(words):
            if self._is_alone(before) and self._is_alone(word):
                refuse(word, refusals.OPERATOR)

    def _conditional(self, words: Sequence[Word]) -> None:
        self._test(words)
        for at, word in enumerate(words):
            if word.value in _NUMERIC:
                for neighbour in words[max(at - 1, 0) : at + 2]:
                    _number(neighbour)

    def _is_alone(self, word: Word) -> bool:
        return set(word.value) == {self._mark}


def _name(word: Word) -> str:
    match = _NAME.match(word.value)
    return "" if match is None else match[0].rstrip("+")


def _operands(words: Sequence[Word], valued: frozenset[str]) -> Iterable[Word]:
    rest = iter(words)
    for word in rest:
        if word.value in valued:
            next(rest, None)
        elif not word.value.startswith("-"):
            yield word
