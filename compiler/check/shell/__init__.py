"""Scripts of `run`: expressions in them, programs they call, outputs they write."""

from __future__ import annotations

from compiler.check.shell.interpolation import Interpolated, Variable, interpolate
from compiler.check.shell.outputs import outputs_written
from compiler.check.shell.programs import programs

__all__ = ["Interpolated", "Variable", "interpolate", "outputs_written", "programs"]
