"""What tests of actions work with: a context, and a small HTTP server of their own."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from functions.domain.context import Context

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Clock:
    """A clock on which sleeping is all that takes time."""

    def __init__(self) -> None:
        self.moment = NOON
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += timedelta(seconds=seconds)


def context(folder: Path, clock: Clock | None = None, seconds: float = 60, **fields) -> Context:
    """Return the context of a call whose workspace is `folder/workspace`."""
    clock = clock or Clock()
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    parts = {
        "run_id": "run-1",
        "step": "s",
        "key": "run-1/s",
        "attempt": 1,
        "env": {},
        "inherited": {"PATH": "/usr/local/bin:/usr/bin:/bin"},
        "seconds": seconds,
        "workspace": workspace,
        "logs": folder / "logs",
        "now": clock.now,
        "sleep": clock.sleep,
        "deadline": NOON + timedelta(seconds=seconds),
        **fields,
    }
    return Context(**parts)


@dataclass
class Call:
    """A request as a server got it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def json(self):
        return json.loads(self.body)


@dataclass
class Reply:
    """What a server answers; `drop` closes the connection without a word."""

    status: int = 200
    body: bytes | str | dict = b""
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False


@contextmanager
def serving(answer: Callable[[Call], Reply]) -> Iterator[tuple[str, list[Call]]]:
    """Serve on this machine; gives the address and the calls that came, in their order."""
    calls: list[Call] = []

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            call = Call(self.command, self.path, headers, self.rfile.read(length))
            calls.append(call)
            reply = answer(call)
            if reply.drop:
                self.close_connection = True
                return
            body = reply.body
            if isinstance(body, dict):
                reply.headers.setdefault("Content-Type", "application/json")
                body = json.dumps(body)
            raw = body.encode() if isinstance(body, str) else body
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(raw)

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler._handle)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", calls
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
