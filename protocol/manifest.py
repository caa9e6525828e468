"""What a version of a workflow is to the functions: its contract, triggers, rules and drawing.

Made by `compiler.manifest`, one JSON document for each version. Whoever starts a run keeps the
document under its digest first, so that a run can be told of when its version is long replaced.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from protocol.payloads import Json

MANIFEST = 1
"""The version of these shapes."""

Point: TypeAlias = tuple[float, float]


class RuleManifest(TypedDict):
    """`protocol.status.Rule` as JSON; its sets are sorted lists."""

    id: str
    depends_on: list[str]
    written: bool
    manual: bool
    continues: list[str]
    has_condition: bool
    has_status_function: bool
    asks: list[str]


class StepManifest(TypedDict):
    """A step as people see it; `kind` as in the language, `line` in the file, from 1."""

    id: str
    name: str
    kind: str
    line: int
    about: NotRequired[str]
    action: NotRequired[str]
    block: NotRequired[str]  # the parallel step that it is in
    undo: NotRequired[bool]  # it has a `compensate`
    repeatable: NotRequired[bool]
    stored: NotRequired[bool]  # it has a stored result: a resume does not repeat it
    secrets: NotRequired[list[str]]


class MappingManifest(TypedDict):
    """A trigger's input: a portable expression, or a literal where the event gives none."""

    name: str
    computed: bool
    value: Json  # portable (protocol.evaluate) where computed, else the literal


class TriggerManifest(TypedDict):
    """A trigger. `settings` are those of its type, as written with defaults filled in."""

    name: str
    type: Literal["git-push", "schedule", "event", "queue", "http", "database"]
    settings: dict[str, Json]
    inputs: list[MappingManifest]
    condition: Json  # portable, None where there is none
    dedupe: NotRequired[dict[str, Json]]  # key: portable expression; window: seconds


class NoticeManifest(TypedDict):
    """Whom `notify` tells, and of what; `to` are portable expressions or texts."""

    on: list[str]
    to: Json


class WorkflowManifest(TypedDict):
    """One version of a workflow."""

    contract: int
    id: str
    version: str
    name: str
    description: str | None
    digest: str  # of the compiled machines and all that stands here
    file: str  # as the project spells it
    source: NotRequired[str]  # the text of the file
    inputs: dict[str, Json] | None  # JSON Schema of an object, defaults inside
    outputs: dict[str, Json] | None
    triggers: list[TriggerManifest]
    steps: list[StepManifest]
    rules: dict[str, RuleManifest]  # in the file's order
    handlers: dict[str, RuleManifest]
    blocks: dict[str, str]
    children: dict[str, str]  # digests by the references that the machine uses
    notify: list[NoticeManifest]
    vars: dict[str, Json]
    patterns: NotRequired[list[dict[str, Json]]]  # of the events that steps wait for
    has_close: bool
    states: NotRequired[dict[str, str]]  # steps by the names of states, where they differ
    graph: NotRequired[dict[str, Json]]  # cards and arrows with their places, for the page
