"""Played scenarios as people read them: a line a case, and of a failed one what differs where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from cli.output.excerpt import Mark, excerpt
from cli.output.paint import Paint, shown, width
from cli.output.units import duration, plural
from cli.scenarios.cases import Case, Difference, Expected, Played, Scenario
from compiler.diagnostics import Diagnostic

if TYPE_CHECKING:
    from compiler.document.nodes import Json
    from compiler.source import Source

_TIMES = ("at_most", "at_least")


class Report(Protocol):
    """What hears a session and reports it (`cli.scenarios.session.Hears`)."""

    def broken(self, path: Path, diagnostics: Sequence[Diagnostic]) -> None:
        """Take note of a file that cannot be played."""

    def began(self, scenario: Scenario) -> None:
        """Take note that the cases of a file begin."""

    def played(self, scenario: Scenario, played: Played, seconds: float) -> None:
        """Take note of a case that was played."""

    def faulted(self, scenario: Scenario, case: Case, fault: str, seconds: float) -> None:
        """Take note of a case that the engine could not carry out."""

    def end(self) -> None:
        """Write what is written at the end."""


class TextReport:
    """Writes each case when it is over, and a sum at the end."""

    def __init__(self, stream: TextIO, *, colour: bool = False) -> None:
        self._stream = stream
        self._paint = Paint(colour)
        self._passed = self._failed = self._broken = 0
        self._seconds = 0.0
        self._column = 0  # where the times stand behind a case's name

    def broken(self, path: Path, diagnostics: Sequence[Diagnostic]) -> None:
        """Write that a file cannot be played; its mistakes are told elsewhere."""
        self._broken += 1
        mistakes = plural(len(diagnostics), "mistake") if diagnostics else "its workflow is wrong"
        self._write(f"{self._paint(shown(str(path)), 'strong')}\n")
        self._write(f"  {self._paint(f'✗ not played: {mistakes}', 'error')}\n")

    def began(self, scenario: Scenario) -> None:
        """Write a file's name."""
        self._column = max((width(shown(case.name)) for case in scenario.cases), default=0) + 2
        self._write(f"{self._paint(shown(scenario.source.name), 'strong')}\n")

    def played(self, scenario: Scenario, played: Played, seconds: float) -> None:
        """Write a case's line, and what differs."""
        self._seconds += seconds
        self._passed += played.passed
        self._failed += not played.passed
        sign = self._paint("✓", "good") if played.passed else self._paint("✗", "error")
        name = shown(played.case.name)
        pad = " " * max(1, self._column - width(name))
        times = self._paint(f"{seconds:6.1f} s   of {spoken(played.takes)}", "faint")
        self._write(f"  {sign} {name}{pad}{times}\n")
        colour = self._paint.on
        self._write(differences(scenario.source, played.differences, colour=colour))
        if not played.passed:
            self._write("".join(f"      {self._paint('note:', 'strong')} {shown(remark)}\n"
                                for remark in played.remarks))  # fmt: skip

    def faulted(self, scenario: Scenario, case: Case, fault: str, seconds: float) -> None:
        """Write that the engine could not carry a case out."""
        del scenario
        self._seconds += seconds
        self._failed += 1
        self._write(f"  {self._paint('✗', 'error')} {shown(case.name)}\n      {shown(fault)}\n")

    def end(self) -> None:
        """Write how many cases passed."""
        counts = [self._paint(f"{self._passed} passed", "good" if self._passed else "faint")]
        if self._failed:
            counts.append(self._paint(f"{self._failed} failed", "error"))
        if self._broken:
            counts.append(self._paint(f"{plural(self._broken, 'file')} not played", "error"))
        self._write(f"\n{', '.join(counts)} in {self._seconds:.1f} s\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def differences(source: Source, found: Sequence[Difference], *, colour: bool) -> str:
    """Return differences with the lines of the file that expect what is not."""
    return "".join(_difference(source, one, Paint(colour)) for one in found)


def _difference(source: Source, one: Difference, paint: Paint) -> str:
    line, column = source.line_column(one.expected.span.start)
    gutter = len(str(line)) + 6
    head = paint(f"      {sentence(one)}", "error")
    place = f"{' ' * gutter}{paint('-->', 'accent')} {shown(source.name)}:{line}:{column}\n"
    lines = excerpt(source, [Mark(one.expected.span, main=True)], "error", gutter, paint)
    hint = "" if one.hint is None else f"{' ' * gutter} = {shown(one.hint)}\n"
    return f"{head}\n{place}{lines}{hint}"


def sentence(one: Difference) -> str:
    """Return a difference in one line: what is expected of what, and what there is."""
    expected = one.expected
    got = value(one.got)
    if expected.aspect in _TIMES and isinstance(one.got, int | float):
        got = spoken(one.got)
    return f"{subject(expected)}: expected {wanted(expected)}, got {got}"


def subject(expected: Expected) -> str:
    """Return what an expectation is about, as a message calls it."""
    if expected.aspect in _TIMES:
        return "takes"
    return expected.subject


def wanted(expected: Expected) -> str:
    """Return what is expected, as a message says it."""
    if expected.aspect in _TIMES:
        assert isinstance(expected.value, int)
        return f"{expected.aspect.replace('_', ' ')} {spoken(expected.value)}"
    return value(expected.value)


def value(found: Json) -> str:
    """Return a value as a message shows it: JSON in one line, words of the language bare."""
    if isinstance(found, str) and found.replace("_", "").isalpha():
        return found
    return "nothing" if found is None else shown(json.dumps(found, ensure_ascii=False))


def spoken(seconds: float) -> str:
    """Return a time in the workflow: `2 d 2 h`, with parts of a second where they count."""
    return duration(round(seconds)) if seconds >= 60 else f"{round(seconds, 3):g} s"
