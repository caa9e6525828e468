"""What a local stage is called, and the environment that its functions would find."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from local.engine import ACCOUNT, REGION
from local.stage.queue import DEAD
from local.stage.queue import NAME as EVENTS
from local.tables import table_name
from protocol import environment

STAGE = "local"
BUCKET = "stepsmith-local"
BUS = "stepsmith-local"
QUEUE = f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{EVENTS}"
DEAD_LETTERS = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{DEAD}"
MACHINES = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:"

_Settings = TypeVar("_Settings")


def variables(api: str) -> dict[str, str]:
    """Return the environment of every function; `api` is the address that links begin with."""
    tables = {
        environment.RESULTS_TABLE: "results",
        environment.LATCHES_TABLE: "latches",
        environment.TASKS_TABLE: "tasks",
        environment.TASK_TOKENS_TABLE: "task-tokens",
        environment.OUTBOX_TABLE: "outbox",
        environment.EVENTS_TABLE: "events",
        environment.RUNS_TABLE: "runs",
    }
    return {
        **{variable: table_name(table) for variable, table in tables.items()},
        environment.STAGE: STAGE,
        environment.BUCKET: BUCKET,
        environment.BUS: BUS,
        environment.QUEUE: QUEUE,
        environment.DEAD_LETTERS: DEAD_LETTERS,
        environment.MACHINES: MACHINES,
        environment.ALIAS: "",
        environment.API: api,
    }


def here(settings: _Settings) -> _Settings:
    """Return settings of functions with the region of the local engine."""
    assert is_dataclass(settings)
    changed: dict[str, Any] = {}
    for one in fields(settings):
        value = getattr(settings, one.name)
        if one.name == "region":
            changed[one.name] = REGION
        elif is_dataclass(value):
            changed[one.name] = here(value)
    found: Any = replace(settings, **changed)  # type: ignore[type-var]
    given: _Settings = found
    return given
