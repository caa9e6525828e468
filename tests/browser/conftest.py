"""A browser without a window, and servers on this machine for it to look at.

A test serves an application (WSGI) and has a script of its own visit it:

    def test_it(serve, visit):
        base = serve(application)
        assert visit("page.mjs", base, path="/x") == {...}

`tests/browser/run.mjs` says what a script is given. Without Chromium, Node or its packages the
tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format, *args):
        del format, args


@pytest.fixture(scope="session")
def chromium():
    """The path of a Chromium; skips where something is missing."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("there is no Chromium")
    if shutil.which("node") is None or not (ROOT / "node_modules/playwright-core").is_dir():
        pytest.skip("there is no Node with the project's packages")
    return found


@pytest.fixture
def serve():
    """Serve an application on this machine; return its address."""
    servers = []

    def start(application):
        server = make_server(
            "127.0.0.1", 0, application, server_class=_Server, handler_class=_Quiet
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def visit(chromium):
    """Run a script beside the tests in the browser; return its result. A page's faults fail."""

    def run(script: str, base: str, **told: Any) -> Any:
        done = subprocess.run(
            ["node", str(HERE / "run.mjs"), str(HERE / script), base, json.dumps(told)],
            cwd=ROOT,
            env={**os.environ, "CHROMIUM": chromium},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        answer = json.loads(done.stdout.splitlines()[-1])
        assert answer["faults"] == []
        return answer["result"]

    return run
