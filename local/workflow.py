"""Run a compiled workflow on the local engine with the real functions."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3

from functions.actions.processes import allow, stop_all
from functions.adapters.secrets import ManagedSecrets
from functions.domain.task import Task
from functions.handlers import latches as latches_function
from functions.handlers import stored as stored_function
from functions.lost_wiring import lost_wiring
from functions.ports import Carries
from functions.settings import Settings
from functions.wiring import Local, action_wiring, latch_wiring, stored_wiring
from local import secrets
from local.clock import Clock, Thread
from local.codebuild import localised
from local.engine import REGION, Engine, Progress
from local.finished import Finished
from local.functions import Functions
from local.people import People, Staff
from local.results import ResultRow, rows_of
from local.source import LocalSources
from local.stubs import Stub, Stubs
from local.tables import create_tables
from protocol.names import BUS, STARTED_BY, TASKS
from protocol.payloads import Json, MachineInput, Release

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

SETTINGS = Settings(
    results_table="stepsmith-local-results",
    latches_table="stepsmith-local-latches",
    bucket="stepsmith-local",
    stage="local",
    region=REGION,
    outbox_table="stepsmith-local-outbox",
)
BUS_NAME = "stepsmith-local"
LOCKING = '"op": "lock"'
TABLES = ("results", "latches", "outbox")
PEOPLE_TABLES = ("tasks", "task-tokens")


@dataclass(frozen=True, slots=True)
class Request:
    """A run to carry out.

    `machines` are definitions with placeholders by their names, `workflow` the one to start;
    `source` is the folder steps work on; `keep` a folder for what scripts said. `stubs` are
    carried out in place of the steps they name. `functions` stand for placeholders (`tasks`,
    `records`, `action:NAME`) in the place of the local engine's own; `actions` are the project's
    own by name. `secrets` are those to be had; what is in `reads` of them is put into Secrets
    Manager, and scripts do not find it in their environment otherwise. Runs of the same `seed`
    that begin at the same time of the clock and carry out stubs only have the same record.
    """

    machines: Mapping[str, Mapping[str, Any]]
    workflow: str
    input: MachineInput
    source: Path | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    keep: Path | None = None
    stubs: Mapping[str, Stub] = field(default_factory=dict)
    people: People = field(default_factory=People)
    functions: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    seed: int = 0
    actions: Mapping[str, Carries] = field(default_factory=dict)
    reads: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that is over.

    Its execution, the stored results of its steps by their paths, all executions it started
    (children, chunks, close machines) by their names with the machine's name, their stored
    results by run, and the tasks it opened.
    """

    run_id: str
    finished: Finished
    rows: Mapping[str, ResultRow]
    others: tuple[Child, ...] = ()
    tasks: tuple[Task, ...] = ()
    published: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Child:
    """An execution that a run started: of which machine, by whom, and what was stored of it."""

    machine: str
    parent: str | None
    run_id: str
    finished: Finished
    rows: Mapping[str, ResultRow]


def run_workflow(
    request: Request, on_event: Progress | None = None, clock: Clock | None = None
) -> Ran:
    """Carry a run out and return it; raises EngineFault, SourceError or KeyboardInterrupt."""
    allow()
    clock = clock or Clock()
    run_id = str(request.input["run"]["id"])
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in request.reads and not name.startswith(("AWS_", "STEPSMITH_"))
    }
    with tempfile.TemporaryDirectory(prefix="stepsmith-run-") as store:
        local = Local(
            clock=clock,
            sources=LocalSources(request.source, Path(store)),
            secrets=ManagedSecrets(SETTINGS.stage, SETTINGS.region),
            s3=_bucket,
            inherited=inherited,
            logs=(request.keep or Path(store)) / "logs",
            groups=request.people.directory.groups,
        )
        try:
            return _Carrying(request, local, clock).carry_out(run_id, on_event)
        finally:
            allow()


class _Carrying:
    """One run: its functions, its engine and what is told of it afterwards."""

    def __init__(self, request: Request, local: Local, clock: Clock) -> None:
        self._request = request
        self._local = local
        self._clock = clock
        self._machines = {name: localised(m) for name, m in request.machines.items()}
        self._text = json.dumps(self._machines)
        self._secrets = {
            name: request.secrets[name] for name in request.reads if name in request.secrets
        }
        self._stubs = Stubs(request.stubs, clock) if request.stubs else None
        self._staff = Staff(clock, request.people) if TASKS in self._text else None
        self._releases: list[Thread] = []
        self._functions = Functions(
            partial(action_wiring, SETTINGS, local),
            request.actions,
            request.functions,
            self._stubs,
        )
        self._provide()

    def carry_out(self, run_id: str, on_event: Progress | None) -> Ran:
        """Carry the run out and return it."""
        request = self._request
        functions = self._functions
        with Engine(functions.by_arn, self._clock, seed=request.seed, stubs=self._stubs) as engine:
            dynamodb = boto3.client("dynamodb", region_name=REGION)
            tables = TABLES if self._staff is None else (*TABLES, *PEOPLE_TABLES)
            create_tables(dynamodb, tables, streams={"tasks"})
            secrets.create(self._secrets, SETTINGS.stage, REGION)
            if BUS in self._text:
                functions.fills["bus"] = _create_bus()
            if LOCKING in self._text:
                engine.listen(self._release)
            engine.create(self._machines, functions.fills)
            given = json.loads(json.dumps(request.input))
            try:
                finished = engine.execute(request.workflow, given, run_id, on_event, stop_all)
            finally:
                stop_all()
            for release in self._releases:  # else it may be cut off, or not, by the end of the run
                release.join()
            return self._ran(run_id, finished, engine, dynamodb)

    def _ran(
        self, run_id: str, finished: Finished, engine: Engine, dynamodb: DynamoDBClient
    ) -> Ran:
        rows = {run_id: rows_of(dynamodb, SETTINGS.results_table, run_id)}
        others = []
        for machine, execution in engine.others(run_id):
            run = str(_run_of(execution.input).get("id", execution.name))
            if run not in rows:
                rows[run] = rows_of(dynamodb, SETTINGS.results_table, run)
            parent = _parent_of(execution.input)
            others.append(Child(machine, parent, run, execution, rows[run]))
        tasks = self._staff.tasks() if self._staff is not None else []
        return Ran(
            run_id,
            finished,
            rows[run_id],
            tuple(others),
            tuple(tasks),
            tuple(engine.published),
        )

    def _provide(self) -> None:
        """Provide the functions that the machines name, and what stands for placeholders."""
        provided, settings, clock = self._functions, SETTINGS, self._clock
        provided.carry_out_steps(self._text)
        self._latches = latches_function.handler_with(partial(latch_wiring, settings, clock))
        provided.add("latches", self._latches)
        stored, lost = partial(stored_wiring, settings), lost_wiring(lambda: settings)
        provided.add("records", stored_function.handler_with(stored, lost))
        if self._staff is not None:
            provided.add("tasks", self._staff.function)

    def _release(self, event: Mapping[str, Any]) -> None:
        """Do what `records` does on AWS: free what an ended execution held."""
        detail = event["detail"]
        if detail["status"] != "RUNNING":
            message: Release = {"op": "release", "execution": detail["executionArn"]}
            release = self._clock.thread(self._latches, (message, None))
            self._releases.append(release)
            release.start()


def _run_of(given: Json) -> Mapping[str, Json]:
    run = given.get("run") if isinstance(given, dict) else None
    return run if isinstance(run, dict) else {}


def _parent_of(given: Json) -> str | None:
    parent = given.get(STARTED_BY) if isinstance(given, dict) else None
    return parent.rpartition(":")[2] if isinstance(parent, str) else None


def _create_bus() -> str:
    boto3.client("events", region_name=REGION).create_event_bus(Name=BUS_NAME)
    return BUS_NAME


def _bucket() -> S3Client:
    s3 = boto3.client("s3", region_name=REGION)
    s3.create_bucket(Bucket=SETTINGS.bucket)
    return s3
