"""What commands share that need a workflow compiled: mistakes are talk, and end the command."""

from __future__ import annotations

from collections.abc import Sequence

from cli.console import Console
from cli.output import text
from cli.project.project import Projects
from cli.project.targets import compile_targets, one_target, targets
from compiler.pipeline import Compilation


def compiled(
    words: Sequence[str], stage: str | None, console: Console, *, many: bool = False
) -> list[Compilation] | None:
    """Return the files that words name, compiled; None where any has an error.

    Errors and warnings are written to standard error.
    """
    projects = Projects(stage)
    found = targets(words, console) if many else [one_target(words[0], console)]
    compilations = compile_targets(found, projects)
    diagnostics = [*projects.found(), *(d for c in compilations for d in c.diagnostics)]
    if diagnostics:
        colour = console.colours(console.stderr)
        console.stderr.write(text.render(diagnostics, colour=colour))
        files = [target.shown for target in found]
        console.stderr.write(text.summary(files, diagnostics, colour=colour))
    is_wrong = not all(one.ok for one in compilations) or any(
        d.severity == "error" for d in projects.found()
    )
    return None if is_wrong else compilations
