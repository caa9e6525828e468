"""Diagnostics as workflow commands of GitHub Actions: they show beside the lines of a change.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Iterable

from compiler.diagnostics import Diagnostic


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return one command a line."""
    return "".join(f"{_command(found)}\n" for found in diagnostics)


def _command(found: Diagnostic) -> str:
    line, column = found.source.line_column(found.span.start)
    end_line, end_column = found.source.line_column(max(found.span.start, found.span.end - 1))
    properties: dict[str, str | int] = {"file": found.source.name, "line": line}
    if end_line == line:
        properties |= {"col": column, "endColumn": end_column + 1}
    else:
        properties |= {"endLine": end_line}  # columns are taken for one line only
    properties["title"] = found.code
    written = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    text = found.message if found.help is None else f"{found.message}\n{found.help}"
    return f"::{found.severity} {written}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
