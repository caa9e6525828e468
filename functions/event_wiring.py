"""What events go through, made of its adapters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import boto3

from functions.adapters.bodies import S3Bodies
from functions.adapters.events import DynamoEvents
from functions.adapters.machines import Addresses, StepFunctionsMachines
from functions.adapters.manifests import KeptManifests, deployed_in
from functions.adapters.new_runs import DynamoNewRuns
from functions.adapters.queue import SqsQueue
from functions.adapters.switches import DynamoSwitches
from functions.clients import CALLS, QUICK
from functions.usecases.claim import Gate

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from functions.event_ports import Queue
    from functions.ports import Clock, Manifests, Secrets, Tasks
    from functions.settings import EventSettings
    from functions.usecases.intake import Intake
    from functions.usecases.webhooks import Door


def gate_wiring(
    settings: EventSettings,
    clock: Clock,
    *,
    manifests: Manifests | None = None,
    queue: Queue | None = None,
) -> Gate:
    """Return what events go through; a local run brings manifests and a queue of its own."""
    region = settings.region
    dynamodb = boto3.client("dynamodb", region_name=region, config=QUICK)
    # Few events are so large that they need it, and the client is slow to make.
    s3: Callable[[], S3Client] = cache(lambda: boto3.client("s3", region_name=region, config=CALLS))
    bodies = S3Bodies(s3, settings.bucket)
    if manifests is None:
        folder = settings.manifests
        manifests = KeptManifests(lambda: deployed_in(folder), s3, settings.bucket)
    if queue is None:
        sqs = boto3.client("sqs", region_name=region, config=QUICK)
        queue = SqsQueue(sqs, settings.queue, bodies)

    def tasks() -> Tasks:
        from functions.adapters.tasks import DynamoTasks

        return DynamoTasks(dynamodb, settings.tasks_table)

    stepfunctions = boto3.client("stepfunctions", region_name=region, config=QUICK)
    addresses = Addresses(settings.stage, settings.machines, settings.alias)
    return Gate(
        clock=clock,
        events=DynamoEvents(dynamodb, settings.events_table, bodies),
        switches=DynamoSwitches(dynamodb, settings.events_table, clock),
        manifests=manifests,
        machines=StepFunctionsMachines(stepfunctions, addresses),
        queue=queue,
        bodies=bodies,
        tasks=cache(tasks),
        runs=DynamoNewRuns(dynamodb, settings.runs_table, clock, settings.days),
    )


def intake_wiring(
    settings: EventSettings,
    clock: Clock,
    *,
    manifests: Manifests | None = None,
    queue: Queue | None = None,
) -> Intake:
    """Return what the function `intake` works with."""
    from functions.usecases.intake import Intake

    gate = gate_wiring(settings, clock, manifests=manifests, queue=queue)
    own, dead = settings.queue.rpartition("/")[2], settings.dead_letters.rpartition(":")[2]
    return Intake(gate, own, dead)


def door_wiring(
    settings: EventSettings,
    clock: Clock,
    *,
    manifests: Manifests | None = None,
    queue: Queue | None = None,
    secrets: Secrets | None = None,
) -> Door:
    """Return what the API takes events and wishes in with; `secrets` are a local run's."""
    from functions.adapters.bus import EventBridgeBus
    from functions.adapters.secrets import ManagedSecrets
    from functions.usecases.webhooks import Door, Keys

    def secrets_now() -> Secrets:
        return secrets or ManagedSecrets(settings.stage, settings.region)

    events = boto3.client("events", region_name=settings.region, config=QUICK)
    return Door(
        gate=gate_wiring(settings, clock, manifests=manifests, queue=queue),
        bus=EventBridgeBus(events, settings.bus),
        keys=Keys(secrets_now),
    )
