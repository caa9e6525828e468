"""The commands of a page, typed as its reader would, and what they print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from cli.here import addresses
from tests.cli.calling import Ended, call
from tests.docs.pages import ROOT

USUAL = "http://127.0.0.1:8321"
"""What pages call the address of `stepsmith dev`; a test's is another one."""
_NODE = ROOT / "node_modules" / ".bin"
_PATIENCE = 120
_LOOK_SECONDS = 0.05
_INTERRUPT = "^C"
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.com",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.com",
}


@dataclass
class _Program:
    """A program that goes on in the background, and the file of what it prints.

    One that `serves` goes on until it is interrupted.
    """

    process: subprocess.Popen[bytes]
    file: Path
    serves: bool

    def printed(self) -> str:
        return self.file.read_text(encoding="utf-8", errors="replace")


@dataclass
class Terminal:
    """Carries commands out in this process' folder; each method returns what is wrong, or None.

    What goes on in the background writes into files beside `folder`. `url` is where it is served.
    """

    folder: Path
    url: str | None = None
    _running: list[_Program] = field(default_factory=list)

    def type(self, text: str, code: int) -> str | None:
        """Carry out the commands of a block, of which the last exits with a code."""
        commands = _commands(text)
        for at, (command, expected) in enumerate(commands):
            ended = _run(self._here(command))
            if ended.code != (code if at == len(commands) - 1 else 0):
                return f"{command}: exits {ended.code}\n{ended.err}{ended.out}"
            texts = (ended.out, ended.err, ended.err + ended.out)
            if expected and not any(is_shown(expected, text) for text in texts):
                return f"{command}: prints\n{ended.out}{ended.err}"
        return None

    def begin(self, text: str) -> str | None:
        """Start a command that goes on, and wait until it has printed what it should."""
        ((command, expected),) = _commands(text)
        serves = command.startswith("stepsmith dev")
        port = " --port 0" if serves else ""
        file = self.folder.with_name(f"background-{len(self._running)}")
        process = _started(f"exec {self._here(command)}{port}", file)
        program = _Program(process, file, serves)
        self._running.append(program)
        if not _waited(program, [*expected, "..."]):
            return f"{command}: prints\n{program.printed()}"
        address = addresses.read(addresses.DEV)
        self.url = self.url if address is None else address.url
        return None

    def interrupt(self, text: str, code: int) -> str | None:
        """Press Ctrl-C where `stepsmith dev` runs; what it prints then is the end of it all."""
        keys, *expected = text.splitlines()
        assert keys == _INTERRUPT, f"what ends a program is {_INTERRUPT}"
        program = next(one for one in reversed(self._running) if one.serves)
        program.process.send_signal(signal.SIGINT)
        ended = program.process.wait(_PATIENCE)
        if ended != code:
            return f"after Ctrl-C it exits {ended}\n{program.printed()}"
        if not is_shown(["...", *expected], program.printed()):
            return f"after Ctrl-C it has printed\n{program.printed()}"
        return None

    def shows(self, text: str) -> str | None:
        """Wait until the program in the background has printed further lines."""
        program = self._running[-1]
        if not _waited(program, ["...", *text.splitlines(), "..."]):
            return f"it prints\n{program.printed()}"
        return None

    def end(self) -> None:
        """End what still runs in the background, the newest first."""
        for program in reversed(self._running):
            program.process.terminate()
            program.process.wait(_PATIENCE)

    def _here(self, command: str) -> str:
        return command if self.url is None else command.replace(USUAL, self.url)


def _waited(program: _Program, expected: list[str]) -> bool:
    """Wait until a program has printed something; whether it has."""
    began = time.monotonic()
    while True:
        is_over = program.process.poll() is not None or time.monotonic() - began > _PATIENCE
        if is_shown(expected, program.printed()):
            return True
        if is_over:
            return False
        time.sleep(_LOOK_SECONDS)


def missing(need: str) -> str | None:
    """Return why this machine cannot carry out a block that needs a program, or None."""
    return None if shutil.which(need) else f"there is no {need}"


def _started(command: str, file: Path) -> subprocess.Popen[bytes]:
    # A shell has what it starts in the background ignore Ctrl-C, and that is handed down.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with file.open("wb") as out:
            return subprocess.Popen(
                ["bash", "-c", command],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
    finally:
        signal.signal(signal.SIGINT, before)


def _commands(text: str) -> list[tuple[str, list[str]]]:
    """Return the commands of a block, each with the lines that it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1] = (f"{found[-1][0].removesuffix(chr(92))} {line[2:].strip()}", [])
        else:
            found[-1][1].append(line)
    return found


def _run(command: str) -> Ended:
    # A program of its own costs a second, and these two are all that the shell does for it.
    alone = command.replace("$PWD", str(Path.cwd())).removesuffix("< /dev/null")
    words = shlex.split(alone, comments=True)
    if words[0] == "cd":
        os.chdir(words[1])
        return Ended(0, "", "")
    if words[0] == "stepsmith" and not set(" ".join(words)) & set("|<>$;&"):
        return call(*words[1:])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def _environment() -> dict[str, str]:
    path = os.pathsep.join((str(Path(sys.executable).parent), str(_NODE), os.environ["PATH"]))
    return {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", **_GIT}


# --- what is printed -----------------------------------------------------------------------------

_ALIKE = (
    (re.compile(r"\d\d\d\d-\d\d-\d\d"), "2026-01-01"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "00:00:00"),
    (re.compile(r"\b\d+(\.\d+)? ?s\b"), "0 s"),
    (re.compile(r"\b127\.0\.0\.1:\d+"), "127.0.0.1:0"),
    (re.compile(r"\b\w+\.(execute-api\.localhost):\d+"), r"\1:0"),
    (re.compile(r"\b([a-z][\w-]*)-[0-9a-f]{8,20}\b"), r"\1-0"),
    (re.compile(r"^([✓✗] .*) 0 s of .*"), r"\1"),
)


def is_shown(expected: list[str], printed: str) -> bool:
    """Whether lines are what was printed; `...` stands for any lines, others follow each other.

    Inside a line, `...` stands for any text.
    """
    lines = [_alike(line) for line in printed.splitlines()]
    chunks: list[list[re.Pattern[str]]] = [[]]
    for line in expected:
        if line.strip() == "...":
            chunks.append([])
        else:
            chunks[-1].append(re.compile(re.escape(_alike(line)).replace(r"\.\.\.", ".*")))
    at = 0
    for place, chunk in enumerate(chunks):
        starts = range(at, len(lines) - len(chunk) + 1) if place else [0]
        begin = next((n for n in starts if _fits(chunk, lines[n : n + len(chunk)])), None)
        if begin is None:
            return False
        at = begin + len(chunk)
    return at == len(lines) or not chunks[-1]


def _fits(chunk: list[re.Pattern[str]], lines: list[str]) -> bool:
    return len(chunk) == len(lines) and all(
        one.fullmatch(line) for one, line in zip(chunk, lines, strict=True)
    )


def _alike(line: str) -> str:
    """Return a line without what differs from run to run, and the width of columns."""
    line = " ".join(line.split())
    for pattern, same in _ALIKE:
        line = pattern.sub(same, line)
    return line
