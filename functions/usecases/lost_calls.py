"""Find the workflows that a run called and that were cut off in its course.

A branch of a block that fails fast, an item beside a bad one, a call whose time was over: Step
Functions stops the execution that was called, which therefore undoes nothing itself, and nothing of
it is stored with its caller. Whether it has to be undone is known only when the caller has failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.domain.errors import PassingFault
from functions.domain.records.closing import cut_off_of
from functions.domain.records.executions import Execution, attempt_name, execution_arn
from functions.domain.records.timeline import children_of
from functions.ports import Executions
from functions.record_ports import Histories
from protocol.payloads import StoredRecords, Undo

CALLER_ENDED = "Stepsmith.CallerEnded"
"""The error of an execution that was stopped because the run that called it is over."""


@dataclass(frozen=True, slots=True)
class LostCalls:
    """Looks for them in the histories of executions."""

    histories: Histories
    executions: Executions

    def __call__(self, message: StoredRecords) -> Sequence[tuple[datetime, Undo]]:
        """Return the undos of what was cut off, latest first; with those of calls that succeeded.

        Raises PassingFault while something that the run started goes on: nothing is undone that is
        still being done.
        """
        execution = message.get("execution") or ""
        run = message["run"]
        if ":stateMachine:" in execution:
            execution = execution_arn(execution, attempt_name(run["id"], run["attempt"]))
        if self.histories.describe(execution) is None:
            return ()  # Step Functions keeps them for 90 days
        started = [*self._started(execution, run["id"], message.get("close"))]
        return cut_off_of((one for one in started if one.role == "child"), message["undo"])

    def _started(self, execution: str, run: str, close: str | None) -> Iterator[Execution]:
        """Yield what an execution of a run and its chunks started, without the `close` itself."""
        for child in children_of(self.histories.events(execution)):
            arn = execution_arn(child.machine, child.name)
            found = None if arn == close else self.histories.describe(arn)
            if found is None or run not in (found.run_id, found.parent):
                continue
            if not found.is_over:
                found = self._stopped(found)
            yield found
            if found.role == "chunk":
                yield from self._started(arn, run, close)

    def _stopped(self, execution: Execution) -> Execution:
        self.executions.stop(execution.arn, CALLER_ENDED, "the run that called it is over")
        found = self.histories.describe(execution.arn)
        if found is None or not found.is_over:
            raise PassingFault(f"{execution.name} goes on: it is being stopped")
        return found
