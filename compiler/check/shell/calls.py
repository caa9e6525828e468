"""Which program a command calls, behind `sudo`, `env`, `xargs` and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiler.check.shell.syntax import Command, Word

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A command that runs the one after it.

    `valued` are its options that take the next word; `operands` words stand before the command;
    `builtin` if it is part of bash; `inner` if it runs bash's own commands too.
    """

    valued: frozenset[str] = frozenset()
    operands: int = 0
    builtin: bool = False
    inner: bool = False


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREFIXES: dict[str, Prefix] = {
    "builtin": Prefix(builtin=True, inner=True),
    "chroot": Prefix(operands=1),
    "command": Prefix(builtin=True, inner=True),
    "doas": Prefix(_options("-u -C")),
    "env": Prefix(_options("-u --unset -C --chdir")),
    "exec": Prefix(_options("-a"), builtin=True),
    "flock": Prefix(_options("-w --timeout -E"), operands=1),
    "ionice": Prefix(_options("-c -n -p -P -u")),
    "nice": Prefix(_options("-n --adjustment")),
    "nohup": Prefix(),
    "setsid": Prefix(),
    "stdbuf": Prefix(_options("-i -o -e")),
    "sudo": Prefix(_options("-u -g -h -p -C -r -t -U -D -R -T --user --group")),
    "time": Prefix(_options("-f -o")),
    "timeout": Prefix(_options("-s -k --signal --kill-after"), operands=1),
    "unbuffer": Prefix(),
    "xargs": Prefix(_options("-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter")),
    "xvfb-run": Prefix(_options("-n -s --server-args")),
}
_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


@dataclass(frozen=True, slots=True)
class Call:
    """A program or builtin that is called: its word, those after it, and what it stands behind.

    `outside` is set where bash's own commands and functions are out of reach.
    """

    name: Word
    arguments: Sequence[Word]
    outside: bool


def calls(command: Command) -> Iterator[Call]:
    """Yield what a simple command calls, prefixes first."""
    words: Sequence[Word] = command.words
    outside = False
    while words and not command.keyword:
        name, words = words[0], words[1:]
        yield Call(name, words, outside)
        if program(name) == "find":
            yield from _found(words)
            return
        prefix = PREFIXES.get(program(name))
        if prefix is None or (prefix.inner and _asks(words)):
            return
        outside = outside or not prefix.inner
        words = _behind(prefix, words)


def program(word: Word) -> str:
    """Return the name of a program without its folders."""
    return word.value.rpartition("/")[2]


def _asks(words: Sequence[Word]) -> bool:
    # `command -v git` only asks for git.
    return bool(words) and words[0].value in ("-v", "-V")


def _behind(prefix: Prefix, words: Sequence[Word]) -> Sequence[Word]:
    at = 0
    while at < len(words):
        value = words[at].value
        if value == "--":
            at += 1
            break
        if value.startswith("-") and len(value) > 1:
            at += 2 if value in prefix.valued else 1
        elif _ASSIGNMENT.match(value):
            at += 1
        else:
            break
    return words[at + prefix.operands :]


def _found(words: Sequence[Word]) -> Iterator[Call]:
    for at, word in enumerate(words[:-1]):
        if word.value in _EXEC:
            yield Call(words[at + 1], words[at + 2 :], outside=True)
