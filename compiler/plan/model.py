"""The Plan: every decision taken; a machine's scopes, their nodes and where each leads.

A *scope* is a list of states with variables of its own: the machine itself, a branch of a
Parallel, the body of a Map. A *frame* is a scope in which the truth table starts afresh: the
machine, a parallel step, a for_each body. Targets are state names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from compiler.check.program import Action, Program, Script, Step
from compiler.expressions import Expr
from compiler.expressions.types import Record, Type
from compiler.plan.closing import Closing
from compiler.plan.inputs import shallow
from compiler.plan.layout_regions import Layout
from protocol.status import Rule

# --- tests: what a guard asks, emitted as one JSONata expression ---------------------------------


@dataclass(frozen=True, slots=True)
class Counts:
    """The dependency ran and counts (see protocol.status)."""

    step: str


@dataclass(frozen=True, slots=True)
class NothingBad:
    """No ancestor is bad but, perhaps, those asked for."""

    asks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Holds:
    """The condition's value is true."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every test holds."""

    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Some test holds."""

    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Ran:
    """The step was not skipped: then `then`, else `otherwise`."""

    step: str
    then: Test | bool
    otherwise: Test | bool


Test: TypeAlias = "Counts | NothingBad | Holds | AllOf | AnyOf | Ran"

# --- values --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reads:
    """What later parts read of a step; decides what its variable holds."""

    status: bool = False
    error: bool = False
    reason: bool = False
    items: bool = False
    outputs: frozenset[str] = frozenset()
    all_outputs: bool = False
    inline: frozenset[str] = frozenset()  # outputs the machine itself looks into


@dataclass(frozen=True, slots=True)
class Bind:
    """A step's record taken over from a branch's output or a latch under a name of this scope."""

    step: str
    variable: str


# --- nodes ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ending:
    """How a branch (or the machine) ends at a node: which records leave, and whether failures may.

    `failures`: False none can be there, True they are, None perhaps; `upstream` likewise.
    """

    gives: tuple[str, ...] = ()  # steps whose records leave, by id
    certain: frozenset[str] = frozenset()  # those that are surely assigned here
    failures: bool | None = False
    upstream: bool | None = False


@dataclass(frozen=True, slots=True)
class Begin:
    """Takes in the execution's input."""

    name: str
    next: str


@dataclass(frozen=True, slots=True)
class Do:
    """Carries out a step. `next` is None where the scope ends with it, as `ending` says."""

    name: str
    step: Step
    next: str | None
    ending: Ending | None
    failed: str | None  # after an error; None where none can be caught
    passed: str | None = None  # a bad decision the author lets pass, a pause that was skipped
    clean: bool = False  # nothing above is bad on any way in
    append: bool | None = False  # own failures already there on the way in
    inner: tuple[Scope, ...] = ()  # a parallel step's branches
    binds: tuple[Bind, ...] = ()  # records taken over from a parallel step's children


@dataclass(frozen=True, slots=True)
class Guard:
    """Decides whether a step starts."""

    name: str
    step: Step
    test: Test
    yes: str
    no: str
    clean: bool = False


@dataclass(frozen=True, slots=True)
class Fork:
    """Runs branches at once; `next` is None where it ends a branch and passes results up."""

    name: str
    branches: tuple[Scope, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Join:
    """Takes over what the branches gave and tells a bad end from a good one."""

    name: str
    binds: tuple[Bind, ...]
    append: bool | None  # own failures already there on the way in
    failures: bool  # branches may give failures
    upstream: bool  # branches may know of bad steps behind latches
    bad: str | None  # None: no branch can end badly
    good: str


@dataclass(frozen=True, slots=True)
class Collect:
    """Adds the failure just caught to the scope's list."""

    name: str
    append: bool | None
    next: str


@dataclass(frozen=True, slots=True)
class Send:
    """A producer signals to its consumers that it has ended."""

    name: str
    step: Step
    consumers: tuple[str, ...]
    status: str | None  # None: told by the step's record
    bad: bool | None  # False: nothing is bad at or above the producer
    gives: tuple[str, ...]
    next: str | None
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Await:
    """A consumer waits for its producers.

    With `guard`, the latch decides the default guard and answers with an error where it is
    false; `released` is then the way to the step itself.
    """

    name: str
    step: Step
    producers: tuple[str, ...]
    guard: bool
    own_bad: bool | None
    counting: Test | bool | None
    binds: tuple[Bind, ...]
    released: str
    failed: str | None
    skipped: str | None
    is_ghost: bool = False  # the consumer is skipped whatever comes; only the time matters


@dataclass(frozen=True, slots=True)
class Verdict:
    """Ends a run of which it is not known whether anything is bad.

    Without ways out it ends the run itself; `joins` then says that it follows a fork directly,
    whose branches' failures it looks at, `append` whether the scope may have own ones.
    """

    name: str
    bad: str | None
    good: str | None
    joins: bool = False
    append: bool | None = False


@dataclass(frozen=True, slots=True)
class End:
    """Ends a branch with what it gives; `caught` where the failure just caught is to be added."""

    name: str
    ending: Ending
    caught: bool
    append: bool | None = False


@dataclass(frozen=True, slots=True)
class Done:
    """Ends the run well."""

    name: str


@dataclass(frozen=True, slots=True)
class Close:
    """Starts the close machine and waits for it."""

    name: str
    next: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends a parallel step or for_each with `fail_fast` at once: a part of it has ended badly."""

    name: str
    step: Step


@dataclass(frozen=True, slots=True)
class Failed:
    """Ends the run badly."""

    name: str


Node: TypeAlias = (
    "Begin | Do | Guard | Fork | Join | Collect | Send | Await | Verdict | End | Done | Close"
    " | Stop | Failed"
)


@dataclass(frozen=True, slots=True)
class Scope:
    """States with variables of their own. `key` 0 is the machine."""

    key: int
    parent: int | None
    frame: int
    start: str
    nodes: tuple[Node, ...]
    failures: str  # the variable that lists this scope's failed steps
    upstream: str  # the variable that lists bad steps known through latches
    outer: tuple[str, ...]  # variables of outer scopes of the frame that may list bad steps


@dataclass(frozen=True, slots=True)
class Why:
    """What tells the reason why a step is skipped.

    `above` are the steps whose bad end it is, `counting` whether a dependency counts. `is_asked`:
    its condition says all, as a status function does. `block` is the parallel step it stands in.
    """

    is_asked: bool
    above: tuple[str, ...]
    counting: Test | bool
    block: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned machine."""

    program: Program
    root: Scope
    layout: Layout
    latches: tuple[tuple[str, str], ...]  # (producer, consumer) by step id
    reads: dict[str, Reads]
    variables: dict[tuple[int, str], str]  # (scope key, step id) -> variable
    parents: dict[int, int | None]  # scope key -> key of the scope around it
    rules: dict[str, Rule]
    unskippable: frozenset[str]  # run whenever nothing above is bad
    recorded: frozenset[str]  # of these: whose records are assigned then, come what may
    frames: dict[str, int]  # step id -> key of its frame
    frame_of: dict[int, int]  # scope key -> key of its frame
    items: dict[int, str]  # scope key of a for_each body -> its step
    contexts: frozenset[str]  # roots that some expression reads: inputs, github, event ...
    files: dict[str, dict[str, int]]  # step -> steps whose files it finds -> items they share
    limits: dict[str, int] = field(default_factory=dict)  # inline bytes by step
    close: Plan | None = None  # the close machine, where a failed run has something to do
    closing: Closing | None = None  # of a close machine: what it does before the handlers
    stored: dict[str, Step] = field(default_factory=dict)  # steps read as stored, by id
    reasons: dict[str, Why] = field(default_factory=dict)  # of steps whose `reason` is read

    @property
    def input_type(self) -> Type:
        """What the first state makes of the inputs: right in kind, unknown below that."""
        if self.program.inputs is None:
            return Record({}, open=True)
        return Record({found.name: shallow(found) for found in self.program.inputs})

    def input_named(self, name: str) -> Type | None:
        """Return what the first state makes of one input; None where it is not declared."""
        inputs = self.program.inputs or ()
        return next((shallow(found) for found in inputs if found.name == name), None)

    @property
    def has_people(self) -> bool:
        """Whether some step waits for a decision."""
        return self.program.has_people

    @property
    def has_blocks(self) -> bool:
        """Whether some step's failure tells those of its children or items."""
        return self.program.has_blocks

    @property
    def has_deadlines(self) -> bool:
        """Whether there is a deadline for the run, for some block or for some for_each."""
        return self.program.has_deadlines

    @property
    def message_length(self) -> int:
        """Characters kept of an error's text, so that all failures together stay small."""
        return max(60, min(400, 40_000 // max(1, len(self.program.by_id))))

    @property
    def carried(self) -> frozenset[str]:
        """Contexts beside the inputs that the machine keeps, for itself and its children."""
        kept = self.contexts & {"trigger", "github", "event"}
        return kept | {"trigger", "github"} if self.program.children else kept

    def travelling(self, step: str) -> frozenset[str]:
        """Return the outputs of a step that may travel as references."""
        kind = self.program.by_id[step].kind
        reads = self.reads.get(step)
        if reads is None or reads.all_outputs or not isinstance(kind, Action | Script):
            return frozenset()
        return reads.outputs - reads.inline

    def reads_of(self, step: str, scope: int) -> Reads | None:
        """Return what a step's record holds in a scope, None where nobody reads it."""
        found = self.reads.get(step)
        if self.items.get(scope) != step:
            return found
        has_outputs = found is not None and bool(found.items or found.all_outputs or found.outputs)
        return Reads(status=True, error=True, all_outputs=has_outputs)

    def variable(self, step: str, scope: int) -> str | None:
        """Return the variable under which a scope sees a step's record."""
        key: int | None = scope
        while key is not None:
            name = self.variables.get((key, step))
            if name is not None:
                return name
            key = self.parents[key]
        return None
