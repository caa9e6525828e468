"""Expressions that would become code of a second interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiler.check.shell.calls import Call, calls, program
from compiler.check.shell.interpreters import BUILTINS, Interpreter, Usage, interpreter, usage
from compiler.check.shell.refusals import QUOTED_HEREDOC, code_of
from compiler.check.shell.syntax import Command, Hole, Refusal, Script, Word

_WRITERS = frozenset({"echo", "printf", "cat"})
_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "kubectl", "oc", "finch"})


def mark_code(script: Script) -> None:
    """Refuse the expressions of a script that another program would read as code."""
    for inner in script.scripts():
        for pipeline in inner.pipelines:
            _pipeline(pipeline)


def _pipeline(pipeline: Sequence[Command]) -> None:
    for at, command in enumerate(pipeline):
        for name, interpreter_, used in uses(command):
            refusal = code_of(name, interpreter_.instead)
            for word in used.code:
                _refuse(word, refusal)
            if used.reads:
                _refuse_input(command, pipeline[:at], refusal)
        for inner in command.body.pipelines:
            _pipeline(inner)


def uses(command: Command) -> Iterator[tuple[str, Interpreter, Usage]]:
    """Yield the interpreters that a simple command runs, with their names and their code."""
    called = list(calls(command))
    for call in called:
        found = _of_call(call)
        if found is not None:
            yield call.name.value, found, usage(found, call.arguments)
    if not called or program(called[-1].name) in _WRITERS or _of_call(called[-1]) is not None:
        return
    # Programs such as docker run the command in their last words.
    words = called[-1].arguments
    in_container = program(called[-1].name) in _CONTAINERS
    for at, word in enumerate(words):
        found = interpreter(word)
        if found is None:
            continue
        used = usage(found, words[at + 1 :])
        is_command = in_container and (at == 0 or words[at - 1].value == "--")
        if found.operand and not is_command:
            continue
        yield word.value, found, Usage(used.code, used.reads and in_container)


def _of_call(call: Call) -> Interpreter | None:
    found = None if call.outside else BUILTINS.get(call.name.value)
    return found or interpreter(call.name)


def _refuse(word: Word, refusal: Refusal) -> None:
    for hole in _holes(word):
        if hole.refusal is QUOTED_HEREDOC:
            hole.refusal = None
        hole.refuse(refusal)


def _holes(word: Word) -> Iterator[Hole]:
    """Yield the expressions whose values end up in a word's text.

    What a program such as curl makes of its arguments is not known to hold them.
    """
    yield from word.holes
    for script in (*word.substitutions, *word.processes):
        yield from _written(script)


def _written(script: Script) -> Iterator[Hole]:
    for command in script.commands():
        yield from _written_by(command)


def _written_by(command: Command) -> Iterator[Hole]:
    if any(program(call.name) in _WRITERS for call in calls(command)):
        for word in command.all_words():
            yield from _holes(word)


def _refuse_input(command: Command, before: Sequence[Command], refusal: Refusal) -> None:
    for redirect in command.redirects:
        for word in (redirect.body, redirect.target if redirect.operator == "<<<" else None):
            if word is not None:
                _refuse(word, refusal)
        if redirect.operator == "<" and redirect.target.processes:
            _refuse(redirect.target, refusal)
    for process in (inner for word in command.words for inner in word.processes):
        for hole in _written(process):
            hole.refuse(refusal)
    for earlier in before:
        for part in (earlier, *earlier.body.commands()):
            for hole in _written_by(part):
                hole.refuse(refusal)
