"""Diagnostic codes of the `spec` pass."""

from __future__ import annotations

from compiler.codes import Code

CODES: tuple[Code, ...] = ()
