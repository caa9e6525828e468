"""Errors inside a run, and which names in ErrorEquals match them."""

from __future__ import annotations

QUERY_ERROR = "States.QueryEvaluationError"
TIMEOUT = "States.Timeout"
HEARTBEAT = "States.HeartbeatTimeout"
RUNTIME = "States.Runtime"
DATA_LIMIT = "States.DataLimitExceeded"

_NOT_TASK_FAILED = frozenset({QUERY_ERROR, TIMEOUT, RUNTIME})


class StateFailed(Exception):
    """A state failed with an error name and a cause, either of which may be missing."""

    def __init__(self, error: str | None, cause: str | None, *, heartbeat: bool = False) -> None:
        super().__init__(f"{error}: {cause}")
        self.error = error
        self.cause = cause
        self._heartbeat = heartbeat

    def matches(self, names: frozenset[str]) -> bool:
        """Say whether a retrier or catcher with these names takes the error.

        `States.Runtime` always ends the execution. `States.DataLimitExceeded` is taken by
        `States.ALL` and `States.TaskFailed`: so measured, though documented otherwise. A missed
        heartbeat is a `States.Timeout`, which `States.HeartbeatTimeout` takes as well.
        """
        if self.error == RUNTIME:
            return False
        if "States.ALL" in names or self.error in names:
            return True
        if self._heartbeat and HEARTBEAT in names:
            return True
        return "States.TaskFailed" in names and self.error not in _NOT_TASK_FAILED
