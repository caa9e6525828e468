"""Which adapter stands behind which port: the one place that knows them all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import boto3

from functions.adapters.clock import SystemClock
from functions.clients import CALLS, EFFECTS, QUICK
from functions.settings import ApiSettings, RecordSettings, Settings, TaskSettings
from protocol import environment

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from functions.api_ports import CallLog, TaskList
    from functions.domain.people import Directory
    from functions.domain.services import Clusters, Mail, Repositories, Services, Topics
    from functions.domain.site import Site
    from functions.ports import (
        Answers,
        Carries,
        Clock,
        Executions,
        Latches,
        Locks,
        Manifests,
        Notifications,
        Secrets,
        Sends,
        Sources,
        StoredResults,
    )
    from functions.record_ports import Histories
    from functions.usecases.archive import Keeper
    from functions.usecases.carry_out import Surroundings
    from functions.usecases.desk import Desk, Office, Teller, Waker
    from functions.usecases.reading import Reading
    from functions.usecases.webhooks import Door
    from protocol.payloads import Json


ACTIONS = {
    "build-artifact": "build_artifact",
    "deploy-to-kubernetes": "deploy_to_kubernetes",
    "http-request": "http_request",
    "notify": "notify",
    "run": "run",
    "run-tests": "run_tests",
    "send-transactional-email": "send_transactional_email",
}
"""The modules of the built-in actions by their names."""


@dataclass(frozen=True, slots=True)
class LatchWiring:
    """What the latches' function works with."""

    latches: Latches
    locks: Locks
    answers: Answers
    executions: Executions


@dataclass(frozen=True, slots=True)
class Local:
    """What a local run puts in the place of what a deployment uses."""

    clock: Clock
    sources: Sources
    secrets: Secrets
    s3: Callable[[], S3Client]
    inherited: Mapping[str, str]
    logs: Path | None
    groups: Mapping[str, tuple[str, ...]]  # of people, by their names


@dataclass(frozen=True, slots=True)
class LocalPeople:
    """What a local run puts in the place of what tasks use in a deployment."""

    clock: Clock
    directory: Directory
    secrets: Secrets
    mail: Sends | None = None  # None: the outbox
    operators: bool = False  # whoever calls the API is an operator


def _no_manifests() -> Manifests:
    raise NotImplementedError("this API knows no workflows")


def _no_door() -> Door:
    raise NotImplementedError("this API takes in no events")


@dataclass(frozen=True, slots=True)
class ApiWiring:
    """What the API works with; each part is a function that makes it at its first use.

    `operators` says that whoever is logged in is an operator of the stage, as on a machine of
    one's own.
    """

    stage: str
    log: Callable[[], CallLog]
    desk: Callable[[], Desk]
    task_list: Callable[[], TaskList]
    teller: Callable[[], Teller]
    manifests: Callable[[], Manifests] = _no_manifests
    door: Callable[[], Door] = _no_door
    runs: Callable[[], Reading] | None = None  # None: no runs are read here
    operators: bool = False
    site: Site | None = None  # None: somebody else serves the console


def latch_wiring(settings: Settings, clock: Clock | None = None) -> LatchWiring:
    """Return the adapters of the latches' function."""
    from functions.adapters.answers import StepFunctionsAnswers
    from functions.adapters.executions import StepFunctionsExecutions
    from functions.adapters.latches import DynamoLatches
    from functions.adapters.locks import DynamoLocks

    region, clock = settings.region, clock or SystemClock()
    dynamodb = boto3.client("dynamodb", region_name=region, config=QUICK)
    stepfunctions = boto3.client("stepfunctions", region_name=region, config=QUICK)
    return LatchWiring(
        DynamoLatches(dynamodb, settings.latches_table, clock),
        DynamoLocks(dynamodb, settings.latches_table, clock),
        StepFunctionsAnswers(stepfunctions),
        StepFunctionsExecutions(stepfunctions),
    )


def stored_wiring(settings: Settings) -> StoredResults:
    """Return what stored results are read from."""
    from functions.adapters.stored import DynamoStoredResults

    dynamodb = boto3.client("dynamodb", region_name=settings.region, config=QUICK)
    return DynamoStoredResults(dynamodb, settings.results_table)


def action_wiring(settings: Settings, local: Local | None = None) -> Surroundings:
    """Return what the functions of actions work with."""
    from functions.adapters.results import DynamoResults
    from functions.adapters.secrets import ManagedSecrets
    from functions.adapters.storage import S3Blobs, S3Files, S3Sources
    from functions.logs import StepLog
    from functions.usecases.carry_out import Surroundings

    dynamodb = boto3.client("dynamodb", region_name=settings.region, config=QUICK)
    # Most steps move no files: the client, slow to make, waits for the first that does.
    s3 = cache(local.s3 if local else lambda: boto3.client("s3", config=CALLS))
    return Surroundings(
        clock=local.clock if local else SystemClock(),
        results=DynamoResults(dynamodb, settings.results_table),
        blobs=S3Blobs(s3, settings.bucket),
        files=S3Files(s3, settings.bucket),
        sources=local.sources if local else S3Sources(s3, settings.bucket),
        secrets=local.secrets if local else ManagedSecrets(settings.stage, settings.region),
        evaluate=_evaluate,
        inherited=local.inherited if local else dict(os.environ),
        logs=local.logs if local else None,
        services=services_wiring(settings, local),
        log=None if local else StepLog(settings.stage),
    )


def services_wiring(settings: Settings, local: Local | None = None) -> Services:
    """Return what actions reach beside the run's own tables; nothing is made before it is used."""
    from functions.adapters.people import directory_in
    from functions.domain.services import Services

    region = settings.region

    def mail() -> Mail:
        from functions.adapters.mail import RecordedMail, SesMail

        if settings.sender is not None:
            ses = cache(lambda: boto3.client("ses", region_name=region, config=EFFECTS))
            return SesMail(ses, settings.sender)
        dynamodb = boto3.client("dynamodb", region_name=region, config=QUICK)
        clock = local.clock if local else SystemClock()
        return RecordedMail(dynamodb, settings.outbox_table, clock)

    def topics() -> Topics:
        from functions.adapters.topics import SnsTopics

        return SnsTopics(lambda place: boto3.client("sns", region_name=place, config=EFFECTS))

    def clusters() -> Clusters:
        from functions.adapters.eks_tokens import eks_token
        from functions.adapters.kubernetes import KubernetesClusters

        return KubernetesClusters(
            lambda place: boto3.client("eks", region_name=place or region, config=CALLS),
            lambda name, place: eks_token(boto3.Session(), name, place or region),
        )

    def repositories() -> Repositories:
        from functions.adapters.repositories import GitRepositories, SameRepository

        return SameRepository() if local else GitRepositories()

    return Services(
        mail=cache(mail),
        topics=cache(topics),
        clusters=cache(clusters),
        repositories=cache(repositories),
        groups=local.groups if local else directory_in(settings.people).groups,
        templates=None if settings.templates is None else Path(settings.templates),
    )


def desk_wiring(settings: TaskSettings, local: LocalPeople | None = None) -> Desk:
    """Return what people decide with; nothing of it knows a task token."""
    from functions.adapters.people import directory_in
    from functions.adapters.secrets import ManagedSecrets
    from functions.adapters.tasks import DynamoTasks
    from functions.domain.task_links import Signer
    from functions.usecases.desk import Desk

    dynamodb = boto3.client("dynamodb", region_name=settings.region, config=QUICK)
    secrets = local.secrets if local else ManagedSecrets(settings.stage, settings.region)
    return Desk(
        clock=local.clock if local else SystemClock(),
        tasks=DynamoTasks(dynamodb, settings.tasks_table),
        directory=local.directory if local else directory_in(settings.people),
        signer=Signer(secrets.get(environment.LINK_KEY).encode(), settings.api),
    )


def _site(settings: ApiSettings) -> Site | None:
    from functions.domain.site import Site

    if settings.console is None:
        return None
    return Site(Path(settings.console), settings.login, settings.stage)


def api_wiring(settings: ApiSettings, local: LocalPeople | None = None) -> ApiWiring:
    """Return what the API works with. No task token is in it, and no way to one."""
    from functions.logs import ApiLog
    from functions.usecases.desk import Reception

    tasks = settings.tasks
    desk = cache(lambda: desk_wiring(tasks, local))

    def task_list() -> TaskList:
        from functions.adapters.tasks import DynamoTasks

        dynamodb = boto3.client("dynamodb", region_name=tasks.region, config=QUICK)
        return DynamoTasks(dynamodb, tasks.tasks_table)

    def manifests() -> Manifests:
        from functions.adapters.manifests import KeptManifests, deployed_in

        folder = settings.events.manifests
        s3: Callable[[], S3Client] = cache(lambda: boto3.client("s3", config=CALLS))
        return KeptManifests(lambda: deployed_in(folder), s3, settings.events.bucket)

    known = cache(manifests)

    def door() -> Door:
        from functions.event_wiring import door_wiring

        clock, secrets = (local.clock, local.secrets) if local else (SystemClock(), None)
        return door_wiring(settings.events, clock, manifests=known(), secrets=secrets)

    def runs() -> Reading:
        from functions.record_wiring import reading_wiring

        return reading_wiring(settings.records, local.clock if local else SystemClock())

    return ApiWiring(
        stage=settings.stage,
        log=cache(lambda: ApiLog(settings.stage)),
        desk=desk,
        task_list=cache(task_list),
        teller=cache(lambda: Reception(desk(), notifications_wiring(tasks, local))),
        manifests=known,
        door=cache(door),
        runs=cache(runs),
        operators=local is not None and local.operators,
        site=_site(settings),
    )


def notifications_wiring(settings: TaskSettings, local: LocalPeople | None = None) -> Notifications:
    """Return the ways to people: mail, and the stage's chat where it has one."""
    from functions.adapters.notifications import Channels, ChatWebhook, Outbox, SesMail
    from functions.adapters.secrets import ManagedSecrets

    region = settings.region
    mail: Sends
    if local is not None and local.mail is not None:
        mail = local.mail
    elif settings.sender is not None:
        mail = SesMail(boto3.client("ses", region_name=region, config=CALLS), settings.sender)
    else:
        dynamodb = boto3.client("dynamodb", region_name=region, config=QUICK)
        clock = local.clock if local else SystemClock()
        mail = Outbox(dynamodb, settings.outbox_table, clock)
    chat, secrets = settings.chat, ManagedSecrets(settings.stage, region)
    return Channels(mail, None if chat is None else ChatWebhook(lambda: secrets.get(chat)))


def office_wiring(settings: TaskSettings, local: LocalPeople | None = None) -> Office:
    """Return what tasks are opened with."""
    from functions.adapters.task_tokens import DynamoTaskTokens
    from functions.usecases.desk import Office

    desk = desk_wiring(settings, local)
    dynamodb = boto3.client("dynamodb", region_name=settings.region, config=QUICK)
    return Office(
        desk=desk,
        tokens=DynamoTaskTokens(dynamodb, settings.tokens_table, desk.clock),
        notifications=notifications_wiring(settings, local),
    )


def keeper_wiring(
    settings: RecordSettings,
    local: LocalPeople | None = None,
    manifests: Manifests | None = None,
    histories: Histories | None = None,
) -> Keeper:
    """Return what the function `records` works with; a local stage brings manifests of its own."""
    from functions.adapters.people import directory_in
    from functions.adapters.secrets import ManagedSecrets
    from functions.record_wiring import Around, keeper_of

    tasks = settings.tasks
    around = Around(
        clock=local.clock if local else SystemClock(),
        directory=local.directory if local else directory_in(tasks.people),
        secrets=local.secrets if local else ManagedSecrets(settings.stage, settings.region),
        notifications=notifications_wiring(tasks, local),
    )
    return keeper_of(settings, around, manifests, histories)


def waker_wiring(settings: TaskSettings, clock: Clock | None = None) -> Waker:
    """Return what wakes executions."""
    from functions.adapters.answers import StepFunctionsAnswers
    from functions.adapters.task_tokens import DynamoTaskTokens
    from functions.adapters.tasks import DynamoTasks
    from functions.usecases.desk import Waker

    region = settings.region
    dynamodb = boto3.client("dynamodb", region_name=region, config=QUICK)
    stepfunctions = boto3.client("stepfunctions", region_name=region, config=QUICK)
    return Waker(
        tasks=DynamoTasks(dynamodb, settings.tasks_table),
        tokens=DynamoTaskTokens(dynamodb, settings.tokens_table, clock or SystemClock()),
        answers=StepFunctionsAnswers(stepfunctions),
    )


def action(name: str, services: Services | None = None) -> Carries:
    """Return a built-in action by its name, else the one deployed with the function.

    Raises KeyError where there is none. Only its own module is loaded. Without `services` it can be
    looked at, not carried out.
    """
    from importlib import import_module

    from functions.domain.services import Services

    if name not in ACTIONS:
        file = os.environ.get(environment.ACTION_FILE)
        if file is None:
            raise KeyError(name)
        from functions.adapters.own_actions import own_action

        return own_action(Path(file))
    module = import_module(f"functions.actions.{ACTIONS[name]}")
    if hasattr(module, "ACTION"):
        plain: Carries = module.ACTION
        return plain
    bound: Carries = module.action(services or Services())
    return bound


def _evaluate(portable: Json, values: Mapping[str, Json]) -> Json:
    from protocol.evaluate import evaluate

    value: Json = evaluate(portable, values)
    return value
