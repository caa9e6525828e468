"""Who reads: the step and the part of it in which an expression stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from compiler.check.groups import Entry
from compiler.check.program import Value
from compiler.expressions.types import Type

Part: TypeAlias = Literal["value", "env", "condition", "outputs", "retry", "repeat"]

PLACES_OF_SECRETS = "`env`, `inputs`, `run` and `to` of `notify`"


@dataclass(frozen=True, slots=True)
class Reader:
    """What an expression may read.

    `entry` is the step it belongs to, None for the workflow's own keys; `contexts` are the types
    of everything but `steps` and `env`; `env` are the variables it may read, by name.
    `is_stopped_by_failures`: what is read here is read only if nothing above has gone wrong.
    `no_steps` says what to do instead where no step may be read at all.
    """

    entry: Entry | None
    part: Part
    contexts: Mapping[str, Type]
    env: Mapping[str, Value] = field(default_factory=dict)
    secrets: bool = False
    is_stopped_by_failures: bool = False
    no_steps: str | None = None

    @property
    def own(self) -> Entry | None:
        """The step whose own outputs may be read here: they are what it wrote itself."""
        return self.entry if self.part in ("outputs", "retry", "repeat") else None
