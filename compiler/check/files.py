"""Files that steps hand on: paths that can be, and readers behind the steps that make them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import PurePosixPath

from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.document.nodes import Json, Mapping, Node, Scalar, Sequence
from compiler.spec import ActionStep

_PATTERN = re.compile(r"[*?]")
_ELSEWHERE = "copy it into the folder that the script begins in, and name it from there"


def check_artifacts(checker: Checker) -> None:
    """Report paths under `artifacts` at which no step can leave anything that is handed on."""
    for entry in checker.groups.entries():
        for at, path in enumerate(entry.step.artifacts):
            why, advice = _unusable(path)
            if why:
                node = checker.context.document.nearest((*entry.step.path, "artifacts", at))
                message = f"`artifacts` names '{path}', {why}"
                checker.error("unusable-path", node.span, message, advice)


def _unusable(path: str) -> tuple[str, str]:
    """Return why a path can be no artifact, and what to write; ("", "") for one that can."""
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts:
        return "which lies outside of the step's folder", _ELSEWHERE
    if path.startswith("~") or "$" in path:
        return "which no shell reads: it stays as it is", _ELSEWHERE
    if _PATTERN.search(path) is None:
        return "", ""
    folder = "/".join(takewhile(lambda part: _PATTERN.search(part) is None, parts))
    instead = f"write '{folder}', the folder" if folder else "name a folder that holds them"
    return "and paths are no patterns here", f"{instead}, or each file"


def check_files(checker: Checker) -> None:
    """Report inputs that name a file which a step makes that is not before their own."""
    makers = _makers(checker)
    if not makers:
        return
    catalogue = checker.context.surroundings.catalogue
    for entry in checker.groups.entries():
        step = entry.step
        if not isinstance(step, ActionStep):
            continue
        contract = catalogue.get(step.action)
        if contract is None or not contract.reads_files:
            continue
        node = checker.context.node(step.inputs.path)
        for scalar in () if node is None else _texts(node):
            found = makers.get(scalar.text, ())
            if found and not any(_is_before(maker, entry) for maker in found):
                _report(checker, entry, found[0], scalar)


def _makers(checker: Checker) -> dict[str, list[Entry]]:
    """Return the steps that make a file, by its path."""
    makers: dict[str, list[Entry]] = {}
    for entry in checker.groups.entries():
        literal = (raw for raw in entry.step.outputs.entries.values() if _is_path(raw))
        for path in {*entry.step.artifacts, *(str(raw) for raw in literal)}:
            makers.setdefault(path, []).append(entry)
    return makers


def _is_path(raw: Json) -> bool:
    return isinstance(raw, str) and "${{" not in raw and ("/" in raw or "." in raw[1:-1])


def _texts(node: Node) -> Iterator[Scalar]:
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, Scalar):
            yield here
        elif isinstance(here, Sequence):
            stack.extend(here.items)
        elif isinstance(here, Mapping):
            stack.extend(value for _, value in here.entries)


def _is_before(maker: Entry, reader: Entry) -> bool:
    """Whether the maker has ended when the reader starts, or nobody can tell.

    Handlers come after all steps; an undo finds what its own step has found and left.
    """
    if reader.group.is_of_handlers and not maker.group.is_of_handlers:
        return True
    if reader.undoes is not None and maker is not reader:
        reader = reader.undoes
    if maker is reader:
        return True
    around = {id(here.group): here for here in reader.enclosing()}
    for outer in maker.enclosing():
        here = around.get(id(outer.group))
        if here is not None:
            group = outer.group
            is_unsure = group.unsure & here.bit
            return bool(is_unsure or outer is here or group.above[here.position] & outer.bit)
    return True


def _report(checker: Checker, entry: Entry, maker: Entry, scalar: Scalar) -> None:
    late, whose = "", "its `depends_on`"
    if entry.undoes is not None:
        late = f"'{entry.undoes.id}', which it undoes, "
        whose = f"the `depends_on` of '{entry.undoes.id}'"
    label = checker.context.label(checker.context.name_span(maker.step), f"'{maker.id}' is here")
    checker.context.diagnostics.error(
        "file-not-there-yet",
        scalar.span,
        f"'{entry.id}' reads '{scalar.text}', which '{maker.id}' makes, but {late}does not come "
        "after it",
        help=f"add '{maker.id}' to {whose}",
        labels=[label],
    )
