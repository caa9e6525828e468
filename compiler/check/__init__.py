"""The check pass: names resolved, expressions typed, contracts kept, mistakes reported."""

from __future__ import annotations

from compiler.check.asks import asks
from compiler.check.check import check
from compiler.check.surroundings import (
    ActionContract,
    Nearest,
    OperationModel,
    StageSettings,
    Surroundings,
    WorkflowContract,
)
from compiler.check.workflows import contract

__all__ = [
    "ActionContract",
    "Nearest",
    "OperationModel",
    "StageSettings",
    "Surroundings",
    "WorkflowContract",
    "asks",
    "check",
    "contract",
]
