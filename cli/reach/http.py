"""The API over HTTP: of a process on this machine, or of a deployed stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from cli.reach.client import Asked, Reply, Unreachable

if TYPE_CHECKING:
    from urllib3 import PoolManager

_SECONDS = 60.0
Sign = Callable[[Asked, str], Mapping[str, str]]
"""Returns the headers by which a request to an address says whose it is."""


def nobody(asked: Asked, url: str) -> Mapping[str, str]:
    """Sign for nobody in particular."""
    del asked, url
    return {}


def as_person(person: str | None) -> Sign:
    """Return how requests to a process on this machine say who calls; None: as it likes."""
    cookie = {} if person is None else {"Cookie": f"stepsmith-as={quote(person, safe='@.+-_')}"}
    return lambda _asked, _url: cookie


@dataclass(slots=True)
class OverHttp:
    """`cli.reach.client.Transport` to an address, without a slash at its end."""

    url: str
    place: str
    sign: Sign = nobody
    _pool: PoolManager | None = None

    def as_person(self, person: str) -> OverHttp:
        """Return the same way for somebody else."""
        return OverHttp(self.url, self.place, as_person(person))

    def send(self, asked: Asked) -> Reply:
        """Send a request; raises Unreachable."""
        import urllib3

        if self._pool is None:
            self._pool = urllib3.PoolManager()
        address = self.url + asked.target
        try:
            answer = self._pool.request(
                asked.method,
                address,
                body=asked.body or None,
                headers={**asked.headers, **self.sign(asked, address)},
                timeout=_SECONDS,
                retries=False,  # redirects neither: a token is for this address alone
            )
        except urllib3.exceptions.HTTPError as error:
            why = type(error).__name__
            raise Unreachable(f"nobody answers at {self.url} ({why})") from None
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return Reply(answer.status, headers, answer.data)
