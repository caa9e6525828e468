"""The machines that validators are asked about: made up ones, and all that ship."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from compiler.diagnostics import Severity
from tests.compiler.generate import made
from tests.golden.project import ROOT, compiled, workflows

MADE_UP = 150
MOST_STEPS = 3
"""At the root; a step may hold others."""

Definition = dict[str, Any]


@cache
def definitions() -> dict[str, Definition]:
    """Return every machine of the corpus by a name of its own."""
    found: dict[str, Definition] = {}
    for seed in range(MADE_UP):
        for at, machine in enumerate(made(seed, MOST_STEPS).machines):
            found[f"made-{seed}-{at}"] = machine.definition
    for folder in (ROOT / "workflows", ROOT / "tests" / "scenarios"):
        for made_of in compiled(workflows(folder)) if folder.is_dir() else ():
            errors = [d for d in made_of.diagnostics if d.severity is Severity.ERROR]
            assert not errors, (made_of.source.name, errors)
            for at, machine in enumerate(made_of.machines):
                found[f"{Path(made_of.source.name).stem}-{at}"] = machine.definition
    return found
