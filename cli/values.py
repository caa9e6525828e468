"""Files of values that commands take, inputs and events: JSON, or YAML as workflows have it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from protocol.payloads import Json
from protocol.reading import read_json

_EMPTY = "empty-file"
_ADVICE = {"yaml-tag": "put it in quotes", "document-too-large": None}
"""What to write where the advice of a code is for workflows, in which there are expressions."""


class ValuesProblem(Exception):
    """A file that cannot be read as values; the text says where, and why."""


def values_in(file: Path) -> Json:
    """Return the value that a file holds; raises ValuesProblem."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ValuesProblem(f"cannot read '{file}': {error.strerror}") from None
    return values_of(data, str(file))


def values_of(data: bytes, name: str) -> Json:
    """Return the value that a file's bytes are; raises ValuesProblem."""
    if name.endswith(".json"):
        return _json(data, name)
    try:
        return _json(data, name)  # in which pairs of escapes and the like are right
    except ValuesProblem:
        return _yaml(data, name)


def _json(data: bytes, name: str) -> Json:
    try:
        return read_json(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        place = f"{name}:{error.lineno}:{error.colno}"
        raise ValuesProblem(f"{place}: no JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ValuesProblem(f"{name}: byte {error.start + 1} is no UTF-8") from None
    except ValueError as error:
        raise ValuesProblem(f"{name}: no JSON: {error}") from None


def _yaml(data: bytes, name: str) -> Json:
    from cli.output.text import render
    from compiler.diagnostics import Severity
    from compiler.document import read, source_from_bytes, to_plain

    source, found = source_from_bytes(data, name)
    documents = () if found.has_errors else read(source, found)
    wrong = [
        replace(one, help=_ADVICE.get(one.code, one.help))
        for one in found
        if one.severity is Severity.ERROR
    ]
    if any(one.code == _EMPTY for one in wrong):
        raise ValuesProblem(f"{name}: there is nothing in it")
    if wrong:
        raise ValuesProblem(f"{name} cannot be read\n{render(wrong)}".rstrip())
    if len(documents) > 1:
        raise ValuesProblem(f"{name}: it holds {len(documents)} documents, write one")
    plain: Json = json.loads(json.dumps(to_plain(documents[0].root)))  # numbers as numbers alone
    return plain
