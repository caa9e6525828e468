"""Runs of the local engine, told to a keeper of records as AWS would tell of them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Any

from cli.project.local_program import local_program
from cli.project.manifests import workflows
from cli.project.project import Projects
from compiler.manifest import manifest as manifest_of
from compiler.pipeline import Compilation, compile_source
from compiler.source import Source
from functions.domain.people import Directory
from functions.domain.records.executions import Execution
from functions.domain.records.item import BEGUN
from functions.domain.records.live import Call, Scene, live_record
from functions.domain.records.rows import ResultRow
from functions.domain.task import Task
from functions.usecases.keep_record import take_change
from local.clock import Clock
from local.people import People, Said
from local.program import Program
from local.record import build
from local.stubs import Fail, Stub
from local.workflow import Ran, Request, run_workflow
from protocol.manifest import WorkflowManifest
from protocol.names import machine_name
from tests.compiler.generate import around, made
from tests.functions.records.memory import STAGE, Office, begins, change, execution_arn

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
LEAD = "lead@example.com"
PROJECT = """
stages: {local: {}}
groups: {oncall: [ann@example.com, Lead+night@example.com]}
"""
CHILD = """
name: child
inputs: {free: {required: false}, text: {type: string, required: false}}
steps:
  - {id: c1, run: x, outputs: {value: , other: }}
  - {id: c2, run: x, depends_on: [c1], condition: "failure()"}
outputs:
  value: {value: "${{ steps.c1.outputs.value }}"}
  other: {value: "${{ steps.c1.outputs.other }}"}
"""


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow as the local engine takes it, and the manifests of all that it consists of."""

    program: Program
    manifests: tuple[WorkflowManifest, ...]

    @property
    def manifest(self) -> WorkflowManifest:
        """Return the workflow's own."""
        return self.manifests[0]


def written(text: str, **others: str) -> Workflow:
    """Return a workflow, with other workflows of its project by the names of their files."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "workflows").mkdir()
        (root / "stepsmith.yaml").write_text(PROJECT)
        for name, other in (("w", text), *others.items()):
            (root / "workflows" / f"{name}.yaml").write_text(dedent(other))
        project = Projects().of(root / "workflows" / "w.yaml")
        found = {one.manifest["id"]: one for one in workflows(project)}
    own = found["w"]
    called = {name: found[name.partition("@")[0]].own for name in found if name != "w"}
    return Workflow(
        _program(own.own, called), (own.manifest, *(o.manifest for o in found.values() if o != own))
    )


def _program(own: Compilation, called: Mapping[str, Compilation]) -> Program:
    children = {name: local_program(one) for name, one in called.items()}
    for name, child in children.items():
        children[name] = replace(child, children=children)
    program = local_program(own)
    machines = {n: m for one in children.values() for n, m in one.machines.items()}
    return replace(program, machines={**machines, **program.machines}, children=children)


@cache
def random_workflow(seed: int, most: int) -> Workflow:
    """Return a workflow made up at random."""
    own = made(seed, most)
    child = compile_source(Source("workflows/child.yaml", CHILD), around())
    assert child.ok, child.diagnostics
    called = {"child": child}
    return Workflow(_program(own, called), (manifest_of(own, called), manifest_of(child)))


@dataclass(frozen=True, slots=True)
class Played:
    """A run that is over, and what its record has to be."""

    workflow: Workflow
    ran: Ran
    record: Mapping[str, Any]


def played(
    workflow: Workflow,
    stubs: Mapping[str, Stub] | None = None,
    inputs: Mapping[str, Any] | None = None,
    people: People | None = None,
    **run: Any,
) -> Played:
    """Carry a workflow out on the local engine."""
    manifest, program = workflow.manifest, workflow.program
    given: Any = {
        "inputs": {**(inputs or {})},
        "run": {"id": "r-1", "attempt": 1, "manifest": manifest["digest"], **run},
    }
    carried_out = ("run", "action")
    own = {
        name: Stub()
        for one in workflow.manifests
        for step in (*one["steps"], *one.get("handler_steps", ()))
        if step["kind"] in carried_out
        for name in (step["id"], f"{step['id']}_undo")
    } | dict(stubs or {})
    request = Request(
        program.machines,
        program.workflow,
        given,
        stubs=own,
        people=people or People(Directory(approvers=(LEAD,))),
    )
    ran = run_workflow(request, clock=Clock(NEW_YEAR))
    return Played(workflow, ran, json.loads(json.dumps(build(ran, program))))


def random_play(seed: int, most: int) -> Played:
    """Carry a random workflow out, with random ends of its steps and decisions."""
    workflow = random_workflow(seed, most)
    chance = random.Random(seed)
    stubs, decisions = {}, {}
    program = workflow.program
    for rule in (*program.rules.values(), *program.handlers.values()):
        takes = chance.choice([0.0, 0.0, 1.0, 7.0, 90.0])
        outputs = {"value": "x", "other": chance.choice(["x", "y"])}
        fail = None
        if chance.random() < 0.25:
            fail = Fail("NetworkError", "why\nand where", times=chance.choice([1, 2, None]))
        happens = "timed_out" if chance.random() < 0.1 else None
        kind = workflow.manifest["steps"]
        written_as = next((one["kind"] for one in kind if one["id"] == rule.id), "run")
        if written_as in ("parallel", "subworkflow"):
            continue
        if rule.manual:
            status = chance.choice(["approved", "approved", "rejected"])
            decisions[rule.id] = [Said(status, after=takes)] if chance.random() < 0.8 else []
            continue
        stubs[rule.id] = Stub(takes, outputs, fail, happens)
    for step in [one for one in program.rules if one not in decisions]:
        said = chance.choice([["retry", "fail"], ["retry", "skip"], ["skip"], ["fail"]])
        decisions[step] = [Said(one, by=LEAD, after=1.0) for one in said]
    for child in ("c1", "c2"):
        fail = Fail("Broken", "inside") if chance.random() < 0.3 else None
        stubs[child] = Stub(chance.choice([0.0, 5.0]), {"value": "v", "other": "o"}, fail)
    people = People(Directory(approvers=(LEAD,)), decisions=decisions)
    inputs = {"name": "a@example.com", "names": ["b@example.com", "c@example.com"], "count": 3}
    return played_with(workflow, stubs, inputs, people)


def played_with(
    workflow: Workflow, stubs: Mapping[str, Stub], inputs: Mapping[str, Any], people: People
) -> Played:
    """Carry a workflow out with these stubs alone."""
    program = workflow.program
    given: Any = {
        "inputs": {**inputs},
        "run": {"id": "r-1", "attempt": 1, "manifest": workflow.manifest["digest"]},
    }
    request = Request(program.machines, program.workflow, given, stubs=stubs, people=people)
    ran = run_workflow(request, clock=Clock(NEW_YEAR))
    return Played(workflow, ran, json.loads(json.dumps(build(ran, program))))


def office_of(play: Played) -> Office:
    """Return an office that knows the workflow and its executions, and was told of nothing."""
    office = Office(*play.workflow.manifests)
    for reference, finished in _executions(play):
        machine = machine_name(STAGE, reference)
        office.engine.add(
            Execution(
                arn=execution_arn(machine, finished.name),
                machine=machine,
                name=finished.name,
                status=finished.status,
                started_at=_whole(finished.started_at),
                completed_at=_whole(finished.completed_at),
                input=finished.input,
                output=finished.output,
                error=finished.error,
                cause=finished.cause,
            ),
            finished.history,
        )
    office.rows.runs = {play.ran.run_id: dict(play.ran.rows)}
    office.rows.runs |= {one.run_id: dict(one.rows) for one in play.ran.others}
    for task in play.ran.tasks:
        office.tasks.rows[task.task_id] = task
        office.tasks.members.append(task.task_id)
    office.clock.at = max(one.completed_at or NEW_YEAR for one in office.engine.executions.values())
    return office


def news(office: Office) -> list[dict[str, Any]]:
    """Return what EventBridge would tell of the executions, in the order of its happening."""
    told = []
    for execution in office.engine.executions.values():
        told.append((execution.started_at, 0, begins(execution)))
        told.append((execution.completed_at or execution.started_at, 1, change(execution)))
    return [one for _, _, one in sorted(told, key=lambda one: one[:2])]


def _executions(play: Played) -> list[tuple[str, Any]]:
    own = [(play.workflow.program.workflow, play.ran.finished)]
    return own + [(one.machine, one.finished) for one in play.ran.others]


def _whole(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def tell(office: Office, told: list[dict[str, Any]]) -> None:
    """Hand status changes to the keeper of records."""
    for one in told:
        take_change(one, office.keeper)


_MORE = ("trigger", "inputs", "event_id", "rerun_of", "manifest", "tasks", "links")


def bare(record: Any) -> Any:
    """Return a record without what a stage's have beside what happened."""
    if isinstance(record, dict):
        left_out = ("task_id", "line", "log", *(_MORE if "run_attempt" in record else ()))
        return {key: bare(value) for key, value in record.items() if key not in left_out}
    return [bare(one) for one in record] if isinstance(record, list) else record


# --- records of runs that go on -----------------------------------------------------------------


def live_differences(play: Played) -> list[str]:
    """Return what live records said for certain that the final record says otherwise."""
    office = office_of(play)
    tell(office, news(office))
    kept = office.runs.kept("r-1", 1)
    assert kept is not None
    final = {step["step_id"]: step for step in kept.record["steps"]}
    found = []
    for moment in _moments(office, play.ran.finished.completed_at):
        for step in live_at(office, "r-1", moment)["steps"]:
            said = (step["status"], step.get("reason"))
            end = final[step["step_id"]]
            if said[0] not in _OPEN and said != (end["status"], end.get("reason")):
                found.append(f"{moment}: {step['step_id']} is {said}, in the end {end}")
    return found


_OPEN = ("pending", "running", "waiting", "paused")


def _moments(office: Office, end: datetime) -> list[datetime]:
    """Return when something was stored, before the end."""
    found: set[datetime] = set()
    for row in office.rows.of_run("r-1").values():
        told = (row.started_at, row.last_started_at, row.completed_at)
        found |= {datetime.fromisoformat(one) for one in told if one}
    for task in office.tasks.rows.values():
        found |= {task.opened_at, *([task.decision.decided_at] if task.decision else [])}
    return sorted(one for one in found if one < end)


def live_at(office: Office, run_id: str, moment: datetime) -> Any:
    """Return the record of a run by what was stored at a moment of it."""
    item = office.runs.items[run_id]
    if item.completed_at is not None and datetime.fromisoformat(item.completed_at) <= moment:
        kept = office.runs.kept(run_id, 1)
        assert kept is not None
        return kept.record
    then = replace(item, status="running", phase=BEGUN, completed_at=None, error=None)
    calls = [
        Call(known.step or "", tuple(known.items), known.started_at,
             live_at(office, known.run_id, moment))
        for known in office.runs.known(run_id)
        if known.role == "child" and datetime.fromisoformat(known.started_at) <= moment
    ]  # fmt: skip
    tasks = [task for task in office.tasks.rows.values() if task.place.run_id == run_id]
    rows = office.rows.of_run(run_id)
    return live_record(
        Scene(
            item=then,
            plan=office.keeper.plans.of(item.manifest),
            given=office.runs.given(run_id, 1),
            rows={path: row for path in rows if (row := _row_at(rows[path], moment)) is not None},
            tasks=[one for task in tasks if (one := _task_at(task, moment)) is not None],
            calls=calls,
        )
    )


def _row_at(row: ResultRow, moment: datetime) -> ResultRow | None:
    if datetime.fromisoformat(row.started_at) > moment:
        return None
    if row.completed_at and datetime.fromisoformat(row.completed_at) <= moment:
        return row
    bare_row = replace(row, completed_at=None, outputs={}, error_type=None, error_message=None)
    if datetime.fromisoformat(row.last_started_at) <= moment:
        return replace(bare_row, status="begun")
    return replace(bare_row, status="failed", attempt=1, error_type="X", error_message="why")


def _task_at(task: Task, moment: datetime) -> Task | None:
    if task.opened_at > moment:
        return None
    if task.decision is not None and task.decision.decided_at <= moment:
        return task
    return replace(task, status="pending", decision=None)
