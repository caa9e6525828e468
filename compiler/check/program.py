"""The Program: a workflow with every name resolved and every expression parsed and typed.

It is what planning reads; nothing in it refers back to YAML except spans for messages and the
source map. All durations are whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from compiler.document.nodes import Json
from compiler.expressions import Expr, Template
from compiler.expressions import expressions as expressions_of
from compiler.expressions.types import UNKNOWN, Type
from compiler.source import Source, Span
from protocol.status import Rule

# --- values ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """A value known now, as plain JSON."""

    value: Json


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that holds at least one expression (`Single` keeps its type, `Joined` is text)."""

    template: Template
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that holds secrets: parts of literal text and ("secret", NAME)."""

    parts: tuple[tuple[Literal["text", "secret"], str], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping with something computed in it."""

    items: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list with something computed in it."""

    items: tuple[Value, ...]


Value: TypeAlias = "Constant | Computed | Secret | Fields | Items"


def expressions(value: Value) -> Iterator[Expr]:
    """Yield every expression in a value."""
    match value:
        case Computed(template=template):
            yield from expressions_of(template)
        case Fields(items=fields):
            for _, item in fields:
                yield from expressions(item)
        case Items(items=items):
            for item in items:
                yield from expressions(item)
        case _:
            return


# --- kinds of steps ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Action:
    """Carries out an action; `inputs` is a mapping.

    `variables` are read by those inputs that are scripts, where expressions stood in them.
    `why` says for `plan` why the runner is this one; empty where there is no other.
    """

    action: str
    inputs: Value
    callback: bool = False
    runner: Literal["lambda", "codebuild"] = "lambda"
    image: str | None = None
    why: str = ""
    variables: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class AwsCall:
    """Calls an AWS API, `aws:dynamodb:putItem`; names as the SDK integration spells them."""

    service: str
    operation: str
    arguments: Value


@dataclass(frozen=True, slots=True)
class Script:
    """Runs a script. Its expressions were replaced by quoted references to `variables`."""

    text: str
    variables: tuple[tuple[str, Value], ...]
    runner: Literal["lambda", "codebuild"]
    image: str | None
    why: str  # why this runner, for `plan`


@dataclass(frozen=True, slots=True)
class Escalation:
    """Whom to tell what when nobody has decided `after` seconds."""

    after: int
    notify: Value
    message: Value


@dataclass(frozen=True, slots=True)
class Manual:
    """Waits for a person's decision."""

    title: Value
    description: Value
    assignees: Value
    due_in: int | None
    timeout: int
    escalations: tuple[Escalation, ...]
    quorum: int
    form: Json
    auth: Literal["link", "login"]
    self_approval: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A parallel step: one node outside, steps of its own inside."""

    steps: tuple[Step, ...]
    fail_fast: bool


@dataclass(frozen=True, slots=True)
class SubWorkflow:
    """Runs another workflow; `outputs` are the names its contract gives."""

    workflow: str  # id, with @version where the author pinned one
    inputs: Value
    gives: tuple[str, ...]
    undoes: bool = False  # what it did can be undone, by its own close machine


@dataclass(frozen=True, slots=True)
class Pause:
    """Waits for a time: seconds (a number or an expression) or until a time stamp."""

    seconds: int | Value | None
    until: Value | None


@dataclass(frozen=True, slots=True)
class EventWait:
    """Waits for an event that matches; `match` is evaluated with `event` bound."""

    pattern: Json
    match: Expr | None
    timeout: int


@dataclass(frozen=True, slots=True)
class Publish:
    """Puts an event on the bus."""

    event: Value
    payload: Value


Kind: TypeAlias = (
    "Action | AwsCall | Script | Manual | Block | SubWorkflow | Pause | EventWait | Publish"
)

# --- what every step may have --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Retry:
    """`attempts` calls in all. `errors` are error names; `conditions` are asked after a failure."""

    attempts: int
    delay: int
    rate: float
    max_delay: int | None
    jitter: bool
    errors: tuple[str, ...]  # empty with no conditions: every error
    conditions: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ForEach:
    """Repeats the step for each item, all in `deadline` seconds; `fail_fast`: till one is bad."""

    items: Value
    max_items: int
    max_concurrency: int | None
    deadline: int | None = None
    fail_fast: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """Repeats the step until a condition over its own outputs holds."""

    until: Expr
    delay: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Output:
    """A declared output of a step.

    `declared`: must be given. `literal`: `value` where the step gives none. `computed`: the
    machine's `value` wins. `derived`: an expression over what the step itself gave.
    """

    name: str
    form: Literal["declared", "literal", "computed", "derived"]
    value: Value | None
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `rule` is its row of the truth table, `index` its place in the file."""

    id: str
    name: str
    index: int
    span: Span
    kind: Kind
    rule: Rule
    condition: Expr | None = None
    retry: Retry | None = None
    timeout: int | None = None
    on_error: Literal["fail", "continue", "pause"] = "fail"
    outputs: tuple[Output, ...] = ()
    env: tuple[tuple[str, Value], ...] = ()
    for_each: ForEach | None = None
    repeat: Repeat | None = None
    compensate: Step | None = None
    checkpoint: bool = False
    artifacts: tuple[str, ...] = ()
    reads_files: bool = False
    makes_files: bool = False
    repeatable: bool = False  # its action does no harm where it is carried out twice

    @property
    def is_build(self) -> bool:
        """Whether a build of CodeBuild carries it out, by the same wrapper as a function would."""
        return isinstance(self.kind, Script | Action) and self.kind.runner == "codebuild"

    @property
    def is_undone(self) -> bool:
        """Whether a failed run undoes the step: by its `compensate`, or as a child does itself."""
        if self.compensate is not None:
            return True
        return isinstance(self.kind, SubWorkflow) and self.kind.undoes

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The ids of the steps this one comes after, written or left out."""
        return self.rule.depends_on

    @property
    def variable(self) -> str:
        """The id as it stands in variable names (`-` and `_` are alike)."""
        return self.id.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the workflow's contract; `schema` is JSON Schema without `default`."""

    name: str
    schema: Json
    type: Type
    required: bool
    default: Json = None


@dataclass(frozen=True, slots=True)
class Concurrency:
    """At most `limit` runs of a group at once."""

    group: Value
    limit: int
    on_conflict: Literal["queue", "cancel_running", "reject"]


@dataclass(frozen=True, slots=True)
class Notify:
    """Whom to tell when a run comes to one of `on`."""

    on: tuple[str, ...]
    to: Value


@dataclass(frozen=True, slots=True)
class Trigger:
    """What starts runs; `settings` are those of its type, as plain JSON.

    Of the events that count as one (they come out with the same `key`) within `window` seconds
    only the first starts a run; None for either: the event's own id, and the default window.
    """

    name: str
    type: str
    settings: dict[str, Json]
    inputs: tuple[tuple[str, Value], ...] = ()
    condition: Expr | None = None
    key: Value | None = None
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Checkout:
    """The files that the steps work on; a value that was left out is the constant null."""

    repository: Value
    ref: Value


@dataclass(frozen=True)
class Program:
    """A checked workflow, ready to be planned."""

    source: Source
    id: str
    name: str
    version: str | None
    description: str | None
    steps: tuple[Step, ...]
    inputs: tuple[Input, ...] | None  # None: no contract, the trigger's inputs are taken as given
    outputs: tuple[tuple[str, Value], ...] = ()
    handlers: tuple[Step, ...] = ()
    timeout: int | None = None
    concurrency: Concurrency | None = None
    notify: tuple[Notify, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    contract: Json = None  # JSON Schema of inputs and outputs
    vars: Json = None  # the stage's variables: constants in this compilation
    children: tuple[str, ...] = field(default=())
    checkout: Checkout | None = None  # None: the git-push trigger's repository at its commit
    types: Mapping[str, Type] = field(default_factory=dict)  # of each step's outputs, by step id
    input_type: Type = UNKNOWN

    @cached_property
    def by_id(self) -> dict[str, Step]:
        """Every step, children of parallel steps included, by id."""
        return {step.id: step for step in every_step(self.steps)}

    @cached_property
    def has_people(self) -> bool:
        """Whether some step waits for a decision."""
        return any(isinstance(step.kind, Manual) for step in self.by_id.values())

    @cached_property
    def has_blocks(self) -> bool:
        """Whether some step's failure tells those of its children or items."""
        return any(isinstance(step.kind, Block) or step.for_each for step in self.by_id.values())

    @cached_property
    def has_deadlines(self) -> bool:
        """Whether there is a deadline for the run, for some block or for some for_each."""
        limits = [s.timeout for s in self.by_id.values() if isinstance(s.kind, Block)]
        limits += [s.for_each.deadline for s in self.by_id.values() if s.for_each]
        return {self.timeout, *limits} != {None}

    @property
    def has_close(self) -> bool:
        """Whether a failed run has something to do: handlers or undos."""
        return bool(self.handlers) or any(step.is_undone for step in every_step(self.steps))


def every_step(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield steps and, after each parallel step, its children, in file order."""
    for step in steps:
        yield step
        if isinstance(step.kind, Block):
            yield from every_step(step.kind.steps)
