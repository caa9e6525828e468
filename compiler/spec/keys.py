"""Keys that a mapping does not have: the nearest one, another tool's, or another kind of step's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import get_args

from compiler.spec.written.parts import Written
from compiler.spec.written.scalars import nearest
from compiler.spec.written.steps import KINDS

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
    for name in allowed(model):
        if snake(name) == snake(key):
            return name
    return None


def foreign(model: type[Written], key: str) -> tuple[str | None, str] | None:
    """Return what stands here for another tool's key: the key with that value, and the advice."""
    found = model.foreign.get(key)
    if found is not None:
        return found
    for name, advice in model.foreign.items():
        if snake(name) == snake(key):
            return advice
    return None


def elsewhere(model: type[Written], key: str) -> str | None:
    """Return which kind of step has a key that this one has not."""
    if model not in KINDS.values():
        return None
    owners = [other.place for other in KINDS.values() if key in allowed(other)]
    return " or ".join(owners) if owners else None


def advice(model: type[Written], key: str) -> str:
    """Return what to do about an unknown key that is no other tool's."""
    near = nearest(key, allowed(model))
    if near:
        return f"did you mean `{near}`?"
    return f"the keys here are {', '.join(allowed(model))}"


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
