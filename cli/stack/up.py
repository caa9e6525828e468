"""A stage on ministack that is up: what `dev --stack` and its parts have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cli.console import Console
from cli.output.progress import Style
from cli.project.project import Project
from cli.stack.deploy import Deployer

if TYPE_CHECKING:
    from cli.stack.people import Way
    from local.ministack.server import Stack


@dataclass(frozen=True, slots=True)
class Started:
    """A ministack that is up, and what deploys the project to it."""

    project: Project
    ministack: Stack
    deployer: Deployer
    talk: Talk

    def client(self, service: str) -> Any:
        """Return boto3's client of a service of it."""
        return client(service, self.ministack, self.deployer.region)


@dataclass(frozen=True, slots=True)
class Up(Started):
    """A stage that is deployed; served at `url`, where `person` calls if nobody else is chosen."""

    way: Way
    url: str
    person: str


class Talk:
    """Lines on standard output."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.style = Style(console.colours(console.stdout))

    def __call__(self, text: str) -> None:
        """Say something."""
        self._console.stdout.write(f"{text}\n")
        self._console.stdout.flush()

    def wrong(self, text: str) -> None:
        """Say what did not work, where talk goes."""
        self._console.stderr.write(f"{text}\n")
        self._console.stderr.flush()


def timings(took: Mapping[str, float]) -> str:
    """Return how long things took: `synthesised 9.8 s, deployed 8.1 s`."""
    return ", ".join(f"{what} {seconds:.1f} s" for what, seconds in took.items())


def client(service: str, ministack: Stack, region: str) -> Any:
    """Return boto3's client of a service of ministack."""
    import boto3

    variables = ministack.variables()
    make: Any = boto3.client  # of a service that only its caller knows
    return make(
        service,
        endpoint_url=ministack.url,
        region_name=region,
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
    )
