"""Values and names written as JSONata, and plain values made inert for a JSONata field."""

from __future__ import annotations

import json
import re
from typing import TypeAlias

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BREAKS = re.compile("[\n\r\u2028\u2029]")
_WORDS = frozenset({"and", "or", "in", "true", "false", "null", "function"})

INHERITED = frozenset(
    {
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)
"""Names under which reference JSONata (2.0.6) finds something in every object."""


def text_literal(text: str) -> str:
    """Return a text as JSONata, in single quotes where that saves escapes.

    JSONata has JSON's escapes in both kinds of quotes, and none for a single quote. `${` never
    comes out as such, so that CloudFormation's substitution leaves the text alone.
    """
    body = json.dumps(text, ensure_ascii=False)
    if "'" not in text:
        inner = body[1:-1].replace('\\"', '"') if '"' in text else body[1:-1]
        body = f"'{inner}'"
    body = body.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return body.replace("${", "\\u0024{") if "${" in body else body


def json_literal(value: Json) -> str:
    """Return a JSON value as JSONata."""
    match value:
        case str():
            return text_literal(value)
        case list():
            return f"[{', '.join(json_literal(item) for item in value)}]"
        case dict():
            items = (f"{text_literal(key)}: {json_literal(item)}" for key, item in value.items())
            return f"{{{', '.join(items)}}}"
        case _:
            return json.dumps(value)


def name_step(name: str) -> str | None:
    """Return a member's name as a step of a JSONata path, or None if it cannot be one."""
    if _PLAIN_NAME.fullmatch(name) and name not in _WORDS:
        return name
    if not name or "`" in name or "${" in name or _BREAKS.search(name):
        return None
    return f"`{name}`"


def wrap(text: str) -> str:
    """Return JSONata as the value of a field of a state in JSONata mode."""
    return f"{{% {text} %}}"


def literal(value: Json) -> Json:
    """Return a JSON value that a field in JSONata mode yields as it is.

    Texts that Step Functions would evaluate, or CloudFormation substitute, become expressions
    giving that text. As keys are never evaluated, an object with such a key becomes one
    expression as a whole. So do empty texts, texts of several lines and lists in lists, which
    Step Functions takes as they are, but asl-validator (npm, 4.0.0) does not, and null, which
    no CloudFormation template may hold.
    """
    match value:
        case None:
            return wrap("null")
        case str():
            return wrap(text_literal(value)) if _is_active(value) else value
        case list():
            return [
                wrap(json_literal(item)) if isinstance(item, list) else literal(item)
                for item in value
            ]
        case dict():
            if any("${" in key for key in value):
                return wrap(json_literal(value))
            return {key: literal(item) for key, item in value.items()}
        case _:
            return value


def _is_active(text: str) -> bool:
    if not text or "${" in text or text.lstrip().startswith("{%"):
        return True
    return _BREAKS.search(text) is not None
