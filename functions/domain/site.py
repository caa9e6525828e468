"""The console as the API serves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Site:
    """The folder of the console, and what a page needs to log people in.

    `login` has `type` (cognito, oidc, iam) and, but for iam, `issuer` and `client_id`; `host` is
    where Cognito has its pages.
    """

    folder: Path
    login: Mapping[str, str]
    stage: str
