"""A call of `stepsmith test`: files are loaded and their cases played, one after the other."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from cli.console import Console, Misuse
from cli.here.secrets import secrets_here
from cli.output import text
from cli.scenarios.cases import Case, Played, Scenario
from cli.scenarios.files import Loaded, Loader, Named
from cli.scenarios.play import Surroundings, play
from cli.scenarios.source import Sources
from compiler.diagnostics import Diagnostic, Severity
from local.engine import EngineFault
from local.source import SourceError


class Hears(Protocol):
    """What is told of a session while it goes on; `seconds` are real ones."""

    def broken(self, path: Path, diagnostics: Sequence[Diagnostic]) -> None:
        """Take note of a file that cannot be played."""

    def began(self, scenario: Scenario) -> None:
        """Take note that the cases of a file begin."""

    def played(self, scenario: Scenario, played: Played, seconds: float) -> None:
        """Take note of a case that was played."""

    def faulted(self, scenario: Scenario, case: Case, fault: str, seconds: float) -> None:
        """Take note of a case that the engine could not carry out."""


class Session:
    """Plays files and remembers how it went."""

    def __init__(self, hears: Hears, console: Console, source: Path | None = None) -> None:
        self._hears = hears
        self._console = console
        self._source = source
        self.all_passed = True
        self.faults = 0

    def play(self, files: Sequence[Named]) -> None:
        """Load and play files. Raises Misuse for what cannot be read."""
        colour = self._console.colours(self._console.stderr)
        loader = Loader(colour=colour)
        found: list[Diagnostic] = []
        with tempfile.TemporaryDirectory(prefix="stepsmith-test-") as store:
            sources = Sources(Path(store), self._source)
            for named in files:
                loaded, said = loader.load(named)
                found += said
                if loaded is None:
                    self.all_passed = False
                    errors = [one for one in said if one.severity is Severity.ERROR]
                    self._hears.broken(named.path, errors)
                else:
                    self._play(loaded, sources)
        self._console.stderr.write(text.render(found, colour=colour))

    def _play(self, loaded: Loaded, sources: Sources) -> None:
        self._hears.began(loaded.scenario)
        subject = loaded.subject
        root = subject.compiled.project.root
        try:
            source = sources.of(subject.path)
        except SourceError as error:
            raise Misuse(str(error)) from None
        around = Surroundings(source, secrets_here(root, self._console.environ))
        for case in loaded.cases:
            began = time.perf_counter()
            try:
                played = play(case, subject, around)
            except EngineFault as fault:
                self.faults += 1
                self._hears.faulted(loaded.scenario, case, str(fault), time.perf_counter() - began)
                continue
            except SourceError as error:
                raise Misuse(str(error)) from None
            self.all_passed = self.all_passed and played.passed
            self._hears.played(loaded.scenario, played, time.perf_counter() - began)
