"""ASL: the Plan written down as Amazon States Language, JSONata mode."""

from __future__ import annotations

from compiler.asl.emit import emit
from compiler.asl.model import StateMachine

__all__ = ["StateMachine", "emit"]
