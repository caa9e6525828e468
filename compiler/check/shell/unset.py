"""Which variables a script reads that neither it nor anybody before it has set."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from compiler.check.shell.calls import Call, calls, program
from compiler.check.shell.syntax import DYNAMIC, Command, Expansion, Word
from compiler.check.shell.text import ScriptText

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[\])?\+?=", re.ASCII)
_ASKING = frozenset({"-", ":-", "=", ":=", "+", ":+"})
_DECLARING = frozenset({"declare", "export", "local", "readonly", "typeset"})
_READING = frozenset({"getopts", "mapfile", "printf", "read", "readarray"})
_FROM_OUTSIDE = frozenset({".", "eval", "source"})


def read_unset(script: ScriptText, names: Collection[str], knows: str) -> list[Expansion]:
    """Return where a script first reads each of `names` that it neither sets nor asks for.

    Bash ends a script there, under `set -u`. One that asks for the variable `knows` knows what
    there may not be; what other files set, or code that is made meanwhile, nobody knows.
    """
    if script.parsed.broken is not None:
        return []
    shared = script.parsed.shared
    reads = sorted(shared.expansions.values(), key=lambda one: one.start)
    if not any(one.name in names for one in reads):
        return []
    told = _Told({one.name for one in reads if one.operator in _ASKING} | shared.loops)
    for inner in script.parsed.script.scripts():
        for command in inner.commands():
            told.take(command)
    if told.is_open or knows in told.known:
        return []
    found: dict[str, Expansion] = {}
    for one in reads:
        if one.name in names and one.name not in told.known and not told.is_set(one):
            found.setdefault(one.name, one)
    return list(found.values())


@dataclass(slots=True)
class _Told:
    """What a script tells of its variables: `known` are set, or asked for, wherever it is.

    `words` are those that set a variable; what they themselves read of it they do not set.
    """

    known: set[str]
    words: dict[str, list[Word]] = field(default_factory=dict)
    is_open: bool = False

    def is_set(self, read: Expansion) -> bool:
        """Whether another word than the one that a variable is read in sets it."""
        words = self.words.get(read.name, ())
        return any(not word.start <= read.start < word.end for word in words)

    def take(self, command: Command) -> None:
        """Take in what a command tells."""
        if not command.words:  # before a program they are set for it alone
            for word in command.assignments:
                self._sets(word)
        if command.keyword == "[[":
            self.known.update(_asked(command.words))
        for call in calls(command):
            self._takes(program(call.name), call)

    def _takes(self, name: str, call: Call) -> None:
        values = [word.value for word in call.arguments]
        if name in _FROM_OUTSIDE or (name == "set" and _allows_unset(values)):
            self.is_open = True
        elif name in _DECLARING:
            for word in call.arguments:
                self._sets(word)
        elif name in _READING:
            self.known.update(values)
        elif name in ("[", "test"):
            self.known.update(_asked(call.arguments))

    def _sets(self, word: Word) -> None:
        if word.value.startswith(DYNAMIC):  # export $(cat FILE)
            self.is_open = True
        elif match := _ASSIGNMENT.match(word.value):
            self.words.setdefault(match[1], []).append(word)


def _asked(words: Collection[Word]) -> Iterator[str]:
    values = [word.value for word in words]
    for at, value in enumerate(values[:-1]):
        if value == "-v":
            yield values[at + 1]


def _allows_unset(values: list[str]) -> bool:
    return any(re.fullmatch(r"\+[a-zA-Z]*u[a-zA-Z]*", value) for value in values) or (
        "+o" in values and "nounset" in values
    )
