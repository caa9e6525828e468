"""Which outputs a script writes to `$GITHUB_OUTPUT`, as far as can be seen in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.shell.calls import calls, program
from compiler.check.shell.syntax import Command, Script, Word
from compiler.check.shell.text import ScriptText, as_script

_FILE = re.compile(r'"?\$(?:GITHUB_OUTPUT|\{GITHUB_OUTPUT(?::[-?][^}]*)?\})"?')
_LINE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_-]*)(=|<<)(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\([nrt\\])")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}
_WRITING = frozenset({">", ">>", ">|", ">&", "&>", "&>>"})


def outputs_written(script: str | ScriptText) -> frozenset[str]:
    """Return the names that a script writes to the file `$GITHUB_OUTPUT`.

    Seen are `name=value` and `name<<DELIMITER` of echo, printf, heredocs and here strings, their
    output redirected itself, in a block, or through `tee`. What another program writes is not.
    """
    text = script if isinstance(script, str) else script.text
    if "GITHUB_OUTPUT" not in text:
        return frozenset()
    read = as_script(script)
    seen = _Seen(read.masked.text)
    seen.script(read.parsed.script)
    return frozenset(_names("".join(seen.written)))


def _names(written: str) -> Iterator[str]:
    delimiter: str | None = None
    for line in written.split("\n"):
        if delimiter is not None:
            delimiter = None if line == delimiter else delimiter
        elif match := _LINE.match(line):
            yield match[1]
            delimiter = match[3] if match[2] == "<<" else None


class _Seen:
    def __init__(self, text: str) -> None:
        self._text = text
        self.written: list[str] = []

    def script(self, script: Script) -> None:
        self._pipelines(script, to_file=False)
        for command in script.commands():
            for word in command.all_words():
                for inner in (*word.substitutions, *word.processes):
                    self.script(inner)

    def _pipelines(self, script: Script, *, to_file: bool) -> None:
        for pipeline in script.pipelines:
            through_tee = any(self._is_tee(command) for command in pipeline)
            for at, command in enumerate(pipeline):
                is_last = at == len(pipeline) - 1
                self._command(command, to_file=(to_file and is_last) or through_tee)

    def _command(self, command: Command, *, to_file: bool) -> None:
        for redirect in command.redirects:
            if redirect.operator in _WRITING and redirect.descriptor in ("", "1"):
                to_file = self._names_file(redirect.target)
        if command.keyword:
            self._pipelines(command.body, to_file=to_file)
        elif to_file:
            self.written += self._said(command)

    def _names_file(self, word: Word) -> bool:
        return _FILE.fullmatch(self._text[word.start : word.end]) is not None

    def _is_tee(self, command: Command) -> bool:
        return any(
            program(call.name) == "tee" and any(map(self._names_file, call.arguments))
            for call in calls(command)
        )

    def _said(self, command: Command) -> Iterator[str]:
        for call in calls(command):
            name = program(call.name)
            if name == "echo":
                yield _echoed([word.value for word in call.arguments])
            elif name == "printf":
                yield _printed([word.value for word in call.arguments])
            elif name in ("cat", "tee"):
                yield from _poured(command)


def _echoed(words: list[str]) -> str:
    escapes, end = False, "\n"
    while words and re.fullmatch(r"-[neE]+", words[0]):
        escapes = escapes or "e" in words[0]
        end = "" if "n" in words[0] else end
        words = words[1:]
    text = " ".join(words)
    return (_unescaped(text) if escapes else text) + end


def _printed(words: list[str]) -> str:
    if words[:1] == ["--"]:
        words = words[1:]
    if not words or words[0] == "-v":
        return ""
    pattern, values = _unescaped(words[0]), words[1:]
    wanted = len(re.findall(r"%[sbqd]", pattern))
    if not wanted:
        return pattern
    lines: list[str] = []
    for at in range(0, max(len(values), 1), wanted):
        pieces = re.split(r"%[sbqd]", pattern)
        filled = [*values[at : at + wanted], *[""] * wanted][:wanted]
        lines.append("".join(a + b for a, b in zip(pieces, [*filled, ""], strict=True)))
    return "".join(lines)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], text)


def _poured(command: Command) -> Iterator[str]:
    for redirect in command.redirects:
        if redirect.body is not None:
            yield redirect.body.value
        elif redirect.operator == "<<<":
            yield redirect.target.value + "\n"
