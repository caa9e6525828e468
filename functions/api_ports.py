"""What the API needs of the world outside, beside what all use cases do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from functions.domain.task import Task


class CallLog(Protocol):
    """Tells what becomes of the calls of the API."""

    def answered(
        self, request_id: str, method: str, route: str, status: int, seconds: float
    ) -> None:
        """Say how a call was answered; `route` is a pattern: the path itself may hold a token."""

    def fault(self, request_id: str, route: str, error: Exception) -> None:
        """Say that answering a call went wrong."""

    def lacking(self, request_id: str, route: str, what: str) -> None:
        """Say what the stage does not have that a call needs: operators have to set it."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A place in a list of tasks: behind that task, or the list's beginning."""

    is_open: bool
    due: str = ""
    task_id: str = ""


class TaskList(Protocol):
    """The tasks that people decide, in two lists: open and closed. A new one may be missing."""

    def after(self, place: Listed, most: int) -> list[Task]:
        """Return the next tasks: of open ones those due first ahead, of closed ones due last."""
