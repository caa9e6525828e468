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

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> Settings:
        """Return the settings of this function; raises KeyError for one that is not set."""
        return cls(
            results_table=variables[environment.RESULTS_TABLE],
            latches_table=variables[environment.LATCHES_TABLE],
            bucket=variables[environment.BUCKET],
            stage=variables.get(environment.STAGE, ""),
        )
