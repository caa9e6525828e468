"""What moto's Step Functions parser does otherwise than AWS, put right from outside.

Each module holds the repairs of one subject, each with its reason; `docs` of AWS are named where
they settle it. The repairs reach into one version of moto and refuse any other.
"""

from __future__ import annotations

import importlib.metadata
from functools import cache

VERSION = "5.2.5"
"""The version of moto that these repairs were written for and tested on."""


class WrongVersion(RuntimeError):
    """The installed moto is not the one that the repairs fit."""


def check_version(installed: str) -> None:
    """Raise WrongVersion where the installed moto is another than the repairs were made for."""
    if installed != VERSION:
        raise WrongVersion(
            f"the local engine repairs moto {VERSION}, but {installed} is installed; "
            f"install moto=={VERSION}"
        )


def seed(number: int) -> None:
    """Let jitter, `$random()` and `$uuid()` be the same in each run of the same seed."""
    from local import evaluator
    from local.repairs import waiting

    evaluator.seed(number)
    waiting.chance.seed(number)


@cache
def install() -> None:
    """Put all repairs into moto, once per process."""
    check_version(importlib.metadata.version("moto"))
    from local.repairs import imports

    imports.load()
    from local.repairs import (
        answers,
        executions,
        expressions,
        failures,
        iterations,
        lambdas,
        machines,
        nested,
        queries,
        serializing,
        services,
        states,
        stopping,
        storage,
        updates,
        waiting,
    )

    for repair in (
        waiting,
        expressions,
        states,
        stopping,
        failures,
        answers,
        lambdas,
        services,
        executions,
        nested,
        iterations,
        machines,
        storage,
        updates,
        serializing,
        queries,
    ):
        repair.install()
