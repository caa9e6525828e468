"""A small Kubernetes API: as much of one as a deployment needs.

It answers four calls: an object is read, applied (made, or changed), patched, and read until its
rollout is over.
https://kubernetes.io/docs/reference/using-api/api-concepts/
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Object: TypeAlias = "dict[str, Any]"
Answer: TypeAlias = tuple[int, Object]

_REVISION = "deployment.kubernetes.io/revision"


class Cluster:
    """Objects by their paths; a rollout is over after `polls` reads, or, if `stuck`, given up."""

    def __init__(self, polls: int = 1) -> None:
        self.objects: dict[str, Object] = {}
        self.polls = polls
        self.stuck = False
        self.writes: list[tuple[str, str]] = []
        self._left: dict[str, int] = {}
        self._lock = threading.Lock()

    def answer(self, method: str, path: str, kind: str, body: bytes) -> Answer:
        """Return what a call is answered: its status and an object. `kind` is the body's type."""
        path = path.partition("?")[0]
        with self._lock:
            if method == "GET":
                return self._read(path)
            if method == "PATCH":
                return self._write(path, kind.partition("/")[2], json.loads(body))
        return 405, _status(f"{method} is not known here")

    def _read(self, path: str) -> Answer:
        if path not in self.objects:
            return 404, _status(f"{path} not found")
        found = self.objects[path]
        if path in self._left and not self.stuck:
            self._left[path] -= 1
            if self._left[path] < 0:
                _roll_out(found)
                del self._left[path]
        return 200, deepcopy(found)

    def _write(self, path: str, kind: str, change: Object) -> Answer:
        self.writes.append((kind, path))
        before = deepcopy(self.objects.get(path))
        if before is None and "apply" not in kind:
            return 404, _status(f"{path} not found")
        found = self.objects.setdefault(path, {})
        _merge(found, change)
        metadata = found.setdefault("metadata", {})
        if before is None or before.get("spec") != found.get("spec"):
            metadata["generation"] = metadata.get("generation", 0) + 1
            if "/deployments/" in path:
                self._left[path] = self.polls
                if self.stuck:
                    _give_up(found)
        return 200, deepcopy(found)


@contextmanager
def serve(cluster: Cluster) -> Iterator[str]:
    """Answer calls on a free port of this machine; gives the address."""

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            kind = self.headers.get("Content-Type") or ""
            status, found = cluster.answer(self.command, self.path, kind, body)
            raw = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_PATCH = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815 - their names

        def log_message(self, *_arguments: object) -> None:
            """Say nothing: the demo tells what happens."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _status(message: str) -> Object:
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message}


def _roll_out(found: Object) -> None:
    metadata, replicas = found["metadata"], found["spec"].get("replicas", 1)
    notes = metadata.setdefault("annotations", {})
    notes[_REVISION] = str(int(notes.get(_REVISION, 0)) + 1)
    found["status"] = {
        "observedGeneration": metadata["generation"],
        "replicas": replicas,
        "updatedReplicas": replicas,
        "availableReplicas": replicas,
    }


def _give_up(found: Object) -> None:
    found["status"] = {
        "observedGeneration": found["metadata"]["generation"],
        "conditions": [{"reason": "ProgressDeadlineExceeded", "message": "image not found"}],
    }


def _merge(found: Object, change: Object) -> None:
    """Bring a change into an object; of lists with names, into the items of the same name."""
    for key, value in change.items():
        if isinstance(value, dict):
            _merge(found.setdefault(key, {}), value)
        elif isinstance(value, list) and all(isinstance(v, dict) and "name" in v for v in value):
            items = found.setdefault(key, [])
            named = {one["name"]: one for one in items}
            for one in value:
                if one["name"] in named:
                    _merge(named[one["name"]], one)
                else:
                    items.append(one)
        else:
            found[key] = value
