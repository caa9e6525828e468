"""A place where the parser gave up, with the lines around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from compiler.diagnostics import Diagnostics, Label
from compiler.document.repair import Mended
from compiler.source import Span

_LINE_END = re.compile(r"[\r\n]|\Z")


class Problem:
    """One error of the parser; all offsets are those of the text under repair."""

    def __init__(
        self, error: yaml.MarkedYAMLError, mended: Mended, diagnostics: Diagnostics
    ) -> None:
        self.mended = mended
        self.text = mended.text
        self._diagnostics = diagnostics
        self.what: str = error.problem or ""
        self.context: str = error.context or ""
        self.at = min(error.problem_mark.index if error.problem_mark else 0, len(self.text))
        self.began: int | None = error.context_mark.index if error.context_mark else None
        self.line_start = self.start_of_line(self.at)
        self.line_end = self.end_of_line(self.at)

    @property
    def line(self) -> str:
        """The line of the problem."""
        return self.text[self.line_start : self.line_end]

    @property
    def column(self) -> int:
        """How many characters stand before the problem on its line."""
        return self.at - self.line_start

    @property
    def in_flow(self) -> bool:
        """Whether the parser was inside `[...]` or `{...}`."""
        return "flow" in self.context

    def start_of_line(self, at: int) -> int:
        """Return where the line of an offset starts."""
        return max(self.text.rfind("\n", 0, at), self.text.rfind("\r", 0, at)) + 1

    def end_of_line(self, at: int) -> int:
        """Return where the line of an offset ends, before its line break."""
        match = _LINE_END.search(self.text, at)
        return match.start() if match else len(self.text)

    def lines_before(self) -> Iterator[tuple[int, str]]:
        """Yield start and text of the lines above, nearest first, without blanks and comments."""
        start = self.line_start
        for written in reversed(self.text[:start].splitlines(keepends=True)):
            start -= len(written)
            line = written.rstrip("\r\n")
            if line.strip() and not line.lstrip().startswith("#"):
                yield start, line

    def shift_block(self, by: int) -> None:
        """Move the problem's line, and the lines below it that are as deep, by some columns."""
        depth = len(self.line) - len(self.line.lstrip(" "))
        starts = [self.line_start]
        at = self.line_end + 1
        while at < len(self.text):
            end = self.end_of_line(at)
            line = self.text[at:end]
            if line.strip():
                if len(line) - len(line.lstrip(" ")) < depth:
                    break
                starts.append(at)
            at = end + 1
        for start in reversed(starts):
            if by > 0:
                self.mended.replace(start, start, " " * by)
            else:
                self.mended.replace(start, start - by, "")

    def report(
        self,
        code: str,
        start: int,
        end: int,
        message: str,
        help: str | None = None,
        *,
        also: tuple[int, int, str] | None = None,
    ) -> None:
        """Report an error at a range of the text; not after a repair that was a guess."""
        if self.mended.guessed:
            return
        labels: tuple[Label, ...] = ()
        if also is not None:
            labels = (self._diagnostics.label(self._span(also[0], also[1]), also[2]),)
        self._diagnostics.error(
            code,
            self._span(start, end),
            self.mended.source_text(message),
            help=self.mended.source_text(help) if help else None,
            labels=labels,
        )

    def _span(self, start: int, end: int) -> Span:
        first = self.mended.source_offset(start)
        return Span(first, max(first, self.mended.source_offset(end)))
