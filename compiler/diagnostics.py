"""What the compiler tells an author: values only, rendered in `cli/output`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from compiler.source import Source, Span


class Severity(StrEnum):
    """How bad a diagnostic is; only an `ERROR` keeps a workflow from being compiled."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that belongs to a diagnostic, with its own short text."""

    span: Span
    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing to tell the author.

    `code` is a slug of `compiler.catalog`; `message` says what is wrong in the file's own words,
    a sentence without a full stop; `help` says what to write instead.
    """

    code: str
    severity: Severity
    message: str
    source: Source
    span: Span
    help: str | None = None
    labels: tuple[Label, ...] = ()


class Diagnostics:
    """Collects what the passes report; a pass goes on after an error as far as it makes sense."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._found: list[Diagnostic] = []
        self._seen: set[tuple[str, str, Span]] = set()
        self._errors = 0

    def error(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        help: str | None = None,
        labels: Sequence[Label] = (),
    ) -> None:
        """Report an error at `span` of this collector's source."""
        self._add(Diagnostic(code, Severity.ERROR, message, self.source, span, help, tuple(labels)))

    def warning(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        help: str | None = None,
        labels: Sequence[Label] = (),
    ) -> None:
        """Report a warning at `span` of this collector's source."""
        self._add(
            Diagnostic(code, Severity.WARNING, message, self.source, span, help, tuple(labels))
        )

    def label(self, span: Span, text: str) -> Label:
        """Return a label for another place of the same source."""
        return Label(span, text, self.source)

    def _add(self, diagnostic: Diagnostic) -> None:
        key = (diagnostic.code, diagnostic.message, diagnostic.span)
        if key in self._seen:
            return
        self._seen.add(key)
        self._errors += diagnostic.severity is Severity.ERROR
        self._found.append(diagnostic)

    @property
    def has_errors(self) -> bool:
        """Whether any error was reported."""
        return self._errors > 0

    def __iter__(self) -> Iterator[Diagnostic]:
        """Yield the diagnostics in the order of their places."""
        return iter(sorted(self._found, key=lambda d: (d.span.start, d.span.end, d.code)))

    def __len__(self) -> int:
        return len(self._found)
