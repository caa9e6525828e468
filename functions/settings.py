"""Where the functions find things, read from the environment once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

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
