"""What keeps and reads the records of runs, made of its adapters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import boto3

from functions.adapters.manifests import KeptManifests, deployed_in
from functions.adapters.result_rows import DynamoResultRows
from functions.adapters.runs import DynamoRuns
from functions.adapters.tasks import DynamoTasks
from functions.clients import CALLS, PATIENT, QUICK
from functions.usecases.archive import Archive, Keeper, Plans
from functions.usecases.reading import Reading

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from functions.domain.people import Directory
    from functions.ports import Clock, Locks, Manifests, Notifications, Secrets
    from functions.record_ports import Histories, RunLogs
    from functions.settings import RecordSettings


@dataclass(frozen=True, slots=True)
class Around:
    """What records need of the rest of a stage; the manifests are a local stage's own."""

    clock: Clock
    directory: Directory
    secrets: Secrets
    notifications: Notifications


def archive_wiring(
    settings: RecordSettings, clock: Clock, manifests: Manifests | None = None
) -> Archive:
    """Return where records are read."""
    region = settings.region
    dynamodb = boto3.client("dynamodb", region_name=region, config=QUICK)
    # Few records are so large that they need it, and the client is slow to make.
    s3: Callable[[], S3Client] = cache(lambda: boto3.client("s3", region_name=region, config=CALLS))
    if manifests is None:
        folder = settings.manifests
        manifests = KeptManifests(lambda: deployed_in(folder), s3, settings.bucket)
    bucket = settings.bucket
    return Archive(
        stage=settings.stage,
        clock=clock,
        runs=DynamoRuns(
            dynamodb, settings.runs_table, lambda: (s3(), bucket), clock, settings.days
        ),
        rows=DynamoResultRows(dynamodb, settings.results_table),
        tasks=DynamoTasks(dynamodb, settings.tasks.tasks_table),
        manifests=manifests,
    )


def keeper_of(
    settings: RecordSettings,
    around: Around,
    manifests: Manifests | None = None,
    histories: Histories | None = None,
) -> Keeper:
    """Return what the function `records` works with."""
    from functions.adapters.bus import EventBridgeBus
    from functions.adapters.executions import StepFunctionsExecutions
    from functions.adapters.histories import StepFunctionsHistories
    from functions.adapters.locks import DynamoLocks
    from functions.adapters.machines import Addresses, StepFunctionsMachines

    region = settings.region
    dynamodb = boto3.client("dynamodb", region_name=region, config=QUICK)
    stepfunctions = boto3.client("stepfunctions", region_name=region, config=PATIENT)
    events = boto3.client("events", region_name=region, config=QUICK)
    addresses = Addresses(settings.stage, settings.machines, settings.alias)
    locks = DynamoLocks(dynamodb, settings.latches_table, around.clock)
    return Keeper(
        archive=archive_wiring(settings, around.clock, manifests),
        histories=histories or StepFunctionsHistories(stepfunctions),
        machines=StepFunctionsMachines(stepfunctions, addresses),
        executions=StepFunctionsExecutions(stepfunctions),
        locks=locks,
        release=_release_by(settings, locks),
        bus=EventBridgeBus(events, settings.bus),
        notifications=around.notifications,
        directory=around.directory,
        secrets=around.secrets,
        address=addresses.execution,
        api=settings.tasks.api,
    )


def _release_by(settings: RecordSettings, locks: Locks) -> Callable[[str], None]:
    """Return what frees groups: the function `latches`, which alone may answer who waits there.

    Where there is no such function, as in a local stage, it is done here.
    """
    region = settings.region
    if settings.latches_function:
        from functions.adapters.latch_calls import LatchCalls

        client = boto3.client("lambda", region_name=region, config=CALLS)
        return LatchCalls(client, settings.latches_function).release
    from functions.adapters.answers import StepFunctionsAnswers
    from functions.adapters.executions import StepFunctionsExecutions
    from functions.usecases.lock import release

    stepfunctions = boto3.client("stepfunctions", region_name=region, config=QUICK)
    answers = StepFunctionsAnswers(stepfunctions)
    executions = StepFunctionsExecutions(stepfunctions)
    return lambda execution: release(
        {"op": "release", "execution": execution}, locks, answers, executions
    )


def reading_wiring(
    settings: RecordSettings,
    clock: Clock,
    manifests: Manifests | None = None,
    logs: RunLogs | None = None,
) -> Reading:
    """Return what the API reads, resumes and cancels runs with; `logs` are a local stage's."""
    from functions.adapters.cloud_logs import CloudLogs

    archive = archive_wiring(settings, clock, manifests)
    plans = Plans(archive.stage, archive.manifests)
    groups, region = settings.logs, settings.region
    repair = cache(lambda: _Repair(settings, archive, plans))
    return Reading(
        archive=archive,
        plans=plans,
        logs=logs
        or CloudLogs(cache(lambda: boto3.client("logs", region_name=region, config=CALLS)), groups),
        resumer=lambda: repair().resumer,
        canceller=lambda: repair().canceller,
    )


class _Repair:
    """What resumes and cancels runs; few calls of the API need it."""

    def __init__(self, settings: RecordSettings, archive: Archive, plans: Plans) -> None:
        from functions.adapters.executions import StepFunctionsExecutions
        from functions.adapters.histories import StepFunctionsHistories
        from functions.adapters.machines import Addresses, StepFunctionsMachines
        from functions.adapters.stored import DynamoStoredResults
        from functions.usecases.cancel import Canceller
        from functions.usecases.close_run import Closer
        from functions.usecases.resume import Resumer

        region, runs, clock = settings.region, archive.runs, archive.clock
        dynamodb = boto3.client("dynamodb", region_name=region, config=QUICK)
        stepfunctions = boto3.client("stepfunctions", region_name=region, config=QUICK)
        addresses = Addresses(settings.stage, settings.machines, settings.alias)
        machines = StepFunctionsMachines(stepfunctions, addresses)
        results = DynamoStoredResults(dynamodb, settings.results_table)
        histories = StepFunctionsHistories(stepfunctions)
        closer = Closer(archive.stage, runs, results, histories, machines, plans)
        self.resumer = Resumer(clock, runs, results, archive.manifests, machines)
        self.canceller = Canceller(clock, runs, StepFunctionsExecutions(stepfunctions), closer)
