"""The record of a local run: `functions.domain.records`, given what the engine knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from functions.domain.records.executions import Carried, Execution
from functions.domain.records.plan import Plan
from functions.domain.records.said import said
from functions.domain.records.shape import ErrorRecord, RunRecord, StepRecord
from functions.domain.records.tell import Family, record_of
from local.finished import Finished
from local.program import Program
from local.results import ResultRow
from local.workflow import Child, Ran

__all__ = ["ErrorRecord", "RunRecord", "StepRecord", "build", "said"]


def build(ran: Ran, program: Program, started_by: str | None = None) -> RunRecord:
    """Return the record of a run that is over."""
    record = _Teller(ran.others).run(program.workflow, ran.finished, ran.rows, plan_of(program))
    record["run_id"], record["started_by"] = ran.run_id, started_by
    return record


def plan_of(program: Program) -> Plan:
    """Return what records need of a program; machines are called by their references here."""
    plans: dict[str, Plan] = {}  # of all that is called, also in a circle of programs
    for name, child in program.children.items():
        plans[name] = _plan(child, plans)
    return _plan(program, plans)


def _plan(program: Program, plans: Mapping[str, Plan]) -> Plan:
    return Plan(
        workflow=program.workflow,
        version=program.version,
        rules=program.rules,
        handlers=program.handlers,
        blocks=program.blocks,
        children=plans,
    )


class _Teller:
    """Tells of a run and of those it started."""

    def __init__(self, others: Sequence[Child]) -> None:
        self._others = others

    def run(
        self, machine: str, finished: Finished, rows: Mapping[str, ResultRow], plan: Plan
    ) -> RunRecord:
        """Return the record of one run."""
        main = _carried(machine, finished)
        own = [
            _carried(one.machine, one.finished)
            for one in self._others
            if one.run_id == main.execution.run_id
        ]
        chunks = [one for one in own if one.execution.role == "chunk"]
        closes = [one for one in own if one.execution.role == "close"]
        tellers = [main, *chunks, *closes]
        called = {child.name for carried in tellers for child in carried.children}
        children = {
            one.finished.name: self.run(
                one.machine, one.finished, one.rows, plan.children[one.machine]
            )
            for one in self._others
            if one.finished.name in called and one.machine in plan.children
        }
        return record_of(Family(main, rows, chunks, closes, children), plan)


def _carried(machine: str, finished: Finished) -> Carried:
    execution = Execution(
        arn="",
        machine=machine,
        name=finished.name,
        status=finished.status,
        started_at=finished.started_at,
        completed_at=finished.completed_at,
        input=finished.input if isinstance(finished.input, dict) else {},
        output=finished.output,
        error=finished.error,
        cause=finished.cause,
    )
    return Carried(execution, execution.timeline(finished.history))
