"""Reads a workflow the way the tests of this folder want it."""

from __future__ import annotations

from textwrap import dedent

from compiler.diagnostics import Diagnostics
from compiler.document import Document, read
from compiler.source import Source
from compiler.spec import Step, Workflow, decode


def document(text: str, name: str = "workflows/example.yaml") -> tuple[Document, Diagnostics]:
    """Return the one document of a text."""
    source = Source(name, dedent(text))
    diagnostics = Diagnostics(source)
    (found,) = read(source, diagnostics)
    assert not diagnostics.has_errors
    return found, diagnostics


def good(text: str, name: str = "workflows/example.yaml") -> Workflow:
    """Return the workflow of a text that has no mistakes."""
    found, diagnostics = document(text, name)
    workflow = decode(found, diagnostics)
    assert [(d.code, d.message) for d in diagnostics] == []
    assert workflow is not None
    return workflow


def mistakes(text: str) -> list[tuple[str, str]]:
    """Return the code of each diagnostic and the text it stands at, in the order of the file."""
    found, diagnostics = document(text)
    decode(found, diagnostics)
    source = found.source.text
    return [(d.code, source[d.span.start : d.span.end]) for d in diagnostics]


def helps(text: str) -> list[str | None]:
    """Return what each diagnostic says to write instead."""
    found, diagnostics = document(text)
    decode(found, diagnostics)
    return [d.help for d in diagnostics]


def step(text: str) -> Step:
    """Return the step of a workflow whose only step is `text` (a mapping, without mistakes)."""
    return good(as_workflow(text)).steps[0]


def step_mistakes(text: str) -> list[tuple[str, str]]:
    """Return the mistakes of a workflow whose only step is `text`."""
    return mistakes(as_workflow(text))


def as_workflow(text: str) -> str:
    """Return a workflow whose only step is `text`."""
    lines = dedent(text).strip().splitlines()
    return "steps:\n  - " + "\n    ".join(lines) + "\n"
