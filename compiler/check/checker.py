"""The tools that the rules for steps share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.check.context import Context
from compiler.check.groups import Groups
from compiler.check.program import Value
from compiler.check.readers import Reader
from compiler.check.reads import Reads
from compiler.check.typed import Typed
from compiler.check.values import value
from compiler.document.nodes import Json, Node, Path
from compiler.expressions.types import Type
from compiler.source import Span
from compiler.spec import Values


@dataclass(frozen=True, slots=True)
class Checker:
    """Everything a rule needs; `contexts` are the types that hold in the whole workflow."""

    context: Context
    groups: Groups
    reads: Reads
    typed: Typed
    contexts: Mapping[str, Type]

    def error(self, code: str, span: Span, message: str, advice: str | None = None) -> None:
        """Report an error."""
        self.context.diagnostics.error(code, span, message, help=advice)

    def warn(self, code: str, span: Span, message: str, advice: str | None = None) -> None:
        """Report a warning."""
        self.context.diagnostics.warning(code, span, message, help=advice)

    def value(self, raw: Json, path: Path, reader: Reader) -> Value:
        """Return the value written at a path."""
        return value(raw, self.context.document.nearest(path), reader, self.typed)

    def values(
        self, written: Values, reader: Reader
    ) -> tuple[tuple[tuple[str, Value], ...], Node | None]:
        """Return the values of a mapping of names, and the mapping's node."""
        if not written.entries:
            return (), self.context.node(written.path)
        whole = self.context.document.nearest(written.path)
        nodes = {key.text: node for key, node in getattr(whole, "entries", ())}
        items = tuple(
            (name, value(raw, nodes.get(name, whole), reader, self.typed))
            for name, raw in written.entries.items()
        )
        return items, self.context.node(written.path)
