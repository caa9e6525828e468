"""Which steps' files a step finds in its workspace: those of all that has ended before it.

Each reader has the steps that may have left files, in the order in which they are laid (of two
files at one place the last stays), with the number of items that both stand in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import TypeAlias

from compiler.check.program import Block, Program, Script, Step, every_step
from compiler.plan.close import repeated
from compiler.plan.graph import ancestors_of

Files: TypeAlias = "dict[str, dict[str, int]]"


def files(program: Program, above: Mapping[str, int]) -> Files:
    """Return whose files each step of a workflow's own that reads files finds.

    `above` are each step's ancestors as a bitset over all steps in file order.
    """
    places = _Places(program.steps, above)
    return {
        step.id: found
        for step in every_step(program.steps)
        if _reads(step) and (found := places.left(places.before[step.id], step))
    }


def files_at_close(program: Program) -> Files:
    """Return whose files handlers and undos find: what the steps left that have finished.

    A handler comes after all steps. An undo finds what its own step has found and left, that
    last: what was made beside it is another one's to undo.
    """
    places = _Places(program.steps, ancestors_of(program.steps))
    own = _Places(program.handlers, ancestors_of(program.handlers))
    everything = dict.fromkeys(places.giving, 0)
    found: Files = {}
    for handler in every_step(program.handlers):
        if _reads(handler):
            found[handler.id] = everything | own.left(own.before[handler.id], handler)
    for step in every_step(program.steps):
        undo = step.compensate
        if undo is not None and _reads(undo):
            before = places.left(places.before[step.id], step)
            found[undo.id] = before | places.left(places.made_in(step), step)
    return {name: makers for name, makers in found.items() if makers}


def _reads(step: Step) -> bool:
    return isinstance(step.kind, Script) or step.reads_files


def _gives(step: Step) -> bool:
    is_literal = any(output.form == "literal" for output in step.outputs)
    return bool(step.artifacts) or step.makes_files or is_literal


class _Places:
    """Where steps stand: what ends before them, and for which items they are carried out."""

    def __init__(self, steps: tuple[Step, ...], above: Mapping[str, int]) -> None:
        known = {step.id: step for step in every_step(steps)}
        self._above = above
        self._bits = {name: 1 << at for at, name in enumerate(known)}
        self.giving = [name for name, step in known.items() if _gives(step)]
        self._items = {step.id: tuple(o.id for o in outer) for step, outer in repeated(steps)}
        self.before = self._before(steps, known) if self.giving else dict.fromkeys(known, 0)

    def left(self, ended: int, reader: Step) -> dict[str, int]:
        """Return which of the steps that have ended may have left files for a reader."""
        mine = self._items[reader.id]
        return {
            maker: _shared(self._items[maker], mine)
            for maker in self.giving
            if ended & self._bits[maker]
        }

    def made_in(self, step: Step) -> int:
        """Return a step and all in it, as a bitset over all steps in file order."""
        return self._bits[step.id] | self._sum(_inside(step))

    def _sum(self, steps: Iterable[Step]) -> int:
        return sum(self._bits[step.id] for step in steps)

    def _before(self, steps: tuple[Step, ...], known: dict[str, Step]) -> dict[str, int]:
        """Return all that has ended when a step starts.

        What is before a block is before all that is in it, and what is in a block comes with it.
        """
        inside = {step.id: self._sum(_inside(step)) for step in known.values() if _inside(step)}
        before: dict[str, int] = {}

        def fill(group: tuple[Step, ...], outer: int) -> None:
            blocks = [(self._bits[one.id], inside[one.id]) for one in group if one.id in inside]
            for step in group:
                mine = outer | self._above[step.id]
                for bit, children in blocks:
                    if mine & bit:
                        mine |= children
                before[step.id] = mine
                if isinstance(step.kind, Block):
                    fill(step.kind.steps, mine)

        fill(steps, 0)
        return before


def _inside(step: Step) -> tuple[Step, ...]:
    return tuple(every_step(step.kind.steps)) if isinstance(step.kind, Block) else ()


def _shared(maker: tuple[str, ...], reader: tuple[str, ...]) -> int:
    """Return how many of the items that two steps stand in are the same."""
    pairs = zip(maker, reader, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
