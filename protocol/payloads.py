"""The JSON that the machine and the functions hand each other.

Shapes only (TypedDicts); every field that the compiler may leave out is `NotRequired`, and
leaving it out means what its comment says.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

CONTRACT = 1
"""The version of these shapes; a function refuses a call of a newer one."""

WITHHELD = "withheld"
"""What `secrets` of a run says where its steps must not see any: it came from a fork."""


class Run(TypedDict):
    """The run a call belongs to; the machine's variable `run`."""

    id: str
    attempt: int
    started_at: str  # ISO 8601, UTC
    started_by: NotRequired[str | None]
    event_id: NotRequired[str | None]  # of the event that started it, or the run it is part of
    depth: NotRequired[int]  # how many runs led to this one, each by an event it published
    secrets: NotRequired[str | None]  # WITHHELD, where its steps must not see any
    source: NotRequired[dict[str, Json] | None]  # repository, ref; `run`: who keeps the files
    workflow: str
    version: str
    contract: int


class MachineInput(TypedDict):
    """The input of an execution, written by whoever starts it."""

    inputs: dict[str, Json]  # validated, defaults filled in
    run: dict[str, Json]  # id, attempt, started_by, manifest; event_id, depth, rerun_of
    trigger: NotRequired[dict[str, Json]]  # name, type, event_id
    github: NotRequired[dict[str, Json]]
    event: NotRequired[Json]
    resume: NotRequired[dict[str, Resumed]]  # of a later attempt: by run, children included


class Resumed(TypedDict):
    """What is kept of a run that is resumed, where no wrapper gives stored results back."""

    kept: list[str]  # paths (`step[/item...][/r<n>]`) of what the machine itself carried out
    renewed: dict[str, int]  # the attempt since which a child or a callback is another one, by step


class EventMessage(TypedDict):
    """An event on its way to `intake`: what the body of a message of the stage's queue says.

    A rule or a schedule writes `trigger` and `event` by its template and leaves out the rest. An
    event without `trigger` is one of the bus, for the steps that wait for it.
    """

    trigger: NotRequired[str]  # WORKFLOW.NAME; ids of workflows hold no dot
    event: NotRequired[Json]  # as its source gives it
    kept: NotRequired[Reference]  # where `event` is, if it is too large for a message
    id: NotRequired[str]  # the source's, where the event itself does not hold it
    received_at: NotRequired[str]  # ISO 8601; left out: when the message came into the queue
    headers: NotRequired[dict[str, str]]
    source: NotRequired[str]


class StartWaiting(TypedDict):
    """A workflow is enabled again: a message of the same queue."""

    enabled: str  # its id


class StartKept(TypedDict):
    """An event that is kept already is to start its run: a message of the same queue."""

    start: str  # the id under which it is kept


QueueMessage: TypeAlias = EventMessage | StartWaiting | StartKept
"""What the stage's queue holds."""


class Reference(TypedDict):
    """Where an output too large to travel is kept; stands beside the data, never inside it."""

    bucket: str
    key: str
    bytes: int


class ActionCall(TypedDict):
    """What a step's Task hands to its action's function, or to its build.

    Keys of `secrets` and `refs` are JSON pointers into it, to which the wrapper puts the values.
    """

    run: Run
    step: str
    inputs: dict[str, Json]
    action: NotRequired[str]  # which one, where a build carries out more than scripts
    attempt: NotRequired[int]  # from 1; the wrapper counts, a machine need not say
    env: NotRequired[dict[str, Json]]
    items: NotRequired[list[int]]  # indices of the enclosing for_each items, outermost first
    iteration: NotRequired[int | None]  # of a repeat, from 1; of an undo, a callback: see there
    secrets: NotRequired[dict[str, str | list[list[str]]]]  # NAME, or parts ["text"|"secret", x]
    refs: NotRequired[dict[str, Reference | None]]
    timeout: NotRequired[int]  # seconds for this attempt; default 840
    deadline: NotRequired[str | None]  # ISO 8601; the wrapper does not start after it
    outputs: NotRequired[list[str]]  # declared: one that is missing fails the step
    defaults: NotRequired[dict[str, Json]]  # literal outputs, where the action gives none
    computed: NotRequired[dict[str, Json]]  # evaluated by the machine; win over what it gives
    derived: NotRequired[dict[str, Json]]  # portable expressions over the outputs it gave
    contexts: NotRequired[dict[str, Json]]  # what derived outputs read beside the step itself
    inline: NotRequired[list[str]]  # outputs that must not become references
    limit: NotRequired[int]  # bytes of inline outputs; default 32,768
    artifacts: NotRequired[list[str]]  # paths stored after the step
    files: NotRequired[list[str]]  # `step[/item...]` whose files are laid into the workspace
    stored: NotRequired[bool]  # only fetch the stored result: CodeBuild carried the step out
    keep: NotRequired[bool]  # only store `computed`: the machine itself carried the step out
    child: NotRequired[dict[str, Json]]  # with `keep`: id, attempt and inputs of the run it was
    build_error: NotRequired[str | None]  # with `stored`: what Step Functions told of the build
    callback: NotRequired[str | None]  # the URL under which an outside system ends the step


class Envelope(TypedDict):
    """What an action's function gives back."""

    step: str
    status: Literal["succeeded"]
    attempt: int
    started_at: str
    timestamp: str
    outputs: dict[str, Json]
    refs: NotRequired[dict[str, Reference]]
    child: NotRequired[dict[str, Json]]  # of a sub-workflow: id, attempt and inputs of its run
    by: NotRequired[str]  # the person who told of it, having done it by hand


class Signal(TypedDict):
    """A producer has ended; sent once for all its consumers, on every path."""

    op: Literal["signal"]
    run: Run
    scope: str  # path of item indices, "" outside for_each
    producer: str
    consumers: list[str]
    status: str
    counts: bool  # whether the producer counts as a dependency (protocol.status)
    bad: list[str]  # ids of the bad steps among the producer and its ancestors
    values: NotRequired[dict[str, Json]]  # records read behind the latch, by variable name


class Await(TypedDict):
    """A consumer waits for its producers; the function gets the task token beside it."""

    op: Literal["await"]
    run: Run
    scope: str
    consumer: str
    producers: list[str]
    token: str
    # With `guard` the answer is an error where the default guard is false: LATCH_SKIP_FAILED if
    # anything is bad, else LATCH_SKIP if neither `counting` nor any producer counts.
    guard: NotRequired[bool]
    bad: NotRequired[list[str]]  # bad steps the consumer's own branch knows of
    counting: NotRequired[bool]  # a dependency in the own branch counts; left out: none is there


class Released(TypedDict):
    """A latch's answer to a wait."""

    bad: list[str]
    statuses: dict[str, str]
    values: dict[str, Json]


class OpenTask(TypedDict):
    """A manual step is entered; answered under the token with a `Decision`.

    `entry` numbers the tries of the state, from 0, wherever there is a token: of two calls
    about one wait the later one's token is the one that waits.
    """

    op: Literal["open"]
    run: Run
    step: str
    items: NotRequired[list[int]]  # as in ActionCall; in all calls about tasks
    token: str
    entry: NotRequired[int]
    title: Json
    description: Json
    assignees: Json  # texts and lists of texts: addresses and `group:NAME`
    timeout: int  # seconds
    due_in: NotRequired[int]  # seconds
    auth: Literal["link", "login"]
    quorum: int
    self_approval: bool
    form: NotRequired[dict[str, Json]]  # JSON Schema of an object


class EscalateTask(TypedDict):
    """A level of escalation is entered; answered as `OpenTask` is."""

    op: Literal["escalate"]
    run: Run
    step: str
    items: NotRequired[list[int]]
    token: str
    entry: NotRequired[int]
    level: int  # from 1
    after: NotRequired[int]  # seconds since the task opened; sooner, a deadline cut it short
    notify: Json
    message: Json


class ExpireTask(TypedDict):
    """The last wait is over; gives what `OpenTask`, `PauseStep` ... are answered with."""

    op: Literal["expire"]
    run: Run
    step: str
    items: NotRequired[list[int]]
    kind: NotRequired[Literal["pause", "event", "callback"]]  # left out: a manual step
    entered: NotRequired[str | None]  # as in PauseStep, or in OpenCallback
    notify: NotRequired[Json]  # an escalation at the time of the timeout
    message: NotRequired[Json]


class CloseSteps(TypedDict):
    """A step with `fail_fast` has ended: what its children or items wait for is closed."""

    op: Literal["close"]
    run: Run
    items: NotRequired[list[int]]  # of the for_each items around that step
    steps: list[str]


class Decision(TypedDict):
    """The outputs of a manual step."""

    status: Literal["approved", "rejected", "timed_out"]
    comments: str | None
    decided_by: str | None
    decided_at: str
    form: Json
    timeout_reason: str | None


class PauseStep(TypedDict):
    """A step failed for the last time; answered with a `Choice`."""

    op: Literal["pause"]
    run: Run
    step: str
    items: NotRequired[list[int]]
    token: str
    entry: NotRequired[int]
    error: Json  # Error and Cause
    timeout: int
    entered: str  # when the state was: tells the pauses of one step apart


class Choice(TypedDict):
    """What a person says of a paused step."""

    choice: Literal["retry", "skip", "fail"]
    outputs: Json


class AwaitEvent(TypedDict):
    """A step waits for an event; answered with `{"event": ...}`."""

    op: Literal["await_event"]
    run: Run
    step: str
    items: NotRequired[list[int]]
    token: str
    entry: NotRequired[int]
    pattern: dict[str, Json]  # of EventBridge
    match: NotRequired[Json]  # portable expression over `event` and `contexts`
    contexts: NotRequired[dict[str, Json]]  # what `match` reads of the run
    timeout: int


class OpenCallback(TypedDict):
    """A step that an outside system ends begins; gives `{"url": ..., "round": ...}`.

    After an answer that was not good the action is carried out again, as another round: from 2.
    `entered` tells the callback of a step that begins anew from the one before.
    """

    op: Literal["open_callback"]
    run: Run
    step: str
    items: NotRequired[list[int]]
    entered: NotRequired[str | None]
    timeout: int


class AwaitCallback(TypedDict):
    """The action was called; answered with `{"outputs": ...}`."""

    op: Literal["await_callback"]
    run: Run
    step: str
    items: NotRequired[list[int]]
    entered: NotRequired[str | None]  # as in OpenCallback
    token: str
    entry: NotRequired[int]


class StepFailure(TypedDict):
    """One failed step, as variables and branch outputs carry it."""

    step_id: str
    status: str
    type: str
    message: str


class RunFailure(TypedDict):
    """The cause of a failed run (JSON text, at most 4,096 bytes)."""

    type: Literal["WorkflowError"]
    message: str
    details: list[StepFailure]


class Lock(TypedDict):
    """A run asks for its concurrency group before everything else."""

    op: Literal["lock"]
    run: Run
    execution: str  # its ARN: who holds the group, and what to stop
    group: Json  # as the author's expression came out; its text is the group's name
    limit: int
    on_conflict: Literal["queue", "cancel_running", "reject"]
    token: str


class Release(TypedDict):
    """An execution is over: what it held is free."""

    op: Literal["release"]
    execution: str


class StoredRecords(TypedDict):
    """A close machine asks what was stored of its run, a stopped block what of its children."""

    op: Literal["stored"]
    run: Run
    items: NotRequired[list[int]]  # of the for_each items that `steps` stand in
    steps: list[str]
    undo: list[str]
    cut_off: NotRequired[list[Undo]]  # children that ended with their run: undone first
    execution: NotRequired[str | None]  # whose children that were cut off are to be looked for:
    # its ARN, or that of the machine whose run it is; null where `cut_off` tells them
    close: NotRequired[str]  # the close machine's own execution, which goes on


class Undo(TypedDict):
    """An undo that is due; `record.life` tells the result from one of a later attempt."""

    step: str
    items: list[int]
    record: dict[str, Json]


class Stored(TypedDict):
    """The answer: stored records by step, and the undos due, newest completion first."""

    steps: dict[str, Json]
    undo: list[Undo]


TaskCall: TypeAlias = (
    OpenTask
    | EscalateTask
    | ExpireTask
    | PauseStep
    | AwaitEvent
    | OpenCallback
    | AwaitCallback
    | CloseSteps
)
"""What a machine asks of the function `tasks`."""
