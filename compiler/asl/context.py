"""What the emission of one machine shares: its plan, and what each scope may look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from compiler.asl import failures
from compiler.asl.model import StateMachine
from compiler.asl.resolver import Own, ScopeResolver
from compiler.check.program import ForEach, Step
from compiler.document.nodes import Json
from compiler.expressions import status_functions
from compiler.expressions.quoting import wrap
from compiler.expressions.types import NUMBER, UNKNOWN, Type
from compiler.plan.model import Plan, Reads, Scope

GRACE_OF_RUN = 15 * 60
"""Seconds that handlers, `always()` steps and undos get behind the run's deadline."""

State: TypeAlias = dict[str, Json]
States: TypeAlias = dict[str, State]


@dataclass(frozen=True, slots=True)
class Item:
    """An enclosing for_each item: JSONata of the item and of its index."""

    item: str
    index: str


@dataclass(frozen=True, slots=True)
class Context:
    """Emission in one scope. `deadline` is the variable that holds the nearest deadline."""

    plan: Plan
    scope: Scope
    assigned: frozenset[str]  # lists of failures that some state of the machine assigns
    items: tuple[Item, ...] = ()
    around: Mapping[int, str] = field(default_factory=dict)  # of frames around: bad steps there
    deadline: str | None = None
    is_late: bool = False  # in a step that may run behind the deadline
    locals: Mapping[str, tuple[str, Type]] = field(default_factory=dict)
    stored_as: Mapping[str, str] = field(default_factory=dict)  # step id -> JSONata of another
    life: str | None = None  # in an undo: JSONata of the number of the attempt that it undoes
    children: list[StateMachine] = field(default_factory=list)  # machines made on the way

    def resolver(
        self, step: Step | None = None, *, clean: bool = False, own: Own | None = None
    ) -> ScopeResolver:
        """Return the resolver for expressions of a step (or of the machine)."""
        found = dict(self.locals)
        if self.items:
            found.setdefault("item", (self.items[-1].item, UNKNOWN))
            found.setdefault("index", (self.items[-1].index, NUMBER))
        return ScopeResolver(
            self.plan,
            self.scope.key,
            failures.is_bad(self.scope, self.assigned),
            clean,
            step,
            own,
            found,
            self.stored_as,
            self.bad_ids,
        )

    @property
    def bad_ids(self) -> dict[int, str]:
        """JSONata of the bad steps that are known of here, by frame, the inner ones last."""
        return {**self.around, self.scope.frame: failures.bad_ids(self.scope, self.assigned)}

    def reads_of(self, step: Step) -> Reads | None:
        """Return what the record of a step of this very scope holds."""
        return self.plan.reads_of(step.id, self.scope.key)

    @property
    def each(self) -> ForEach | None:
        """The for_each whose body this very scope is, None where it is none."""
        step = self.plan.items.get(self.scope.key)
        return None if step is None else self.plan.program.by_id[step].for_each

    @property
    def index_variable(self) -> str:
        """The variable that holds the index of the item in the body of a for_each."""
        step = self.plan.program.by_id[self.plan.items[self.scope.key]]
        return f"index_{step.variable}_{self.scope.key}"

    @property
    def message_length(self) -> int:
        """Characters kept of an error's text; those of a for_each's items meet in one list."""
        length = self.plan.message_length
        step = self.plan.items.get(self.plan.frame_of[self.scope.key])
        each = None if step is None else self.plan.program.by_id[step].for_each
        return length if each is None else max(40, min(length, 4_000 // each.max_items))

    @property
    def limited(self) -> bool:
        """Whether there is a deadline."""
        return self.deadline is not None

    @property
    def deadline_code(self) -> str | None:
        """JSONata of the time stamp until which a task may go on, None without a deadline."""
        if self.deadline is None:
            return None
        if not self.is_late:
            return f"${self.deadline}"
        return f"$fromMillis($toMillis(${self.deadline}) + {GRACE_OF_RUN * 1000})"

    def at_step(self, step: Step) -> Context:
        """Return the context of a step, and of all in it: one with `always()` may run late."""
        if step.condition is None or "always" not in status_functions(step.condition):
            return self
        return replace(self, is_late=True)

    def with_deadline(self, step: Step, seconds: int) -> tuple[Context, dict[str, Json]]:
        """Return the context inside a step that has so much time, and what sets its deadline."""
        name = f"deadline_{step.variable}"
        limit = f"$millis() + {seconds * 1000}"
        around = self.deadline_code
        if around is not None:
            limit = f"$min([{limit}, $toMillis({around})])"
        return replace(self, deadline=name, is_late=False), {name: wrap(f"$fromMillis({limit})")}

    def inside(self, scope: Scope) -> Context:
        """Return the context of a scope inside this one."""
        around = self.around if scope.frame == self.scope.frame else self.bad_ids
        return replace(self, scope=scope, around=around)

    def at_item(self, item: Item) -> Context:
        """Return the context of a for_each body."""
        return replace(self, items=(*self.items, item))
