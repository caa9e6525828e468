"""Where the functions find things, read from the environment once.

Each field names its variable; `region` has none, and is left to boto3.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Self

from protocol import environment


class SettingsMissingError(Exception):
    """Variables are not set without which a function cannot do its work; `names` are theirs."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        super().__init__("not set in this function's environment: " + ", ".join(self.names))


def _variable(name: str, take: Callable[[str], Any] = str) -> dict[str, Any]:
    """Say which variable a field is read from, and how its text is taken."""
    return {"variable": name, "take": take}


def _nested(settings: Callable[[Mapping[str, str]], Any]) -> dict[str, Any]:
    """Say by what a field's own settings are read."""
    return {"settings": settings}


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


@dataclass(frozen=True, slots=True)
class _FromEnvironment:
    """Settings that are read from variables, as their fields say."""

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> Self:
        """Return the settings of this function.

        Raises SettingsMissingError with the names of all variables that are not set.
        """
        found: dict[str, Any] = {}
        missing: list[str] = []
        for one in fields(cls):
            if "settings" in one.metadata:
                try:
                    found[one.name] = one.metadata["settings"](variables)
                except SettingsMissingError as error:
                    missing += error.names
            elif "variable" in one.metadata:
                name = one.metadata["variable"]
                if name in variables:
                    found[one.name] = one.metadata["take"](variables[name])
                elif one.default is MISSING and one.default_factory is MISSING:
                    missing.append(name)
        if missing:
            raise SettingsMissingError(missing)
        return cls(**found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(_FromEnvironment):
    """Names of what a deployment made for the functions."""

    results_table: str = field(metadata=_variable(environment.RESULTS_TABLE))
    latches_table: str = field(metadata=_variable(environment.LATCHES_TABLE))
    bucket: str = field(metadata=_variable(environment.BUCKET))
    stage: str = field(default="", metadata=_variable(environment.STAGE))
    region: str | None = None
    outbox_table: str = field(default="", metadata=_variable(environment.OUTBOX_TABLE))
    # without a sender mails are kept in the outbox
    sender: str | None = field(default=None, metadata=_variable(environment.SENDER))
    people: str | None = field(default=None, metadata=_variable(environment.PEOPLE))  # a JSON file
    # the folder of those deployed with the function
    templates: str | None = field(default=None, metadata=_variable(environment.TEMPLATES))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings(_FromEnvironment):
    """Names of what a deployment made for the functions of tasks.

    `people` is the path of a JSON file, None where a stage names nobody; `chat` the name of a
    secret.
    """

    tasks_table: str = field(metadata=_variable(environment.TASKS_TABLE))
    tokens_table: str = field(default="", metadata=_variable(environment.TASK_TOKENS_TABLE))
    outbox_table: str = field(default="", metadata=_variable(environment.OUTBOX_TABLE))
    api: str = field(default="", metadata=_variable(environment.API))
    stage: str = field(default="", metadata=_variable(environment.STAGE))
    people: str | None = field(default=None, metadata=_variable(environment.PEOPLE))
    sender: str | None = field(default=None, metadata=_variable(environment.SENDER))
    chat: str | None = field(default=None, metadata=_variable(environment.CHAT))
    region: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSettings(_FromEnvironment):
    """Names of what a deployment made for what events go through.

    `machines` is what the ARNs of the stage's state machines begin with; `dead_letters` the ARN
    of a queue; `manifests` a folder; `days` how long records of runs are kept.
    """

    events_table: str = field(metadata=_variable(environment.EVENTS_TABLE))
    bucket: str = field(metadata=_variable(environment.BUCKET))
    queue: str = field(metadata=_variable(environment.QUEUE))
    machines: str = field(metadata=_variable(environment.MACHINES))
    runs_table: str = field(metadata=_variable(environment.RUNS_TABLE))
    tasks_table: str = field(default="", metadata=_variable(environment.TASKS_TABLE))
    manifests: str = field(default="", metadata=_variable(environment.MANIFESTS))
    bus: str = field(default="", metadata=_variable(environment.BUS))
    dead_letters: str = field(default="", metadata=_variable(environment.DEAD_LETTERS))
    alias: str = field(default="", metadata=_variable(environment.ALIAS))
    days: int = field(default=400, metadata=_variable(environment.RETENTION, int))
    stage: str = field(default="", metadata=_variable(environment.STAGE))
    region: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSettings(_FromEnvironment):
    """Names of what a deployment made for the records of runs.

    `machines` is what the ARNs of the stage's state machines begin with, `logs` are log groups,
    `days` how long records are kept.
    """

    tasks: TaskSettings = field(metadata=_nested(TaskSettings.read))
    runs_table: str = field(metadata=_variable(environment.RUNS_TABLE))
    results_table: str = field(metadata=_variable(environment.RESULTS_TABLE))
    bucket: str = field(metadata=_variable(environment.BUCKET))
    latches_table: str = field(default="", metadata=_variable(environment.LATCHES_TABLE))
    latches_function: str = field(default="", metadata=_variable(environment.LATCHES_FUNCTION))
    machines: str = field(default="", metadata=_variable(environment.MACHINES))
    alias: str = field(default="", metadata=_variable(environment.ALIAS))
    manifests: str = field(default="", metadata=_variable(environment.MANIFESTS))
    bus: str = field(default="", metadata=_variable(environment.BUS))
    logs: tuple[str, ...] = field(default=(), metadata=_variable(environment.LOGS, _names))
    days: int = field(default=400, metadata=_variable(environment.RETENTION, int))
    stage: str = field(default="", metadata=_variable(environment.STAGE))
    region: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings(_FromEnvironment):
    """Names of what a deployment made for the API; `console` is the folder of its files."""

    tasks: TaskSettings = field(metadata=_nested(TaskSettings.read))
    events: EventSettings = field(metadata=_nested(EventSettings.read))
    records: RecordSettings = field(metadata=_nested(RecordSettings.read))
    stage: str = field(default="", metadata=_variable(environment.STAGE))
    region: str | None = None
    console: str | None = field(default=None, metadata=_variable(environment.CONSOLE))
    login: Mapping[str, str] = field(
        default_factory=dict, metadata=_variable(environment.LOGIN, json.loads)
    )
