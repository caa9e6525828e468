"""What built-in actions reach beside the run's own tables, as protocols; adapters provide it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, Protocol

from functions.domain.context import Context
from protocol.payloads import Json


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail to one person; `html` where it is a page, else plain text.

    `key` is the same for every attempt to send it.
    """

    key: str
    recipient: str
    subject: str
    body: str
    html: bool = False


class Mail(Protocol):
    """Sends mails, or records them where a stage has no sender."""

    def send(self, letter: Letter) -> str:
        """Send a mail and return the id that the service gave it."""


class Topics(Protocol):
    """Topics that people and systems listen to."""

    def publish(self, topic: str, subject: str | None, message: str) -> str:
        """Publish a message under a topic's ARN and return its id."""


@dataclass(frozen=True, slots=True)
class Resource:
    """The place of an object in a cluster; `namespace` None where its kind has none."""

    version: str  # v1, apps/v1
    plural: str  # deployments
    namespace: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Target:
    """Which cluster: the API at an address, else one of EKS by its name, else a kubeconfig's."""

    cluster: str | None = None
    region: str | None = None
    api: str | None = None
    token: str | None = None
    kubeconfig: str | None = None


class Cluster(Protocol):
    """The API of a Kubernetes cluster, as far as deploying needs it; objects are its JSON."""

    def read(self, resource: Resource) -> dict[str, Json] | None:
        """Return an object as it is now; None where there is none."""

    def apply(self, resource: Resource, desired: dict[str, Json]) -> dict[str, Json]:
        """Make an object what is desired (server-side apply) and return it."""

    def patch(self, resource: Resource, change: dict[str, Json]) -> dict[str, Json]:
        """Change a part of an object (strategic merge) and return it."""


class Clusters(Protocol):
    """Ways into Kubernetes clusters."""

    def connect(self, target: Target) -> Cluster:
        """Return the API of a cluster; raises ValidationError where it cannot be told which."""


class Repositories(Protocol):
    """Git repositories that a step names itself."""

    def fetch(
        self, repository: str | None, ref: str | None, folder: Path, context: Context
    ) -> None:
        """Put a clone at a branch, tag or commit into a folder; None: that of the clone there."""


def nobody() -> NoReturn:
    """Stand for a service where a contract is read and nothing carried out."""
    raise RuntimeError("this action is bound to no services: it can be looked at, not carried out")


@dataclass(frozen=True, slots=True)
class Services:
    """The services, each made when it is first asked for.

    `groups` are the stage's, by name their members' mail addresses; `templates` is the folder of
    templates that were deployed with the function.
    """

    mail: Callable[[], Mail] = nobody
    topics: Callable[[], Topics] = nobody
    clusters: Callable[[], Clusters] = nobody
    repositories: Callable[[], Repositories] = nobody
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    templates: Path | None = None
