"""Keys that a mapping does not have: the nearest one, another tool's, or another kind of step's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import get_args

from compiler.document.nodes import Mapping, Node, Path, Scalar, Sequence
from compiler.spec.written.parts import Written
from compiler.spec.written.scalars import nearest
from compiler.spec.written.steps import KINDS, StepPart

_WORD = re.compile(r"[A-Za-z_]+")
_NAME_LISTS = ("depends_on", "artifacts", "assignees", "paths", "branch")
_SHOWN = 4
_EVENTS = ("push", "pull_request")
_ERROR = re.compile(r"[A-Z]\w*(\.\w+)*")  # contexts and functions begin small
_ITEM = re.compile(r"\b(matrix|item|index|strategy)\b")
_SHORT = {
    "concurrency": (re.compile(r".{1,80}"), "group"),
    "retry": (re.compile(r"\d+"), "count"),
    "backoff": (re.compile(r"exponential|fixed"), "type"),
    "conditions": (_ERROR, "error_type"),
    "notify": (re.compile(r"\S+@\S+|group:\S+"), "to"),
    "source": (re.compile(r"\S{1,80}"), "repository"),
    "trigger": (
        re.compile("push|pull_request|git-push|schedule|event|queue|http|database"),
        "type",
    ),
    # In scenarios:
    "expect": (re.compile(r"\w+"), "status"),
    "fail": (re.compile(r"[A-Z]\w*(\.\w+)*"), "type"),
    "takes": (re.compile(r"\d+[smhd]"), "at_most"),
}
"""Mappings that are often written as one value: of which form, and under which key it belongs."""
_TOLD = (
    "write `notify: {on: failed, to: person@example.com}`: of runs, people are told by mail; what "
    "tells a chat or a topic is a step with `action: notify`"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@cache
def allowed(model: type[Written]) -> tuple[str, ...]:
    """Return the keys that a mapping may have, in the order of the language's pages."""
    names = (field.alias or name for name, field in model.model_fields.items())
    return tuple(name for name in names if not name.startswith("<"))


def snake(key: str) -> str:
    """Return a key as this language spells it: `dependsOn` and `depends-on` are `depends_on`."""
    return _CAMEL.sub("_", key).replace("-", "_").replace(" ", "_").lower()


def spelled(model: type[Written], key: str) -> str | None:
    """Return the key that `key` is another spelling of, or None."""
    return _spellings(model).get(snake(key))


@cache
def _spellings(model: type[Written]) -> dict[str, str]:
    return {snake(name): name for name in allowed(model)}


def foreign(model: type[Written], key: str) -> tuple[str | None, str] | None:
    """Return what stands here for another tool's key: the key with that value, and the advice."""
    found = model.foreign.get(key)
    return _foreign_spellings(model).get(snake(key)) if found is None else found


@cache
def _foreign_spellings(model: type[Written]) -> dict[str, tuple[str | None, str]]:
    found: dict[str, tuple[str | None, str]] = {}
    for name, advice in model.foreign.items():
        found.setdefault(snake(name), advice)
    return found


def elsewhere(model: type[Written], key: str) -> str | None:
    """Return which kind of step has a key that this one has not."""
    if model not in KINDS.values():
        return None
    owners = [other.place for other in KINDS.values() if key in allowed(other)]
    return " or ".join(owners) if owners else None


def may_be_common(key: str) -> bool:
    """Whether a key of a step whose kind is not known is one that all steps have, or means one."""
    if key in allowed(StepPart):
        return True
    if any(key in allowed(model) for model in KINDS.values()):
        return False
    return bool(spelled(StepPart, key) or foreign(StepPart, key) or mistyped(StepPart, key))


def advice(model: type[Written], key: str) -> str:
    """Return what to do about an unknown key that is no other tool's."""
    near = nearest(key, allowed(model))
    if near:
        return f"did you mean `{near}`?"
    return f"the keys here are {', '.join(allowed(model))}"


def may_mean(name: str, value: object) -> bool:
    """Whether the value of another key can be read as that of `name`.

    `when: on_success` of another tool is no condition, only a word.
    """
    return name != "condition" or not (
        isinstance(value, str) and _WORD.fullmatch(value) and value not in ("true", "false")
    )


def help_for(path: Path, node: Node) -> str | None:
    """Return how to write what is no mapping, or a list or mapping where it cannot be one."""
    key = next((part for part in reversed(path) if isinstance(part, str)), "")
    if isinstance(node, Scalar) and key in _SHORT:
        return _long_form(path, key, node.text)
    if key in ("escalations", "conditions") and isinstance(node, Mapping):
        first = node.entries[0][0].text if node.entries else "..."
        return f"write it as an item of a list: `{key}: [{{{first}: ...}}]`"
    if key == "run" and isinstance(node, Sequence):
        return "write the lines below `run: |`"
    if key in ("env", "outputs") and isinstance(node, Sequence):
        first = next((item.text for item in node.items if isinstance(item, Scalar)), "")
        name, equals, value = first.partition("=")
        if equals:
            return f"write `{name.strip()}: {value.strip()}`"
        return f"write `{first}: ...`" if first else None
    if key in _NAME_LISTS and isinstance(node, Mapping):
        names = ", ".join(name.text for name, _ in node.entries[:_SHOWN])
        return f"write `{key}: [{names}]`" if len(node.entries) <= _SHOWN else None
    return None


def fixed_name(path: Path, node: Node) -> str | None:
    """Return what to write for the name of something that has the item of a loop in it."""
    if path[-1:] != ("name",) or not isinstance(node, Scalar) or not _ITEM.search(node.text):
        return None
    return "write a plain name: the items of a `for_each` are told apart by themselves"


def _long_form(path: Path, key: str, text: str) -> str | None:
    """Return the mapping that a text stands for which was written in its place."""
    form, name = _SHORT[key]
    if key == "conditions" and path[-1:] == (key,) and not form.fullmatch(text):
        return (
            f'write it as an item of a list: `conditions: ["{text}"]`' if '"' not in text else None
        )
    if not form.fullmatch(text):
        return _TOLD if key == "notify" else None
    if "{" in text or "}" in text:
        if '"' in text:
            return None
        text = f'"{text}"'
    inner = f"{{{name}: {text}}}"
    if key == "trigger" and text in _EVENTS:
        inner = f"{{type: git-push, event: {text}}}"
    if key == "conditions":
        inner = f"[{inner}]"
    return f"write `{key}: {inner}`" if path[-1:] == (key,) else f"write `{inner}`"


def mistyped(model: type[Written], key: str) -> str | None:
    """Return the key that a mistyped one all but certainly means."""
    return nearest(key, allowed(model), cutoff=0.8)


def nested(model: type[Written], names: tuple[str, ...]) -> type[Written]:
    """Return the model of the mapping at a path of keys inside another."""
    for name in names:
        for field_name, field in model.model_fields.items():
            if name in (field.alias, field_name):
                model = next(_models(field.annotation), model)
                break
    return model


def _models(annotation: object) -> Iterator[type[Written]]:
    if isinstance(annotation, type) and issubclass(annotation, Written):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
