"""The workflow that scenarios are about: what they may name in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path as FilePath

from cli.project.compile_file import Compiled
from cli.scenarios.written import CHOICES, DECISIONS
from compiler.check.program import Action, Program, Script, Step, every_step
from compiler.check.suggest import nearest, suggestion
from compiler.document.nodes import Json, Lost, Path
from compiler.spec.report import Reporter

MESSAGES = ("notify", "send-transactional-email")
"""The actions that tell people something."""
_SLIP = 0.8
"""How alike two names are of which one is a slip of the other, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A compiled workflow, as scenarios see it."""

    path: FilePath
    compiled: Compiled

    @property
    def program(self) -> Program:
        """The checked workflow itself."""
        program = self.compiled.own.program
        assert program is not None  # it compiled
        return program

    def own(self, word: str) -> str | None:
        """Return the id of the workflow's own step, handler or undo that a word means, or None."""
        return _meant(word, steps_of(self.program))

    def any(self, word: str) -> str | None:
        """As `own`, but steps of the workflows that it calls are found too."""
        return self.own(word) or _meant(word, self._called())

    def own_ids(self) -> list[str]:
        """Return the ids that `own` finds."""
        return [step.id for step in steps_of(self.program)]

    def any_ids(self) -> list[str]:
        """Return the ids that `any` finds."""
        return list(dict.fromkeys([*self.own_ids(), *(step.id for step in self._called())]))

    def answers(self, id: str) -> tuple[str, ...]:
        """Return what people may say of a step: nothing where nobody is asked."""
        found = [step for step in (*steps_of(self.program), *self._called()) if step.id == id]
        said: dict[str, None] = {}
        for step in found:
            said |= dict.fromkeys(DECISIONS if step.rule.manual else ())
            said |= dict.fromkeys(CHOICES if step.on_error == "pause" else ())
        return tuple(said)

    def outputs(self, id: str) -> tuple[str, ...]:
        """Return the names of the outputs that a script declares, by its step's id."""
        found = [step for step in (*steps_of(self.program), *self._called()) if step.id == id]
        scripts = [step for step in found if isinstance(step.kind, Script)]
        return tuple(dict.fromkeys(output.name for step in scripts for output in step.outputs))

    def messages(self) -> frozenset[str]:
        """Return the ids of all steps that tell people something."""
        every = (*steps_of(self.program), *self._called())
        is_message = [
            s.id for s in every if isinstance(s.kind, Action) and s.kind.action in MESSAGES
        ]
        return frozenset(is_message)

    def undone_by(self) -> Mapping[str, str]:
        """Return the steps that have an undo by the ids of their undos."""
        steps = every_step(self.program.steps)
        return {step.compensate.id: step.id for step in steps if step.compensate is not None}

    def _called(self) -> list[Step]:
        programs = [one.program for one in self.compiled.called.values()]
        return [step for one in programs if one is not None for step in steps_of(one)]


def steps_of(program: Program) -> Iterator[Step]:
    """Yield all steps of a workflow, its undos and handlers included."""
    for step in every_step(program.steps):
        yield step
        if step.compensate is not None:
            yield step.compensate
    yield from every_step(program.handlers)


def check_outputs(
    reporter: Reporter,
    written: Mapping[str, Json] | None,
    path: Path,
    names: tuple[str, ...],
    whose: str,
) -> None:
    """Report outputs that are all but called as one of `names` that is not said.

    What is called otherwise may be right: a script may write more than it declares.
    """
    given = written or {}
    left = [name for name in names if name not in given]
    for name in given:
        meant = get_close_matches(name, () if name in names else left, 1, _SLIP)
        if meant:
            message = f"{whose} gives no output '{name}'"
            help_ = f"did you mean '{meant[0]}'?"
            reporter.error_at_key("unknown-output", (*path, name), message, help_)


def _meant(word: str, steps: Iterable[Step]) -> str | None:
    """Return the id that is meant by an id, in which `-` and `_` are alike, or by a name."""
    every = list(steps)
    folded = word.replace("-", "_")
    by_id = next((step.id for step in every if step.id == word), None)
    alike = next((step.id for step in every if step.variable == folded), None)
    return by_id or alike or next((step.id for step in every if step.name == word), None)


def named(
    reporter: Reporter,
    written: Mapping[str, Json] | None,
    path: Path,
    known: Callable[[str], str | None],
    ids: list[str],
) -> Iterator[tuple[str, Path, Json]]:
    """Yield what a mapping says of steps, with their ids; report names that mean no step.

    What is said under a slip of a step's name is yielded for that step, to be read as well.
    """
    for word, value in (written or {}).items():
        step = known(word)
        if step is None:
            message = f"the workflow has no step '{word}'"
            help_ = suggestion(word, ids, "its steps")
            reporter.error_at_key("unknown-step", (*path, word), message, help_)
            step = nearest(word, ids)
        if step is not None and not isinstance(value, Lost):
            yield step, (*path, word), value
