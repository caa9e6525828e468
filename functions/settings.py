"""Where the functions find things, read from the environment once."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol import environment


@dataclass(frozen=True, slots=True)
class Settings:
    """Names of what a deployment made for the functions."""

    results_table: str
    latches_table: str
    bucket: str
    stage: str = ""
    region: str | None = None  # None: as boto3 finds it
    outbox_table: str = ""
    sender: str | None = None  # None: mails are kept in the outbox
    people: str | None = None  # the path of a JSON file
    templates: str | None = None  # the folder of those deployed with the function

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> Settings:
        """Return the settings of this function; raises KeyError for one that is not set."""
        return cls(
            results_table=variables[environment.RESULTS_TABLE],
            latches_table=variables[environment.LATCHES_TABLE],
            bucket=variables[environment.BUCKET],
            stage=variables.get(environment.STAGE, ""),
            outbox_table=variables.get(environment.OUTBOX_TABLE, ""),
            sender=variables.get(environment.SENDER),
            people=variables.get(environment.PEOPLE),
            templates=variables.get(environment.TEMPLATES),
        )


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """Names of what a deployment made for the functions of tasks.

    `people` is the path of a JSON file, None where a stage names nobody; `chat` the name of a
    secret.
    """

    tasks_table: str
    tokens_table: str
    outbox_table: str
    api: str
    stage: str = ""
    people: str | None = None
    sender: str | None = None
    chat: str | None = None
    region: str | None = None

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> TaskSettings:
        """Return the settings of this function; raises KeyError for a table that is not set."""
        return cls(
            tasks_table=variables[environment.TASKS_TABLE],
            tokens_table=variables.get(environment.TASK_TOKENS_TABLE, ""),
            outbox_table=variables.get(environment.OUTBOX_TABLE, ""),
            api=variables.get(environment.API, ""),
            stage=variables.get(environment.STAGE, ""),
            people=variables.get(environment.PEOPLE),
            sender=variables.get(environment.SENDER),
            chat=variables.get(environment.CHAT),
        )


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """Names of what a deployment made for the API."""

    tasks: TaskSettings
    events: EventSettings
    records: RecordSettings
    stage: str = ""
    region: str | None = None
    console: str | None = None  # the folder of the console's files
    login: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> ApiSettings:
        """Return the settings of this function; raises KeyError for one that is not set."""
        return cls(
            tasks=TaskSettings.read(variables),
            events=EventSettings.read(variables),
            records=RecordSettings.read(variables),
            stage=variables.get(environment.STAGE, ""),
            console=variables.get(environment.CONSOLE),
            login=json.loads(variables.get(environment.LOGIN, "{}")),
        )


@dataclass(frozen=True, slots=True)
class EventSettings:
    """Names of what a deployment made for what events go through.

    `machines` is what the ARNs of the stage's state machines begin with; `dead_letters` the ARN
    of a queue; `manifests` a folder.
    """

    events_table: str
    bucket: str
    queue: str
    machines: str
    tasks_table: str = ""
    manifests: str = ""
    bus: str = ""
    dead_letters: str = ""
    alias: str = ""
    stage: str = ""
    region: str | None = None

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> EventSettings:
        """Return the settings of this function; raises KeyError for one that is not set."""
        return cls(
            events_table=variables[environment.EVENTS_TABLE],
            bucket=variables[environment.BUCKET],
            queue=variables[environment.QUEUE],
            machines=variables[environment.MACHINES],
            tasks_table=variables.get(environment.TASKS_TABLE, ""),
            manifests=variables.get(environment.MANIFESTS, ""),
            bus=variables.get(environment.BUS, ""),
            dead_letters=variables.get(environment.DEAD_LETTERS, ""),
            alias=variables.get(environment.ALIAS, ""),
            stage=variables.get(environment.STAGE, ""),
        )


@dataclass(frozen=True, slots=True)
class RecordSettings:
    """Names of what a deployment made for the records of runs.

    `machines` is what the ARNs of the stage's state machines begin with, `logs` are log groups,
    `days` how long records are kept.
    """

    tasks: TaskSettings
    runs_table: str
    results_table: str
    bucket: str
    latches_table: str = ""
    latches_function: str = ""
    machines: str = ""
    alias: str = ""
    manifests: str = ""
    bus: str = ""
    logs: tuple[str, ...] = ()
    days: int = 400
    stage: str = ""
    region: str | None = None

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> RecordSettings:
        """Return the settings of this function; raises KeyError for one that is not set."""
        return cls(
            tasks=TaskSettings.read(variables),
            runs_table=variables[environment.RUNS_TABLE],
            results_table=variables[environment.RESULTS_TABLE],
            bucket=variables[environment.BUCKET],
            latches_table=variables.get(environment.LATCHES_TABLE, ""),
            latches_function=variables.get(environment.LATCHES_FUNCTION, ""),
            machines=variables.get(environment.MACHINES, ""),
            alias=variables.get(environment.ALIAS, ""),
            manifests=variables.get(environment.MANIFESTS, ""),
            bus=variables.get(environment.BUS, ""),
            logs=tuple(name for name in variables.get(environment.LOGS, "").split(",") if name),
            days=int(variables.get(environment.RETENTION, "400")),
            stage=variables.get(environment.STAGE, ""),
        )
