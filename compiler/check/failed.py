"""The value of what could not be understood."""

from __future__ import annotations

from compiler.check.program import Constant

FAILED = Constant(None)
"""Stands for a value whose mistakes have been reported; recognised by identity."""
