"""Diagnostics for programs. All of it is stable but the wording of `message`, `help` and `text`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from compiler.diagnostics import Diagnostic, Label, Severity
from compiler.document.nodes import Json
from compiler.source import Source, Span


def render(files: Sequence[str], diagnostics: Sequence[Diagnostic]) -> str:
    """Return one JSON object: what was read, what was found, how much of it."""
    errors = sum(found.severity is Severity.ERROR for found in diagnostics)
    report: dict[str, Json] = {
        "format": 1,
        "files": list(files),
        "errors": errors,
        "warnings": len(diagnostics) - errors,
        "diagnostics": [as_json(found) for found in diagnostics],
    }
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def as_json(found: Diagnostic) -> dict[str, Json]:
    """Return a diagnostic; lines and columns count characters from 1, `end` is the one behind."""
    return {
        "code": found.code,
        "severity": str(found.severity),
        "message": found.message,
        **_place(found.source, found.span),
        "help": found.help,
        "labels": [_label(label) for label in found.labels],
    }


def _label(label: Label) -> dict[str, Json]:
    return {"text": label.text, **_place(label.source, label.span)}


def _place(source: Source, span: Span) -> dict[str, Json]:
    return {
        "file": source.name,
        "start": _position(source, span.start),
        "end": _position(source, span.end),
    }


def _position(source: Source, offset: int) -> dict[str, Json]:
    line, column = source.line_column(offset)
    return {"line": line, "column": column, "offset": offset}
