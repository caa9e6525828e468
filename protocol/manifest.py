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


class ResumeManifest(TypedDict):
    """What says whether a stored result of a step still counts, once the workflow is another.

    `fingerprint` is of what the step does, as written: action, inputs, outputs, the lists it is
    repeated for. `reads` are the steps whose results go into that, `each` the most items of each
    list around it, its own last. `loops` are the most that the counters come to which a child's
    id is made of (`functions.domain.keys.child_id`).
    """

    fingerprint: str
    reads: list[str]
    gives: NotRequired[list[str]]  # outputs that a result must have
    each: NotRequired[list[int]]
    loops: NotRequired[dict[str, int]]
    callback: NotRequired[bool]
    told: NotRequired[bool]  # the machine has to be told of a result that is kept


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
    again: NotRequired[bool]  # a failed attempt may not be its last: retry, repeat, pause
    secrets: NotRequired[list[str]]
    resume: NotRequired[ResumeManifest]  # not of a parallel step


class MappingManifest(TypedDict):
    """A trigger's input: a portable expression, or a literal where the event gives none."""

    name: str
    computed: bool
    value: Json  # portable (protocol.evaluate) where computed, else the literal


TriggerType: TypeAlias = Literal["git-push", "schedule", "event", "queue", "http", "database"]


class TriggerManifest(TypedDict):
    """A trigger.

    `settings` are those of its type as written, defaults filled in, and what a deployment makes
    of them:

    * `git-push`: `repository` (None: any), `events`, `branches`, `paths`, `forks`, and `secret`,
      the name of the secret that signs the deliveries (`github-webhook` where the author names
      none). Nothing is deployed beside the API.
    * `schedule`: `cron` or `rate` (seconds) as written, `timezone`, `missed`, and `expression`:
      what EventBridge Scheduler takes as ScheduleExpression, with `timezone` as its
      ScheduleExpressionTimezone. One schedule without a flexible window.
    * `event`: `pattern`, and `buses`, on each of which a rule with it belongs: "stage" (the
      stage's own) and "default" (the account's).
    * `queue`: `queue`, the name or the ARN of an SQS queue in the stage's account.
    * `http`: `secret`, the name of the secret that the calls are signed with, or bear
      (`webhook-TRIGGER` where the author names none).
    * `database`: `table`, the name of a table in the stage's account and region, or the ARN of
      its stream (NEW_AND_OLD_IMAGES); `operations`, of `insert`, `modify` and `remove`: what
      the event source mapping lets through, upper case there, as `eventName`.
    """

    name: str
    type: TriggerType
    settings: dict[str, Json]
    inputs: list[MappingManifest]
    condition: Json  # portable, None where there is none
    dedupe: NotRequired[dict[str, Json]]  # key: portable expression; window: seconds


class NoticeManifest(TypedDict):
    """Whom `notify` tells, and of what; `to` is portable and may read a context `secrets`."""

    on: list[str]
    to: Json
    secrets: NotRequired[list[str]]


class WorkflowManifest(TypedDict):
    """One version of a workflow."""

    contract: int
    id: str
    version: str
    name: str
    description: str | None
    digest: str  # of the compiled machines and all that stands here, the drawing apart
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
    # Of trigger, event, event.detail, github, github.event: what it and its children read.
    carries: list[str]
    handler_steps: NotRequired[list[StepManifest]]
    patterns: NotRequired[list[dict[str, Json]]]  # of the events that steps wait for
    checkout: NotRequired[dict[str, Json]]  # of `source`: `repository` and `ref`, portable
    has_close: bool
    states: NotRequired[dict[str, str]]  # steps by the names of states, where they differ
    graph: NotRequired[dict[str, Json]]  # cards and arrows with their places, for the page
