"""The API and the console of a local stage on this machine, over HTTP.

It listens on the loopback address alone, and answers nothing that a page of some other site has
a browser ask: neither under a name of its own (DNS rebinding) nor from its own origin.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self, TypeAlias
from urllib.parse import unquote

from functions.domain.site import Site as Console
from functions.http import files
from local.server.events import Answer, Request, answer_of, event_of
from local.server.login import COOKIE, LOGIN, NOBODY, login

Api: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Answers an event of API Gateway."""
Forward: TypeAlias = Callable[[Request, str | None], Answer]
"""Answers a request by a person, or by nobody, itself."""

HOST = "127.0.0.1"
MOST_BYTES = 10_485_760
"""Of a request: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html"""
_PUBLIC = ("/api/webhooks/", "/api/callbacks/")
"""What is reached without a login, whoever is logged in."""
_FORMS = "/tasks/"
"""Pages whose forms carry a token of their own."""
_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; "
    "form-action 'self'"
)
_HEADERS = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", _POLICY),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
)


@dataclass(frozen=True, slots=True)
class Site:
    """What is served: the API and static files, or all that `forward` answers; and to whom.

    `person` calls where no other is chosen in the browser; `people` are those offered there.
    `fault` is told what goes wrong.
    """

    api: Api | None
    files: Path | None = None
    person: str | None = None
    people: tuple[str, ...] = ()
    fault: Callable[[str], None] = lambda _: None
    forward: Forward | None = None


class Server:
    """A context manager: serves a site while it is open. `url` is where."""

    def __init__(self, port: int = 0, tries: int = 1) -> None:
        self._http = _bound(port, tries)
        self.url = f"http://{HOST}:{self._http.server_address[1]}"
        self._thread: threading.Thread | None = None

    def serve(self, site: Site) -> None:
        """Begin to answer; who asked before waits until now."""
        self._http.site = site
        self._http.hosts = _hosts(self._http.server_address[1])
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()


class PortTaken(Exception):
    """All ports that were tried are taken; the text names the first."""


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    site: Site
    hosts: frozenset[str]

    def handle_error(self, *_: object) -> None:
        """Tell a fault of ours; that somebody hangs up, or stops in the middle, is none."""
        error = sys.exception()
        if not isinstance(error, OSError):
            self.site.fault(f"{type(error).__name__}: {error}")


def _bound(port: int, tries: int) -> _Http:
    for one in range(port, port + max(1, tries)):
        try:
            return _Http((HOST, one), _Handler)
        except OSError:
            if one == port + tries - 1:
                raise PortTaken(str(port)) from None
    raise AssertionError


def _hosts(port: int) -> frozenset[str]:
    names = (HOST, "localhost", "[::1]")
    return frozenset((*(f"{name}:{port}" for name in names), *(names if port == 80 else ())))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http
    timeout = 60

    def _handle(self) -> None:
        request = self._request()
        if request is None:
            return
        answer = _answered(request, self.server.site, self.server.hosts)
        body = b"" if self.command == "HEAD" else answer.body
        self.send_response(answer.status)
        for name, value in answer.headers:
            if name.lower() not in ("content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _handle  # noqa: N815

    def _request(self) -> Request | None:
        """Return the request, None where it has been refused."""
        length = self.headers.get("Content-Length") or "0"
        if re.fullmatch(r"[0-9]{1,18}", length) is None or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            self.send_error(411)
            return None
        if int(length) > MOST_BYTES:
            self.close_connection = True
            self.send_error(413)
            return None
        body = self.rfile.read(int(length))
        headers = {
            name.lower(): ",".join(self.headers.get_all(name) or ()) for name in self.headers
        }
        return Request(self.command, self.path, headers, body)

    def version_string(self) -> str:
        """Return what the server is called: not its versions."""
        return "stepsmith"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: paths may hold the tokens of links."""


def _answered(request: Request, site: Site, hosts: frozenset[str]) -> Answer:
    host = request.headers.get("host", "").lower()
    if host not in hosts:
        return _plain(421, f"this is {min(hosts)}, and answers to no other name")
    if request.method not in ("GET", "HEAD", "OPTIONS") and not _is_from_here(request, host):
        return _plain(403, "pages of other sites may not call this")
    if request.path == LOGIN:
        return login(request, site.person, site.people)
    if site.forward is not None:
        return site.forward(request, _person(request, site))
    if site.api is not None and not files.is_file(request.path):
        try:
            return answer_of(site.api(event_of(request, _person(request, site))))
        except SystemExit:  # the stage's clock has been closed under way
            return _plain(503, "the stage is being stopped")
        except Exception as error:  # noqa: BLE001 (whatever it is, it is ours, and is told)
            site.fault(f"{request.method} {request.path}: {type(error).__name__}: {error}")
            return _plain(500, "something went wrong on our side")
    return _file(request, site.files)


def _is_from_here(request: Request, host: str) -> bool:
    """Return whether a call is from no page of another site, as far as its origin tells.

    A page that sends no referrer, as those of tasks, has no origin either once it sends a form
    (https://fetch.spec.whatwg.org/#append-a-request-origin-header); that form has a token.
    """
    origin = request.headers.get("origin")
    if origin == "null":
        return request.path.startswith(_FORMS)
    return origin in (None, f"http://{host}")


def _person(request: Request, site: Site) -> str | None:
    if request.path.startswith(_PUBLIC):
        return None
    chosen = request.cookies.get(COOKIE)
    if chosen is None:
        return site.person
    return None if chosen == NOBODY else unquote(chosen)


def _file(request: Request, folder: Path | None) -> Answer:
    """Return a file of the console, as a deployed API does."""
    if folder is None:
        return _plain(404, "there is no console here; the API is under /api/")
    console = Console(folder, {"type": "local"}, "local")
    return answer_of(files.answer(event_of(request, None), console))


def _plain(status: int, text: str) -> Answer:
    return Answer(
        status, (("Content-Type", "text/plain; charset=utf-8"), *_HEADERS), f"{text}\n".encode()
    )
