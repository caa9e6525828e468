"""A workflow file, with all workflows that it calls, for a run on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cli.console import Misuse
from cli.output import text
from cli.project.local_program import local_program
from cli.project.project import Project, Projects, shown_path
from cli.project.targets import Target
from compiler.check.suggest import suggestion
from compiler.check.workflows import find
from compiler.diagnostics import Diagnostic, Severity
from compiler.document.nodes import Json
from compiler.pipeline import Compilation, cut_after
from local.program import Program


class Refused(Exception):
    """A workflow with mistakes: as text they are rendered for people."""

    def __init__(self, files: list[str], diagnostics: list[Diagnostic], *, colour: bool) -> None:
        shown = text.render(diagnostics, colour=colour)
        super().__init__(shown + text.summary(files, diagnostics, colour=colour))
        self.diagnostics = tuple(diagnostics)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A workflow's program, and what it was made from: its own file's and those it calls.

    `left_out` are the steps that do not belong to the program, by their ids.
    """

    program: Program
    own: Compilation
    called: Mapping[str, Compilation]
    project: Project
    left_out: tuple[str, ...] = ()


def compile_path(path: Path, stage: str | None = None, *, colour: bool = False) -> Program:
    """Return the program in a file. Raises Refused, or Misuse where it cannot be read."""
    return compile_whole(path, Projects(stage), colour=colour).program


def compile_whole(
    path: Path, projects: Projects, *, colour: bool = False, until: str | None = None
) -> Compiled:
    """Return the program in a file with its compilations; raises what `compile_path` does.

    With `until` it is that step, by its id, and what it depends on; Misuse where there is none.
    """
    project = projects.of(path)
    own = project.compile(path, Target(path, str(path)).read(), str(path))
    called = _called(own, path, project)
    compilations = [own, *called.values()]
    found = [*projects.found(), *(d for one in compilations for d in one.diagnostics)]
    if any(d.severity is Severity.ERROR for d in found):
        raise Refused([one.source.name for one in compilations], found, colour=colour)
    left_out: tuple[str, ...] = ()
    if until is not None:
        own, left_out = _cut(own, until)
    program = local_program(own)
    machines: dict[str, dict[str, Json]] = {}
    for reference, one in called.items():
        machines[reference] = one.machines[0].definition
        machines |= {machine.id: machine.definition for machine in one.machines[1:]}
    return Compiled(_whole(program, machines, called), own, called, project, left_out)


def _cut(whole: Compilation, until: str) -> tuple[Compilation, tuple[str, ...]]:
    """Return what is left up to a step, and the ids of the steps that are not."""
    assert whole.program is not None
    alike = {name.replace("-", "_"): name for name in whole.program.by_id}
    step = alike.get(until.replace("-", "_"))
    if step is None:
        hint = suggestion(until, whole.program.by_id, "the steps")
        raise Misuse(f"there is no step '{until}' in the workflow\n{hint}")
    cut = cut_after(whole, step)
    assert cut.program is not None
    kept = cut.program.by_id
    return cut, tuple(name for name in whole.program.by_id if name not in kept)


def _whole(
    program: Program, machines: dict[str, dict[str, Json]], called: dict[str, Compilation]
) -> Program:
    """Return the program with all machines and the programs it calls, directly or not."""
    children = {reference: local_program(one) for reference, one in called.items()}
    for reference, one in children.items():
        children[reference] = replace(one, children=children)
    return replace(
        program,
        machines={**machines, **program.machines},
        children=children,
        secrets=program.secrets.union(*(one.secrets for one in children.values())),
    )


def _called(own: Compilation, path: Path, project: Project) -> dict[str, Compilation]:
    """Return the workflows called, directly or not, by the references that machines use."""
    workflows = project.surroundings(path).workflows
    found: dict[str, Compilation] = {}
    pending = [own]
    for caller in pending:  # grows while it is read
        for reference in () if caller.program is None else caller.program.children:
            contract = find(reference, "", workflows)
            if reference in found or contract is None:
                continue
            file = project.root / contract.file
            one = project.compile(file, Target(file, str(file)).read(), shown_path(file))
            found[reference] = one
            pending.append(one)
    return found
