"""Plan: from names and types to regions, ways and variables; every decision is taken here."""

from __future__ import annotations

from compiler.plan.planning import plan

__all__ = ["plan"]
