"""Run a compiled workflow on the local engine with the real functions."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3

from functions.actions.processes import allow, stop_all
from functions.adapters.secrets import ManagedSecrets
from functions.domain.services import Services
from functions.domain.task import Task
from functions.handlers import action as action_function
from functions.handlers import latches as latches_function
from functions.handlers import records as records_function
from functions.ports import Carries
from functions.settings import Settings
from functions.wiring import ACTIONS, Local, action, action_wiring, latch_wiring, stored_wiring
from local import secrets
from local.clock import Clock
from local.codebuild import build_with, localised
from local.dispatch import Function
from local.engine import REGION, Engine, EngineFault, Finished, Progress, function_arn
from local.people import People, Staff
from local.people import create_tables as create_people_tables
from local.results import ResultRow, rows_of
from local.source import LocalSources
from local.stubs import Stub, Stubs
from protocol.names import BUS, TASKS
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
STARTED_BY = "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID"
_ACTIONS = re.compile(r"\$\{action:([A-Za-z0-9_-]+)\}")


@dataclass(frozen=True, slots=True)
class Request:
    """A run to carry out.

    `machines` are definitions with placeholders by their names, `workflow` the one to start;
    `source` is the folder steps work on; `keep` a folder for what scripts said. `stubs` are
    carried out in place of the steps they name. `functions` stand for placeholders (`tasks`,
    `records`, `action:NAME`) in the place of the local engine's own; `actions` are the project's
    own by name. `secrets` are those to be had; what the machines read of them is put into Secrets
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
    read = secrets.names_read(request.machines)
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in read and not name.startswith(("AWS_", "STEPSMITH_"))
    }
    with tempfile.TemporaryDirectory(prefix="stepsmith-run-") as store:
        local = Local(
            clock=clock,
            sources=LocalSources(request.source, Path(store)),
            secrets=ManagedSecrets(SETTINGS.stage, SETTINGS.region),
            s3=_bucket,
            inherited=inherited,
            logs=(request.keep or Path(store)) / "logs",
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
            name: request.secrets[name]
            for name in secrets.names_read(self._machines)
            if name in request.secrets
        }
        self._stubs = Stubs(request.stubs, clock) if request.stubs else None
        self._staff = Staff(clock, request.people) if TASKS in self._text else None
        self._functions: dict[str, Function] = {}
        self._fills: dict[str, str] = {}
        self._provide()

    def carry_out(self, run_id: str, on_event: Progress | None) -> Ran:
        """Carry the run out and return it."""
        request = self._request
        with Engine(self._functions, self._clock, seed=request.seed, stubs=self._stubs) as engine:
            dynamodb = boto3.client("dynamodb", region_name=REGION)
            if self._staff is not None:
                create_people_tables(dynamodb)
            _create_tables(dynamodb)
            secrets.create(self._secrets, SETTINGS.stage, REGION)
            if BUS in self._text:
                self._fills["bus"] = _create_bus()
            if LOCKING in self._text:
                engine.listen(self._release)
            engine.create(self._machines, self._fills)
            given = json.loads(json.dumps(request.input))
            try:
                finished = engine.execute(request.workflow, given, run_id, on_event, stop_all)
            finally:
                stop_all()
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
        wiring = cache(partial(action_wiring, SETTINGS, self._local))
        for name in sorted(set(_ACTIONS.findall(self._text))):
            try:
                self._action(name)  # loaded before the first step, not to count as its work
            except KeyError:
                raise EngineFault(f"the local engine does not have the action '{name}'") from None
            handler = action_function.handler_with(partial(str, name), wiring, self._action)
            self._add(f"action:{name}", self._stubbed(handler, wiring), works=True)
        script = self._stubbed(action_function.handler_with(partial(str, "run"), wiring), wiring)
        self._add("codebuild", build_with(script), works=True)
        settings, clock = SETTINGS, self._clock
        self._latches = latches_function.handler_with(partial(latch_wiring, settings, clock))
        self._add("latches", self._latches)
        self._add("records", records_function.handler_with(partial(stored_wiring, settings)))
        if self._staff is not None:
            self._add("tasks", self._staff.function)

    def _action(self, name: str, services: Services | None = None) -> Carries:
        """Return a built-in action, else the project's own; raises KeyError where there is none."""
        return action(name, services) if name in ACTIONS else self._request.actions[name]

    def _stubbed(self, handler: Callable[..., Any], wiring: Callable[[], Any]) -> Any:
        return handler if self._stubs is None else self._stubs.around(handler, wiring)

    def _add(self, place: str, handler: Callable[..., object], *, works: bool = False) -> None:
        given = self._request.functions.get(place)
        arn = function_arn(f"stepsmith-local-{place.replace(':', '-')}")
        self._fills[place] = arn
        stubs = self._stubs
        is_work: Callable[[Any], bool] = lambda call: (  # noqa: E731
            works
            and not (call.get("stored") or call.get("keep"))
            and not (stubs is not None and stubs.names(call))
        )
        self._functions[arn] = Function(given or handler, works=is_work)

    def _release(self, event: Mapping[str, Any]) -> None:
        """Do what `records` does on AWS: free what an ended execution held."""
        detail = event["detail"]
        if detail["status"] != "RUNNING":
            message: Release = {"op": "release", "execution": detail["executionArn"]}
            self._clock.thread(self._latches, (message, None)).start()


def _run_of(given: Json) -> Mapping[str, Json]:
    run = given.get("run") if isinstance(given, dict) else None
    return run if isinstance(run, dict) else {}


def _parent_of(given: Json) -> str | None:
    parent = given.get(STARTED_BY) if isinstance(given, dict) else None
    return parent.rpartition(":")[2] if isinstance(parent, str) else None


def _create_bus() -> str:
    boto3.client("events", region_name=REGION).create_event_bus(Name=BUS_NAME)
    return BUS_NAME


def _create_tables(dynamodb: DynamoDBClient) -> None:
    keys = {
        SETTINGS.results_table: ("run", "step"),
        SETTINGS.latches_table: ("latch",),
        SETTINGS.outbox_table: ("task", "sent"),
    }
    there = dynamodb.list_tables()["TableNames"]
    for table, names in keys.items():
        if table in there:
            continue
        kinds = ("HASH", "RANGE")
        dynamodb.create_table(
            TableName=table,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in names],
            KeySchema=[
                {"AttributeName": n, "KeyType": "HASH" if kind == "HASH" else "RANGE"}
                for n, kind in zip(names, kinds, strict=False)
            ],
        )


def _bucket() -> S3Client:
    s3 = boto3.client("s3", region_name=REGION)
    s3.create_bucket(Bucket=SETTINGS.bucket)
    return s3
