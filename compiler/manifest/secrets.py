"""The names of the secrets in values and steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from compiler.check.program import (
    Action,
    Fields,
    Items,
    Program,
    Script,
    Secret,
    Step,
    Value,
    every_step,
)


def secrets_of(values: Iterable[Value]) -> list[str]:
    """Return the names of the secrets in values, each once, in order."""
    return sorted(set(chain.from_iterable(map(_secrets, values))))


def secrets_of_step(step: Step) -> list[str]:
    """Return the names of the secrets that a step is given."""
    values = [value for _, value in step.env]
    match step.kind:
        case Action(inputs=inputs, variables=variables):
            values += [inputs, *(value for _, value in variables)]
        case Script(variables=variables):
            values += [value for _, value in variables]
        case _:
            pass
    return secrets_of(values)


def secrets_read(program: Program) -> frozenset[str]:
    """Return the names of all secrets that runs of a workflow read, wherever their steps run."""
    found = set(secrets_of(one.to for one in program.notify))
    for step in (*every_step(program.steps), *every_step(program.handlers)):
        found.update(secrets_of_step(step))
        if step.compensate is not None:
            found.update(secrets_of_step(step.compensate))
    return frozenset(found)


def _secrets(value: Value) -> Iterator[str]:
    match value:
        case Secret(parts=parts):
            yield from (text for kind, text in parts if kind == "secret")
        case Fields(items=fields):
            yield from chain.from_iterable(_secrets(item) for _, item in fields)
        case Items(items=items):
            yield from chain.from_iterable(map(_secrets, items))
        case _:
            return
