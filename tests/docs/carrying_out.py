"""Does what the blocks of a page say, in a folder of the page's own, as its reader would."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent

from tests.cli.calling import Ended, call
from tests.docs.pages import Block
from tests.test_readme import is_part

SETTINGS = """\
stages:
  local:
    approvers: [lead@example.com]
    vars: {bucket: builds}
groups:
  team: [ann@example.com, ben@example.com]
"""
_EXAMPLE = "example.yaml"
_PATIENCE = 60
_TIMES = re.compile(r"\b\d+(\.\d+)? ?s\b")


@dataclass
class Page:
    """The folder of a page, and what its last workflow was; `wrong` is what is not as it says."""

    folder: Path
    name: str
    wrong: list[str] = field(default_factory=list)
    _last: Path | None = None
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        """Make the folder, with settings that examples can count on."""
        self.folder.mkdir(parents=True)
        (self.folder / "stepsmith.yaml").write_text(SETTINGS, encoding="utf-8")
        os.chdir(self.folder)

    def end(self) -> None:
        """End what still runs in the background."""
        for program in self._running:
            program.terminate()
            program.wait(_PATIENCE)

    def carry_out(self, block: Block) -> None:
        """Do what a block says; what differs is added to `wrong`."""
        found = None
        match block.language:
            case "yaml":
                found = self._yaml(block)
            case "text" if "says" in block.says:
                found = self._says(block)
            case "json" if "compiles" in block.says:
                found = self._compiles(block)
            case "console" if "background" in block.says:
                found = self._background(block)
            case "console" if "later" not in block.says:
                found = self._console(block)
            case _ if "file" in block.says:
                self._write(block.says["file"], block.text)
        if found is not None:
            self.wrong.append(f"{self.name}:{block.line}: {found}")

    def _write(self, path: str, text: str) -> Path:
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def _yaml(self, block: Block) -> str | None:
        text = block.text
        if "steps" in block.says:
            text = "steps:\n" + indent(text, "  ")
        file = self._write(block.says.get("file", _EXAMPLE), text)
        if file.name == "stepsmith.yaml" or file.name.endswith(".test.yaml"):
            return None  # read by the commands that follow
        self._last = file
        expected = {code for code in re.split(r", ", block.says.get("fails", "")) if code}
        ended = call("validate", file, "--format", "json")
        if not ended.out:
            return ended.err
        said = {one["code"]: one["message"] for one in json.loads(ended.out)["diagnostics"]}
        if set(said) == expected:
            return None
        return f"expected {sorted(expected) or 'no mistake'}, got {said or 'none'}"

    def _says(self, block: Block) -> str | None:
        assert self._last is not None, "no yaml block stands before"
        printed = call("validate", self._last).out
        if printed.startswith(block.text) and _is_whole(printed[len(block.text) :]):
            return None
        return f"it says:\n{printed}"

    def _compiles(self, block: Block) -> str | None:
        assert self._last is not None, "no yaml block stands before"
        which = ["--machine", "close"] if "close" in block.says else []
        printed = call("compile", self._last, *which)
        if printed.code != 0:
            return printed.err
        whole = json.loads(printed.out)
        return None if is_part(json.loads(block.text), whole) else f"it becomes:\n{printed.out}"

    def _console(self, block: Block) -> str | None:
        commands = _commands(block.text)
        for at, (command, expected) in enumerate(commands):
            ended = _run(command)
            code = int(block.says.get("exits", 0)) if at == len(commands) - 1 else 0
            if ended.code != code:
                return f"{command}: exits {ended.code}\n{ended.err}{ended.out}"
            texts = (ended.out, ended.err, ended.err + ended.out)
            if expected and not any(_is_shown(expected, text) for text in texts):
                return f"{command}: prints\n{ended.out}{ended.err}"
        return None

    def _background(self, block: Block) -> str | None:
        ((command, expected),) = _commands(block.text)
        printed = self.folder.with_name(f"background-{block.line}")
        with printed.open("wb") as file:
            program = subprocess.Popen(
                ["bash", "-c", f"exec {command}"], env=_environment(), stdout=file, stderr=file
            )
        self._running.append(program)
        waited = time.monotonic()
        while not _is_shown([*expected, "..."], printed.read_text(encoding="utf-8")):
            if program.poll() is not None or time.monotonic() - waited > _PATIENCE:
                return f"{command}: prints\n{printed.read_text(encoding='utf-8')}"
            time.sleep(0.05)
        return None


def _is_whole(rest: str) -> bool:
    """Whether nothing is left but the line that counts the mistakes."""
    return len(rest.strip().splitlines()) <= 1


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
    words = shlex.split(alone)
    if words[0] == "cd":
        os.chdir(words[1])
        return Ended(0, "", "")
    if words[0] == "stepsmith" and not set(alone) & set("|<>$;&"):
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
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", **_GIT}


_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.com",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.com",
}


def _is_shown(expected: list[str], printed: str) -> bool:
    """Whether lines are what was printed; `...` stands for any lines, others follow each other."""
    lines = [_alike(line) for line in printed.splitlines()]
    chunks: list[list[str]] = [[]]
    for line in expected:
        if line.strip() == "...":
            chunks.append([])
        else:
            chunks[-1].append(_alike(line))
    at = 0
    for place, chunk in enumerate(chunks):
        starts = range(at, len(lines) - len(chunk) + 1) if place else [0]
        begin = next((n for n in starts if lines[n : n + len(chunk)] == chunk), None)
        if begin is None:
            return False
        at = begin + len(chunk)
    return at == len(lines) or not chunks[-1]


def _alike(line: str) -> str:
    """Return a line without what differs from run to run: times, and the width of columns."""
    line = _TIMES.sub("0 s", " ".join(line.split()))
    return re.sub(r"^([✓✗] .*) 0 s of .*", r"\1", line)
