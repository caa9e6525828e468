"""The steps of a workflow by the graph they belong to: its own, a block's, the handlers'."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from compiler.expressions.nearest import nearest
from compiler.spec import Step, Workflow
from compiler.spec.names import is_id, same

_COMPARISONS = 20_000


@dataclass(eq=False, slots=True)
class Group:
    """Steps that may depend on each other; `owner` is the block they are in."""

    kind: Literal["steps", "block", "handlers", "undo"]
    owner: Entry | None
    entries: list[Entry] = field(default_factory=list)
    dependencies: list[tuple[int, ...]] = field(default_factory=list)
    above: tuple[int, ...] = ()
    sequence: tuple[int, ...] = ()
    unsure: int = 0
    """The steps whose ancestors are not known for certain, after a mistake already reported."""

    @property
    def is_of_handlers(self) -> bool:
        """Whether these are the handlers of `on_failure`, or inside of one."""
        here = self
        while here.owner is not None:
            here = here.owner.group
        return here.kind == "handlers"


@dataclass(eq=False, slots=True)
class Entry:
    """A step with its place: the `position`-th of its group, the `index`-th of the file.

    `undoes` is the step that this one is the `compensate` of.
    """

    step: Step
    group: Group
    position: int
    index: int
    undoes: Entry | None = None
    block: Group | None = None
    undo: Entry | None = None

    @property
    def id(self) -> str:
        """The step's id as written."""
        return self.step.id

    @property
    def has_id(self) -> bool:
        """Whether the step has an id: one that has none is called by its place."""
        return is_id(self.step.id)

    @property
    def bit(self) -> int:
        """The step in the bitsets of its group."""
        return 1 << self.position

    def enclosing(self) -> Iterator[Entry]:
        """Yield the step itself and the blocks it is in, innermost first."""
        here: Entry | None = self
        while here is not None:
            yield here
            here = here.group.owner


@dataclass(frozen=True, slots=True)
class Groups:
    """Every group of a workflow, outer ones first, and every step by its folded id."""

    top: Group
    handlers: Group
    all: tuple[Group, ...]
    by_id: dict[str, Entry]
    by_name: dict[str, list[Entry]]
    _near: dict[tuple[str, int], Entry | None] = field(default_factory=dict)

    def nearest(self, word: str, group: Group | None = None) -> Entry | None:
        """Return the step that a mistyped id or name most likely means, of one group or of all.

        A file with very many mistakes in very many steps gets no more proposals at some point:
        comparing each word with each name would take minutes.
        """
        key = (word, id(group))
        if key not in self._near:
            every = self.entries() if group is None else group.entries
            steps = [entry for entry in every if entry.has_id]
            names = {entry.step.name: entry for entry in steps}
            names.update({entry.id: entry for entry in steps})
            affordable = (len(self._near) + 1) * len(names) <= _COMPARISONS
            found = nearest(word, names) if affordable else None
            self._near[key] = None if found is None else names[found]
        return self._near[key]

    def find(self, step: str) -> Entry | None:
        """Return the step of an id, `-` and `_` being alike."""
        return self.by_id.get(same(step))

    def entries(self) -> Iterator[Entry]:
        """Yield every step in file order, undos right after what they undo."""
        return iter(self.by_id.values())


def groups(workflow: Workflow) -> Groups:
    """Sort the steps of a workflow into groups; dependencies are not yet known."""
    by_id: dict[str, Entry] = {}
    by_name: dict[str, list[Entry]] = {}
    found: list[Group] = []

    def enter(step: Step, group: Group, undoes: Entry | None = None) -> Entry:
        entry = Entry(step, group, len(group.entries), len(by_id), undoes)
        group.entries.append(entry)
        by_id.setdefault(same(step.id), entry)
        by_name.setdefault(step.name, []).append(entry)
        return entry

    def fill(group: Group, steps: tuple[Step, ...]) -> Group:
        found.append(group)
        for step in steps:
            entry = enter(step, group)
            if step.kind == "parallel":
                entry.block = fill(Group("block", entry), step.steps)
            if step.compensate is not None:
                undo = Group("undo", group.owner)
                found.append(undo)
                entry.undo = enter(step.compensate, undo, entry)
        return group

    top = fill(Group("steps", None), workflow.steps)
    handlers = fill(Group("handlers", None), workflow.on_failure)
    return Groups(top, handlers, tuple(found), by_id, by_name)
