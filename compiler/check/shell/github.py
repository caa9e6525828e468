"""What a script expects of the runner of GitHub Actions, which there is none of here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from compiler.check.shell.calls import calls, program
from compiler.check.shell.syntax import Command, Word
from compiler.check.shell.text import ScriptText, as_script
from compiler.check.shell.unset import read_unset

_CONTEXTS = {
    "GITHUB_ACTOR": "github.actor",
    "GITHUB_BASE_REF": "github.base_ref",
    "GITHUB_EVENT_NAME": "github.event_name",
    "GITHUB_HEAD_REF": "github.head_ref",
    "GITHUB_JOB": "github.job",
    "GITHUB_REF": "github.ref",
    "GITHUB_REF_NAME": "github.ref_name",
    "GITHUB_REF_TYPE": "github.ref_type",
    "GITHUB_REPOSITORY": "github.repository",
    "GITHUB_RUN_ATTEMPT": "run.attempt",
    "GITHUB_RUN_ID": "run.id",
    "GITHUB_RUN_NUMBER": "run.id",
    "GITHUB_SHA": "github.sha",
    "GITHUB_TRIGGERING_ACTOR": "github.actor",
    "GITHUB_WORKFLOW": "github.workflow",
}


def _given(name: str, value: str) -> str:
    return f'write `env: {{{name}: "{value}"}}` on the step'


_ENV = "write `outputs` of the step, and read them in the `env` of the next one"
_PATH = "set PATH in each script that needs it: every script begins anew"
_STATE = "write `outputs` of the step, and read them where they are needed"
_ADDRESS = "write the address itself"
_NOTHING = "leave it out: there are no actions of GitHub here"
_NO_RUNNER = "leave it out: there are no runners of GitHub here"
VARIABLES = {
    **{name: _given(name, f"${{{{ {read} }}}}") for name, read in _CONTEXTS.items()},
    "GITHUB_ACTION": _NOTHING,
    "GITHUB_ACTIONS": "ask for it with `${GITHUB_ACTIONS:-}`: it is empty here",
    "GITHUB_ACTION_PATH": _NOTHING,
    "GITHUB_ACTION_REF": _NOTHING,
    "GITHUB_ACTION_REPOSITORY": _NOTHING,
    "GITHUB_API_URL": _ADDRESS,
    "GITHUB_ENV": _ENV,
    "GITHUB_EVENT_PATH": (
        'write `env: {EVENT: "${{ toJSON(github.event) }}"}` on the step, and read $EVENT in place '
        "of the file"
    ),
    "GITHUB_GRAPHQL_URL": _ADDRESS,
    "GITHUB_PATH": _PATH,
    "GITHUB_REPOSITORY_OWNER": (
        'write `env: {GITHUB_REPOSITORY: "${{ github.repository }}"}` on the step, and '
        "`${GITHUB_REPOSITORY%%/*}`"
    ),
    "GITHUB_SERVER_URL": _ADDRESS,
    "GITHUB_STATE": _STATE,
    "GITHUB_STEP_SUMMARY": "print it: what a script prints is in the log of its step",
    "GITHUB_TOKEN": _given("GITHUB_TOKEN", "${{ secrets.NAME }}")
    + ": no run is given a token by itself",
    "GITHUB_WORKSPACE": "write `$PWD`: a script begins in the folder with the source",
    "RUNNER_ARCH": "write `$(uname -m)`",
    "RUNNER_ENVIRONMENT": _NO_RUNNER,
    "RUNNER_NAME": _NO_RUNNER,
    "RUNNER_OS": "write `$(uname)`",
    "RUNNER_TEMP": "write `$(mktemp -d)`",
    "RUNNER_TOOL_CACHE": "install tools in the script, or name an `image` that has them",
    "RUNNER_WORKSPACE": "write `$PWD`: a script begins in the folder with the source",
}
"""The variables that GitHub's runner sets, and nobody here, each with what to write instead.

`CI` is set here as well. A script runs under `set -u`, so that reading one of them ends it.
https://docs.github.com/en/actions/reference/workflows-and-actions/variables
"""
_ASKS_WHERE_IT_IS = "GITHUB_ACTIONS"
COMMANDS = {
    "add-path": _PATH,
    "save-state": _STATE,
    "set-env": _ENV,
    "set-output": 'write `echo "NAME=VALUE" >> "$GITHUB_OUTPUT"`, and the step\'s `outputs`',
}
"""Commands that a script prints for GitHub's runner to act on, each with what to write here.

Those that only shape a log (`::group::`, `::error::`) do no harm here.
"""
_COMMAND = re.compile(rf"::({'|'.join(COMMANDS)})(?: |::|$)")


@dataclass(frozen=True, slots=True)
class ForGitHub:
    """What only GitHub's runner knows: characters `start` to `end` of the script.

    `name` is a variable, or a command; `instead` is what to write.
    """

    start: int
    end: int
    name: str
    instead: str


def of_github(script: str | ScriptText, given: Collection[str] = ()) -> tuple[ForGitHub, ...]:
    """Return what a script reads of what GitHub's runner sets, each variable once.

    Not those of `given`, and not what the script sets itself, or asks for beforehand.
    """
    text = script if isinstance(script, str) else script.text
    if "GITHUB_" not in text and "RUNNER_" not in text:
        return ()
    read = as_script(script)
    place = read.masked.original
    return tuple(
        ForGitHub(place(one.start), place(one.end), one.name, VARIABLES[one.name])
        for one in read_unset(read, VARIABLES.keys() - set(given), _ASKS_WHERE_IT_IS)
    )


def said_to_github(script: str | ScriptText) -> tuple[ForGitHub, ...]:
    """Return the commands that a script prints for GitHub's runner."""
    text = script if isinstance(script, str) else script.text
    if "::" not in text:
        return ()
    read = as_script(script)
    found: list[ForGitHub] = []
    for one in read.parsed.script.scripts():
        for command in one.commands():
            for word, name in _said(command):
                start, end = map(read.masked.original, (word.start, word.end))
                found.append(ForGitHub(start, end, f"::{name}::", COMMANDS[name]))
    return tuple(sorted(found, key=lambda one: one.start))


def _said(command: Command) -> Iterator[tuple[Word, str]]:
    for call in calls(command):
        if program(call.name) in ("echo", "printf"):
            for word in call.arguments:
                if found := _COMMAND.match(word.value):
                    yield word, found[1]
