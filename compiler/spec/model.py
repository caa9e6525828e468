"""A workflow as the author meant it: one shape for every way of writing it.

Every part knows its `path` in the document, so that a later pass finds a value's place with
`document.nearest(part.path + ("condition",))`. Expressions are still raw text. Durations are
whole seconds. A part marked `broken` had mistakes that are already reported: what could be read
of it stands, the rest has its default, and nothing that only follows from that is worth reporting.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from compiler.spec.interface import (
    DatabaseTrigger,
    Dedupe,
    EventTrigger,
    GitPushTrigger,
    HttpTrigger,
    Input,
    Inputs,
    Names,
    Output,
    Outputs,
    Part,
    QueueTrigger,
    ScheduleTrigger,
    Trigger,
    Value,
    Values,
)

MANUAL_TIMEOUT = 72 * 3600
MAX_ITEMS = 100
REPEAT_DELAY = 10
REPEAT_ATTEMPTS = 10
RETRY_DELAY = 1
RETRY_ATTEMPTS = 3
EVENT_TIMEOUT = 72 * 3600


class RetryCondition(Part):
    """One entry of `retry.conditions`: exactly one of the two is set.

    An error type written as a mapping is at `path + ("error_type",)`, an expression at `path`.
    """

    error_type: str | None = None
    expression: str | None = None


class Retry(Part):
    """When and how often a step is tried again.

    `max_attempts` counts all calls. The n-th pause is `base_delay * rate ** (n - 1)` seconds, at
    most `max_delay`. Without conditions every error is retried.
    """

    max_attempts: int = RETRY_ATTEMPTS
    base_delay: int = RETRY_DELAY
    rate: float = 2.0
    max_delay: int | None = None
    jitter: Literal["full", "none"] = "full"
    conditions: tuple[RetryCondition, ...] = ()

    @property
    def error_types(self) -> tuple[str, ...]:
        """The error types that are retried, in the order written."""
        return tuple(c.error_type for c in self.conditions if c.error_type is not None)

    @property
    def expressions(self) -> tuple[str, ...]:
        """The expressions that decide on a retry, in the order written."""
        return tuple(c.expression for c in self.conditions if c.expression is not None)


class ForEach(Part):
    """`path` is the step's. `items` (a list, or text with an expression) is at `("for_each",)`.

    It is None where something else was written.
    """

    items: Value
    max_items: int = MAX_ITEMS
    max_concurrency: int | None = None
    fail_fast: bool = False


class Repeat(Part):
    """Run the step again after `delay` seconds until `until` holds, `max_attempts` times in all."""

    until: str
    delay: int = REPEAT_DELAY
    max_attempts: int = REPEAT_ATTEMPTS


class Escalation(Part):
    """Tell `notify` (empty: the assignees) that a task has been open for `after` seconds."""

    after: int
    notify: tuple[str, ...] = ()
    message: str | None = None


class StepPart(Part):
    """What every step has.

    `id` is unique in the file, as written or the slug of `name`; `given_id` says which. `name` is
    what people read. `depends_on` is as written (ids or names): None where left out, () for `[]`.
    `inputs`, `outputs` and `env` know their own paths (`with` of a job is `inputs`). `retry` and
    `timeout` (seconds per attempt) hold the workflow's defaults where the step says nothing; the
    path of such a retry is under `defaults`.
    """

    id: str
    name: str
    given_id: bool = False
    broken: bool = False
    description: str | None = None
    depends_on: tuple[str, ...] | None = None
    condition: str | None = None
    retry: Retry | None = None
    timeout: int | None = None
    on_error: Literal["fail", "continue", "pause"] = "fail"
    outputs: Values
    env: Values
    for_each: ForEach | None = None
    repeat: Repeat | None = None
    compensate: Step | None = None
    checkpoint: bool = False
    artifacts: tuple[str, ...] = ()

    @property
    def children(self) -> tuple[Step, ...]:
        """The steps inside this one; only a parallel step has some."""
        return ()


class ActionStep(StepPart):
    """Calls an action of the catalogue by its name."""

    kind: Literal["action"] = "action"
    action: str
    inputs: Values
    callback: bool = False
    runner: Literal["lambda", "codebuild"] | None = None
    image: str | None = None


class AwsStep(StepPart):
    """Calls an AWS API: `action: aws:dynamodb:putItem` has service `dynamodb`."""

    kind: Literal["aws"] = "aws"
    action: str
    service: str
    operation: str
    inputs: Values


class RunStep(StepPart):
    """Runs a bash script; without a `runner` the plan chooses."""

    kind: Literal["run"] = "run"
    run: str
    runner: Literal["lambda", "codebuild"] | None = None
    image: str | None = None


class ManualStep(StepPart):
    """Waits for a person.

    `assignees` is a list, one text with an expression, or None for the stage's approvers. `timeout`
    is never None. `form` is a JSON Schema of an object (shorthand resolved).
    """

    kind: Literal["manual"] = "manual"
    title: str
    assignees: tuple[str, ...] | str | None = None
    due_in: int | None = None
    timeout: int | None = MANUAL_TIMEOUT
    escalations: tuple[Escalation, ...] = ()
    quorum: int = 1
    form: Names | None = None
    auth: Literal["link", "login"] = "link"
    self_approval: bool = False
    on_reject: Literal["fail", "continue"] = "fail"
    on_timeout: Literal["fail", "continue"] = "fail"


class ParallelStep(StepPart):
    """Runs its own steps, each at once unless it says `depends_on`."""

    kind: Literal["parallel"] = "parallel"
    steps: tuple[Step, ...] = ()
    fail_fast: bool = False

    @property
    def children(self) -> tuple[Step, ...]:
        """The steps of the block."""
        return self.steps


class SubworkflowStep(StepPart):
    """Calls another workflow: by id (`workflow`, `version`) or by file (`file`, from `uses: ./x`).

    `reference` is the text as written, at `path + (reference_key,)`.
    """

    kind: Literal["subworkflow"] = "subworkflow"
    reference: str
    reference_key: Literal["workflow", "uses"] = "workflow"
    workflow: str | None = None
    version: str | None = None
    file: str | None = None
    inputs: Values


class WaitStep(StepPart):
    """Waits for a time or an event; exactly one of `duration`, `until` and `pattern` is set.

    `duration` (written `for`) is seconds or text with an expression. `pattern` is an EventBridge
    pattern, at `path + ("event",)`; an event's name there becomes `{"detail-type": [name]}`.
    """

    kind: Literal["wait"] = "wait"
    duration: int | str | None = None
    until: str | None = None
    pattern: Names | None = None
    match: str | None = None


class PublishStep(StepPart):
    """Puts an event on the bus: `event` is its name (the detail type), `payload` its detail."""

    kind: Literal["publish"] = "publish"
    event: str
    payload: Values


class UnknownStep(StepPart):
    """A step whose kind could not be read; always `broken`. It only keeps its id known."""

    kind: Literal["unknown"] = "unknown"


Step: TypeAlias = Annotated[
    ActionStep
    | AwsStep
    | RunStep
    | ManualStep
    | ParallelStep
    | SubworkflowStep
    | WaitStep
    | PublishStep
    | UnknownStep,
    Field(discriminator="kind"),
]


class Defaults(Part):
    """What a step has that does not say otherwise; already applied to the steps."""

    retry: Retry | None = None
    timeout: int | None = None
    runner: Literal["lambda", "codebuild"] | None = None


class Checkout(Part):
    """The root's `source`: the files that the steps work on."""

    repository: str | None = None
    ref: str | None = None


class Concurrency(Part):
    """How many runs of one group may be under way."""

    group: str
    limit: int = 1
    on_conflict: Literal["queue", "cancel_running", "reject"] = "queue"


class Notify(Part):
    """Whom to tell of what."""

    on: tuple[Literal["failed", "tolerated_failure", "paused", "succeeded"], ...] = ("failed",)
    to: tuple[str, ...] = ()


class Workflow(Part):
    """One workflow. `path` leads to its keys: () or ("workflow",).

    `inputs` and `outputs` are None without a contract. `form` is how the steps were written; those
    of `jobs` have `depends_on` () where it was left out, and so do the steps of a parallel block.
    `broken` says that something of the root itself (not of a step) was reported.
    """

    id: str
    name: str
    given_id: bool = False
    broken: bool = False
    version: str | None = None
    description: str | None = None
    form: Literal["steps", "jobs"] = "steps"
    triggers: tuple[Trigger, ...] = ()
    inputs: Inputs | None = None
    outputs: Outputs | None = None
    env: Values
    defaults: Defaults
    source: Checkout | None = None
    timeout: int | None = None
    concurrency: Concurrency | None = None
    steps: tuple[Step, ...] = ()
    on_failure: tuple[Step, ...] = ()
    notify: tuple[Notify, ...] = ()

    def all_steps(self) -> Iterator[Step]:
        """Yield every step: blocks before their children, undos after theirs, handlers last."""
        stack: list[Step] = [*reversed(self.on_failure), *reversed(self.steps)]
        while stack:
            step = stack.pop()
            yield step
            if step.compensate is not None:
                stack.append(step.compensate)
            stack.extend(reversed(step.children))


__all__ = [
    "EVENT_TIMEOUT",
    "MANUAL_TIMEOUT",
    "MAX_ITEMS",
    "REPEAT_ATTEMPTS",
    "REPEAT_DELAY",
    "RETRY_ATTEMPTS",
    "RETRY_DELAY",
    "ActionStep",
    "AwsStep",
    "Checkout",
    "Concurrency",
    "DatabaseTrigger",
    "Dedupe",
    "Defaults",
    "Escalation",
    "EventTrigger",
    "ForEach",
    "GitPushTrigger",
    "HttpTrigger",
    "Input",
    "Inputs",
    "ManualStep",
    "Notify",
    "Output",
    "Outputs",
    "ParallelStep",
    "Part",
    "PublishStep",
    "QueueTrigger",
    "Repeat",
    "Retry",
    "RetryCondition",
    "RunStep",
    "ScheduleTrigger",
    "Step",
    "StepPart",
    "SubworkflowStep",
    "Trigger",
    "UnknownStep",
    "Values",
    "WaitStep",
    "Workflow",
]
