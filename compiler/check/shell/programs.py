"""Which programs a script calls, so that a runner can be chosen which has them."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.shell.calls import calls
from compiler.check.shell.code import uses
from compiler.check.shell.interpreters import BUILTINS, INTERPRETERS
from compiler.check.shell.mask import Masked
from compiler.check.shell.syntax import DYNAMIC, Command
from compiler.check.shell.text import ScriptText, as_script, script_text

# `compgen -b` and `compgen -k` of bash 5.2.
_OF_BASH_TEXT = (
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue "
    "declare dirs disown echo enable eval exec exit export false fc fg getopts hash help "
    "history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly "
    "return set shift shopt source suspend test times trap true type typeset ulimit umask "
    "unalias unset wait time ! [[ coproc"
)
_OF_BASH = frozenset(_OF_BASH_TEXT.split())
_ELSEWHERE = frozenset({"docker", "podman", "nerdctl", "kubectl", "oc", "finch"})
"""Programs whose code runs in a container, not on the runner."""
_SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh", "ash", "eval", "trap"})


def programs(script: str | ScriptText) -> tuple[tuple[str, int], ...]:
    """Return the programs that a script calls, each time with its offset in its text.

    Commands of bash and functions of the script are left out. A name that only the running
    script knows (`"$TOOL" x`) is given as it is written. Code handed to a shell as plain text
    (`sh -c 'git pull'`) is looked through, with the offset of that text. Nothing of a script
    whose syntax is broken.
    """
    return tuple(_programs(as_script(script), depth=0))


def _programs(read: ScriptText, depth: int) -> Iterator[tuple[str, int]]:
    masked, functions = read.masked, read.parsed.shared.functions
    for script in read.parsed.script.scripts():
        for command in script.commands():
            yield from _called(read.text, masked, command, functions)
            if depth < 3:
                yield from _in_code(masked, command, depth)


def _called(
    text: str, masked: Masked, command: Command, functions: set[str]
) -> Iterator[tuple[str, int]]:
    for call in calls(command):
        name, word = call.name.value, call.name
        start = masked.original(word.start)
        if DYNAMIC in name or masked.mark in name:
            yield text[start : masked.original(word.end)], start
        elif name and (call.outside or (name not in _OF_BASH and name not in functions)):
            yield name, start


def _in_code(masked: Masked, command: Command, depth: int) -> Iterator[tuple[str, int]]:
    for name, interpreter, used in uses(command):
        if interpreter not in (INTERPRETERS["bash"], BUILTINS["eval"], BUILTINS["trap"]):
            continue
        if name.rpartition("/")[2] not in _SHELLS or command.words[0].value in _ELSEWHERE:
            continue
        for word in used.code:
            if DYNAMIC not in word.value and masked.mark not in word.value:
                start = masked.original(word.start)
                yield from (
                    (found, start) for found, _ in _programs(script_text(word.value), depth + 1)
                )
