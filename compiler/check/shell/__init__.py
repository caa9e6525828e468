"""Scripts of `run`: expressions in them, programs they call, outputs they write."""

from __future__ import annotations

from compiler.check.shell.github import ForGitHub, of_github, said_to_github
from compiler.check.shell.interpolation import Interpolated, Variable, interpolate
from compiler.check.shell.outputs import outputs_written
from compiler.check.shell.programs import programs
from compiler.check.shell.text import ScriptText, script_text

__all__ = [
    "ForGitHub",
    "Interpolated",
    "ScriptText",
    "Variable",
    "interpolate",
    "of_github",
    "outputs_written",
    "programs",
    "said_to_github",
    "script_text",
]
