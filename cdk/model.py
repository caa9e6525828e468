"""What a deployment is made of, as values: `cli` compiles a project to an Application.

Texts in definitions and statements may hold the compiler's placeholders (`${action:run}`,
`${machine:ID}`, `${latches}`, ...); the constructs put ARNs in their places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from protocol.manifest import TriggerManifest
from protocol.payloads import Json

CORE = ("api", "intake", "latches", "records", "stored", "tasks", "wake")
"""The functions that every stage has. `stored` is the part of `records` that machines call."""
KNOW_WORKFLOWS = ("api", "intake", "records")
"""The functions whose archives hold the manifests of the workflows, in `manifests/`."""
KNOW_PEOPLE = (
    *("api", "intake", "records", "tasks"),
    *("action-notify", "action-send-transactional-email"),
)
"""The functions whose archives hold the people of the stage, in `people.json`."""

Architecture: TypeAlias = Literal["arm64", "x86_64"]


@dataclass(frozen=True, slots=True)
class Oidc:
    """Whose tokens the API takes."""

    issuer: str
    audience: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """A name of one's own for the API; `certificate` is an ARN in the stage's region."""

    name: str
    certificate: str


@dataclass(frozen=True, slots=True)
class Stage:
    """Where and how a project is deployed; None for account and region: as the CDK CLI finds them.

    `days` are those for which logs are kept, and records and files after their run's end; a run
    takes `longest` days at most. `streams` are ARNs by the names of
    tables, `clusters` names of EKS clusters (None: any of the account).
    """

    name: str
    account: str | None = None
    region: str | None = None
    architecture: Architecture = "arm64"
    auth: Literal["cognito", "oidc", "iam"] = "cognito"
    oidc: Oidc | None = None
    domain: Domain | None = None
    sender: str | None = None
    chat: str | None = None
    alarms: tuple[str, ...] = ()
    days: int = 365
    longest: int = 0
    streams: Mapping[str, str] = field(default_factory=dict)
    clusters: tuple[str, ...] | None = None
    protected: bool = True

    @property
    def kept(self) -> int:
        """Days for which records and files are kept after they are written."""
        return self.days + self.longest


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """Actions allowed on resources, where keys of the request equal what is `given` for them."""

    actions: tuple[str, ...]
    resources: tuple[str, ...]
    given: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Machine:
    """A state machine and what its role is allowed.

    `name` is the stage's reference to it: `build_app`, `build_app@1--close`.
    """

    name: str
    definition: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Workflow:
    """One version of a workflow, by the reference that its runs are started by.

    `machines` has its own first; they start one another, and those of the workflows in `children`
    (references). `patterns` are those of the events that its steps wait for. `triggers` are none
    for a version that is not the highest of its id.
    """

    reference: str
    machines: tuple[Machine, ...]
    children: tuple[str, ...] = ()
    triggers: tuple[TriggerManifest, ...] = ()
    patterns: tuple[Mapping[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """An action that some workflow calls, with the names of the secrets that its calls read.

    `file` is where one of the project's own stands in its archive.
    """

    name: str
    secrets: tuple[str, ...] = ()
    file: str | None = None
    works_on_files: bool = False


@dataclass(frozen=True, slots=True)
class Application:
    """All that is deployed for a stage.

    `code` are the archives of the functions by their names (`api`, `action-run`). `scratch` is a
    folder for files that are deployed and made only now. `build` is what builds get, None where
    no step needs one, `build_secrets` are the names of the secrets that they read.
    """

    project: str
    stage: Stage
    workflows: tuple[Workflow, ...]
    actions: tuple[Action, ...]
    code: Mapping[str, Path]
    scratch: Path
    secrets: tuple[str, ...] = ()  # those that the API, intake and records read
    build: Path | None = None
    build_secrets: tuple[str, ...] = ()
    has_templates: bool = False
