"""Does what the blocks of a page say, in a folder of the page's own, as its reader would."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent

from cli.project.project import Projects
from compiler.diagnostics import Diagnostic
from tests.cli.calling import call
from tests.docs.exchanges import Conversation, exchanges
from tests.docs.pages import Block
from tests.docs.terminal import Terminal, missing
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


@dataclass
class Page:
    """The folder of a page, and what its last workflow was; `wrong` is what is not as it says.

    `lacking` says which programs this machine has not; blocks that need them are left alone.
    """

    folder: Path
    name: str
    wrong: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    terminal: Terminal = field(init=False)
    _last: Path | None = None
    _said: Conversation = field(default_factory=Conversation)

    def __post_init__(self) -> None:
        self.terminal = Terminal(self.folder)

    def start(self) -> None:
        """Make the folder, with settings that examples can count on."""
        self.folder.mkdir(parents=True)
        (self.folder / "stepsmith.yaml").write_text(SETTINGS, encoding="utf-8")
        os.chdir(self.folder)

    def end(self) -> None:
        """End what still runs in the background."""
        self.terminal.end()

    def carry_out(self, block: Block) -> None:
        """Do what a block says; what differs is added to `wrong`."""
        if "stack" in block.says:
            return
        lacking = missing(block.says["needs"]) if "needs" in block.says else None
        if lacking is not None:
            self.lacking.append(lacking)
            return
        self.try_out(block)

    def try_out(self, block: Block) -> None:
        """Do what a block says, wherever its page is tried out."""
        found = None
        match block.language:
            case "yaml":
                found = self._yaml(block)
            case "text" if "says" in block.says:
                found = self._says(block)
            case "json" if "compiles" in block.says:
                found = self._compiles(block)
            case "console":
                found = self._console(block)
            case "http":
                found = self._http(block)
            case _ if "file" in block.says:
                self._write(block.says["file"], block.text)
        if found is not None:
            self.wrong.append(f"{self.name}:{block.line}: {found}")

    def _console(self, block: Block) -> str | None:
        code = int(block.says.get("exits", 0))
        match block.says:
            case {"later": _}:
                return None
            case {"background": _}:
                return self.terminal.begin(block.text)
            case {"shows": _}:
                return self.terminal.shows(block.text)
            case {"ends": _}:
                return self.terminal.interrupt(block.text, code)
            case _:
                return self.terminal.type(block.text, code)

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
        if file.name == "stepsmith.yaml":
            projects = Projects()
            projects.of(file.absolute())
            return _messages(projects.found())
        if file.name.endswith(".test.yaml"):
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

    def _http(self, block: Block) -> str | None:
        if self.terminal.url is None:
            return "nothing is served that could be asked"
        for one in exchanges(block.text):
            found = self._said.carry_out(one, self.terminal.url)
            if found is not None:
                return found
        return None


def _messages(found: list[Diagnostic]) -> str | None:
    return "; ".join(one.message for one in found) or None


def _is_whole(rest: str) -> bool:
    """Whether nothing is left but the line that counts the mistakes."""
    return len(rest.strip().splitlines()) <= 1
