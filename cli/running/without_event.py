"""What a local run without an event reads of one: it is empty there, and conditions are silent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compiler.check.contexts import GIT_FIELDS
from compiler.check.program import EventWait, Program, expressions
from compiler.expressions import Expr, Ref, references
from compiler.plan.reading import exprs_of_step
from compiler.spec import GitPushTrigger

if TYPE_CHECKING:
    from cli.project.compile_file import Compiled
    from compiler.spec import Trigger

_OF_A_FAILURE = ("event", "workflow", "failed_step")
"""A member of `github` that handlers have without a push."""


def not_begun(compiled: Compiled) -> list[str]:
    """Return a note where the workflow, or one it calls, reads what only an event gives."""
    program = compiled.own.program
    if program is None or compiled.own.workflow is None:
        return []
    triggers = compiled.own.workflow.triggers
    if not triggers:
        return []
    programs = [program, *(one.program for one in compiled.called.values() if one.program)]
    found: list[str] = []
    if any(isinstance(one, GitPushTrigger) for one in triggers):
        found += _read("github", programs)
    of_git = bool(found)
    found += _read("event", programs[:1])  # workflows that are called are given none
    if not found:
        return []
    listed = ", ".join(f"'{name}'" for name in dict.fromkeys(found))
    are = "is" if len(set(found)) == 1 else "are"
    gives = _words(triggers, of_git=of_git)
    return [f"note: {listed} {are} empty without an event: --event {gives} gives one"]


def _words(triggers: tuple[Trigger, ...], *, of_git: bool) -> str:
    """Return what to write behind `--event`; a file where git on this machine cannot tell."""
    git = [one for one in triggers if isinstance(one, GitPushTrigger)]
    takes = {
        "push": any(one.takes_branches for one in git),
        "tag": any(one.takes_tags for one in git),
        "pull_request": any("pull_request" in one.events for one in git),
        "FILE": not of_git and len(git) < len(triggers),
    }
    words = [word for word, is_taken in takes.items() if is_taken]
    return " or ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])


def _read(root: str, programs: list[Program]) -> list[str]:
    """Return the members of a context that only an event gives and programs read."""
    found: set[str] = set()
    for program in programs:
        for ref in (ref for expr in _exprs(program) for ref in references(expr)):
            if ref.root == root and ref.keys[:3] != _OF_A_FAILURE and _is_given(ref):
                found.add(".".join([root, *map(str, ref.keys[:1])]))
    return sorted(found)


def _is_given(ref: Ref) -> bool:
    return ref.root == "event" or (bool(ref.keys) and ref.keys[0] in GIT_FIELDS)


def _exprs(program: Program) -> Iterator[Expr]:
    """Yield every expression of a run; those of triggers are asked of events alone."""
    from cli.plan.overview import all_steps

    for step in all_steps(program):
        waited_for = step.kind.match if isinstance(step.kind, EventWait) else None
        yield from (expr for expr in exprs_of_step(step) if expr is not waited_for)
    values = [value for _, value in program.outputs]
    if program.concurrency is not None:
        values.append(program.concurrency.group)
    if program.checkout is not None:
        values += [program.checkout.repository, program.checkout.ref]
    values += [one.to for one in program.notify]
    for value in values:
        yield from expressions(value)
