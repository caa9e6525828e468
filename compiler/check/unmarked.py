"""Texts that name what there is to read, but not as an expression: they would stay as they are."""

from __future__ import annotations

import re

from compiler.check.context import Context
from compiler.check.groups import Groups
from compiler.check.typed import Typed, at
from compiler.document.nodes import Node
from compiler.spec.names import same

_PATH = r"(?P<root>inputs|vars|steps)\.(?P<name>[A-Za-z0-9_-]+)(?P<rest>(?:\.[A-Za-z0-9_-]+)*)"
_WHOLE = re.compile(rf"\s*{_PATH}\s*")
_IN_BRACES = re.compile(rf"(?:(?<!\$)\{{\{{|\$\{{)\s*{_PATH}\s*\}}\}}?")
_OF_STEPS = ("outputs", "status", "reason", "error", "items")


def check_unmarked(text: str, node: Node, typed: Typed, *, is_script: bool = False) -> None:
    """Note a text without expressions that is the path of something, or has one in braces.

    Only of what is there: `inputs.csv` may be a file, and `{{ .Name }}` another tool's. In a
    script a bare path is a word like others.
    """
    whole = None if is_script else _WHOLE.fullmatch(text)
    quote = '"' if whole else ""  # which is right in brackets, too
    for found in [whole] if whole else _IN_BRACES.finditer(text):
        if _is_there(found, typed.context, typed.groups):
            meant = found["root"] + "." + found["name"] + found["rest"]
            spans = (at(node)(found.start(), found.end()), node.span)  # node.span has the quotes
            help_ = f"write {quote}${{{{ {meant} }}}}{quote}"
            typed.unmarked.append((spans, found[0].strip(), help_))


def report_unmarked(typed: Typed) -> None:
    """Warn of what was found, but for values that do not fit: that error says it already."""
    diagnostics = typed.context.diagnostics
    told = {one.span for one in diagnostics}
    for spans, text, help_ in typed.unmarked:
        if told.isdisjoint(spans):
            message = f"'{text}' is a text here, and stays as it is"
            diagnostics.warning("unmarked-expression", spans[0], message, help=help_)


def _is_there(found: re.Match[str], context: Context, groups: Groups) -> bool:
    name, rest = found["name"], found["rest"].split(".")[1:]
    match found["root"]:
        case "inputs":
            declared = context.workflow.inputs
            return declared is not None and any(one.name == name for one in declared.fields)
        case "vars":
            return name in context.surroundings.stage.declared_vars
        case _:
            return bool(rest) and rest[0] in _OF_STEPS and same(name) in groups.by_id
