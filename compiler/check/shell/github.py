"""What a script says to the runner of GitHub Actions, which nobody reads here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from compiler.check.shell.calls import calls, program
from compiler.check.shell.syntax import Command, Word
from compiler.check.shell.text import ScriptText, as_script

FILES = {
    "GITHUB_ENV": "write `outputs` of the step, and read them in the `env` of the next one",
    "GITHUB_PATH": "set PATH in each script that needs it: every script begins anew",
    "GITHUB_STATE": "write `outputs` of the step, and read them where they are needed",
    "GITHUB_STEP_SUMMARY": "print it: what a script prints is in the log of its step",
}
"""The variables that name files of GitHub's runner, each with what to write here instead.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""
COMMANDS = {
    "add-path": FILES["GITHUB_PATH"],
    "save-state": FILES["GITHUB_STATE"],
    "set-env": FILES["GITHUB_ENV"],
    "set-output": 'write `echo "NAME=VALUE" >> "$GITHUB_OUTPUT"`, and the step\'s `outputs`',
}
"""Commands that a script prints for GitHub's runner to act on, each with what to write here.

Those that only shape a log (`::group::`, `::error::`) do no harm here.
"""
_FILE = re.compile(rf'"?\$(?:({"|".join(FILES)})|\{{({"|".join(FILES)})\}})"?')
_COMMAND = re.compile(rf"::({'|'.join(COMMANDS)})(?: |::|$)")
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>"})


@dataclass(frozen=True, slots=True)
class ForGitHub:
    """What is said to GitHub's runner: characters `start` to `end` of the script.

    `name` is the variable of a file, or a command; `instead` is what to write.
    """

    start: int
    end: int
    name: str
    instead: str


def said_to_github(script: str | ScriptText) -> tuple[ForGitHub, ...]:
    """Return what a script writes to files of GitHub's runner, and the commands it prints for it.

    A file counts where output is redirected to it, itself or through `tee`; a `${NAME:-FILE}`
    that has another file for when there is none does not.
    """
    text = script if isinstance(script, str) else script.text
    if "GITHUB_" not in text and "::" not in text:
        return ()
    read = as_script(script)
    found: list[ForGitHub] = []
    for one in read.parsed.script.scripts():
        for command in one.commands():
            for word, name, instead in _said(command, read.masked.text):
                start = read.masked.original(word.start)
                found.append(ForGitHub(start, read.masked.original(word.end), name, instead))
    return tuple(sorted(found, key=lambda one: one.start))


def _said(command: Command, text: str) -> Iterator[tuple[Word, str, str]]:
    for redirect in command.redirects:
        if redirect.operator in _WRITING:
            yield from _file(redirect.target, text)
    for call in calls(command):
        name = program(call.name)
        for word in call.arguments:
            if name == "tee":
                yield from _file(word, text)
            elif name in ("echo", "printf") and (found := _COMMAND.match(word.value)):
                yield word, f"::{found[1]}::", COMMANDS[found[1]]


def _file(word: Word, text: str) -> Iterator[tuple[Word, str, str]]:
    match = _FILE.fullmatch(text[word.start : word.end])
    if match is not None:
        name = match[1] or match[2]
        yield word, f"${name}", FILES[name]
