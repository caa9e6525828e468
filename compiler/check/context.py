"""What every rule of the check has at hand: the workflow, its places, where to report."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.check.shell import ScriptText, script_text
from compiler.check.surroundings import Schema, Surroundings
from compiler.diagnostics import Diagnostics, Label
from compiler.document.nodes import Document, Mapping, Node, Path, Scalar
from compiler.expressions.json_schema import from_json_schema
from compiler.expressions.types import Type
from compiler.source import Span
from compiler.spec import Step, Workflow


@dataclass(frozen=True, slots=True)
class Context:
    """The input of the check, as each of its rules reads it."""

    workflow: Workflow
    document: Document
    surroundings: Surroundings
    diagnostics: Diagnostics
    _types: dict[int, tuple[object, Type]] = field(default_factory=dict)
    _scripts: dict[str, ScriptText] = field(default_factory=dict)

    def script(self, text: str) -> ScriptText:
        """Return a script of `run`, read; each text is read once."""
        if text not in self._scripts:
            self._scripts[text] = script_text(text)
        return self._scripts[text]

    def type_of_schema(self, schema: Schema) -> Type:
        """Return the type of what a schema lets pass; each schema is read once."""
        known = self._types.get(id(schema))
        if known is None:
            known = (schema, from_json_schema(schema))  # held, so that its id stays its own
            self._types[id(schema)] = known
        return known[1]

    def node(self, path: Path) -> Node | None:
        """Return the node at a path, or None where nothing was written there."""
        return self.document.find(path)

    def span(self, path: Path) -> Span:
        """Return the place of the value at a path, or of the nearest part written above it."""
        return self.document.nearest(path).span

    def key_span(self, path: Path) -> Span:
        """Return the place of the key that a path ends in, or of the nearest part above it."""
        key = self.document.key(path)
        return self.span(path) if key is None else key.span

    def name_span(self, step: Step) -> Span:
        """Return where a step says its id, or its name, or else what kind of step it is."""
        node = self.document.find(step.path)
        if not isinstance(node, Mapping):
            return self.span(step.path)
        for key in ("id", "name"):
            value = node.get(key)
            if isinstance(value, Scalar):
                return value.span
        key_node = self.document.key(step.path)
        if key_node is not None:
            return key_node.span
        return node.entries[0][0].span if node.entries else node.span

    def line(self, span: Span) -> int:
        """Return the line of a place, counted from 1."""
        return self.document.source.line_column(span.start)[0]

    def label(self, span: Span, text: str) -> Label:
        """Return a second place for a diagnostic."""
        return self.diagnostics.label(span, text)
