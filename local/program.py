"""A compiled workflow as the local engine takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protocol.payloads import Json
from protocol.status import Rule


@dataclass(frozen=True, slots=True)
class Program:
    """What compiling a workflow gave.

    `machines` are definitions with placeholders by the names that `${machine:NAME}` uses, the
    workflow's own under `workflow`. `rules` are the steps in the file's order. `inputs` is the
    contract: a JSON Schema of an object, None where there is none. `lines` are the steps' lines
    in the file. `handlers` are those of `on_failure`; `blocks` name the parallel step that a step
    is in; `children` are the workflows called, by the references that machines use.
    `secrets` are the names of those that the machines read.
    """

    workflow: str
    version: str
    machines: Mapping[str, Mapping[str, Any]]
    rules: Mapping[str, Rule]
    inputs: Mapping[str, Json] | None = None
    lines: Mapping[str, int] = field(default_factory=dict)
    handlers: Mapping[str, Rule] = field(default_factory=dict)
    blocks: Mapping[str, str] = field(default_factory=dict)
    children: Mapping[str, Program] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()
