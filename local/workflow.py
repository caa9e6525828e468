"""Run a compiled workflow on the local engine with the real functions."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3

from functions.actions.processes import allow, stop_all
from functions.handlers import action as action_function
from functions.handlers import latches as latches_function
from functions.settings import Settings
from functions.wiring import Local, action, action_wiring, latch_wiring
from local.clock import Clock
from local.codebuild import build_with, localised
from local.dispatch import Function
from local.engine import REGION, Engine, EngineFault, Finished, Progress, function_arn
from local.results import ResultRow, rows_of
from local.source import LocalSources
from protocol.payloads import MachineInput

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

SETTINGS = Settings(
    results_table="stepsmith-local-results",
    latches_table="stepsmith-local-latches",
    bucket="stepsmith-local",
    stage="local",
    region=REGION,
)
_ACTIONS = re.compile(r"\$\{action:([A-Za-z0-9_-]+)\}")


@dataclass(frozen=True, slots=True)
class Request:
    """A run to carry out.

    `machines` are definitions with placeholders by their names, `workflow` the one to start;
    `source` is the folder steps work on; `keep` a folder for what scripts said.
    """

    machines: Mapping[str, Mapping[str, Any]]
    workflow: str
    input: MachineInput
    source: Path | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    keep: Path | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that is over: its execution and the stored results of its steps, by their paths."""

    run_id: str
    finished: Finished
    rows: Mapping[str, ResultRow]


class _Secrets:
    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def get(self, name: str) -> str:
        return self._values[name]


def run_workflow(
    request: Request, on_event: Progress | None = None, clock: Clock | None = None
) -> Ran:
    """Carry a run out and return it; raises EngineFault, SourceError or KeyboardInterrupt."""
    allow()
    clock = clock or Clock()
    run_id = str(request.input["run"]["id"])
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "STEPSMITH_"))}
    with tempfile.TemporaryDirectory(prefix="stepsmith-run-") as store:
        local = Local(
            clock=clock,
            sources=LocalSources(request.source, Path(store)),
            secrets=_Secrets(request.secrets),
            s3=_bucket,
            inherited=inherited,
            logs=(request.keep or Path(store)) / "logs",
        )
        machines = {name: localised(m) for name, m in request.machines.items()}
        functions, fills = _functions(machines, local)
        with Engine(functions, clock) as engine:
            dynamodb = boto3.client("dynamodb", region_name=REGION)
            _create_tables(dynamodb)
            engine.create(machines, fills)
            try:
                finished = engine.execute(
                    request.workflow,
                    json.loads(json.dumps(request.input)),
                    run_id,
                    on_event,
                    stop_all,
                )
            finally:
                stop_all()
            return Ran(run_id, finished, rows_of(dynamodb, SETTINGS.results_table, run_id))


def _functions(
    machines: Mapping[str, Mapping[str, Any]], local: Local
) -> tuple[dict[str, Function], dict[str, str]]:
    """Return the functions that the machines name, and what stands for their placeholders."""
    functions: dict[str, Function] = {}
    fills: dict[str, str] = {}

    def add(placeholder: str, name: str, handler: Callable[..., object], *, works: bool) -> None:
        fills[placeholder] = function_arn(name)
        functions[fills[placeholder]] = Function(handler, works=works)

    wiring = partial(action_wiring, SETTINGS, local)
    for name in sorted(set(_ACTIONS.findall(json.dumps(machines)))):
        try:
            action(name)  # loaded before the first step, so as not to count as its work
        except KeyError:
            raise EngineFault(f"the local engine does not have the action '{name}'") from None
        handler = action_function.handler_with(partial(str, name), wiring)
        add(f"action:{name}", f"stepsmith-local-action-{name}", handler, works=True)
    script = action_function.handler_with(partial(str, "run"), wiring)
    add("codebuild", "stepsmith-local-build", build_with(script), works=True)
    latches = latches_function.handler_with(partial(latch_wiring, SETTINGS, local.clock))
    add("latches", "stepsmith-local-latches", latches, works=False)
    return functions, fills


def _create_tables(dynamodb: DynamoDBClient) -> None:
    keys = {
        SETTINGS.results_table: ("run", "step"),
        SETTINGS.latches_table: ("latch",),
    }
    for table, names in keys.items():
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
