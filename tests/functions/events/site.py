"""The API in front of a stage for events."""

from __future__ import annotations

import base64
from typing import Any

from functions.event_wiring import door_wiring
from functions.handlers import api
from functions.usecases.webhooks import Keys
from functions.wiring import ApiWiring
from tests.functions.events.kit import SETTINGS, Stage
from tests.functions.http.site import Log, Site, event_of

ALICE = "alice@example.com"


class Secrets:
    """The stage's secrets, which can be exchanged."""

    def __init__(self, **values: str):
        self.values = values

    def get(self, name):
        return self.values[name]


class Directory:
    """Everybody is who they say."""

    def called(self, account):
        return account


class EventSite(Site):
    """`Site` without an office."""

    def __init__(self, stage: Stage, **secrets: str):
        self.stage = stage
        self.log = Log()
        self.secrets = Secrets(**secrets)
        door = door_wiring(SETTINGS, stage.clock, manifests=stage.gate.manifests, queue=stage.queue)
        door = type(door)(door.gate, self, Keys(lambda: Secrets(**self.secrets.values)))
        self.published: list[tuple[str, dict[str, object]]] = []
        desk = type("Desk", (), {"directory": Directory()})()
        wiring: Any = {
            "stage": "test", "log": lambda: self.log, "desk": lambda: desk, "door": lambda: door,
            "task_list": None, "teller": None,
        }  # fmt: skip
        self.wiring = ApiWiring(**wiring)
        self._handle = api.handler_with(lambda: self.wiring)

    def publish(self, name, detail):
        self.published.append((name, detail))

    def run(self, body=None, workflow="release", **headers):
        """Run a workflow, without waiting unless a header says so."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers.setdefault("prefer", "respond-async")
        path = f"/api/workflows/{workflow}/run"
        return self.call("POST", path, {} if body is None else body, person=ALICE, headers=headers)

    def post(self, name, body: bytes, headers, *, encoded=False):
        """Post a webhook."""
        text = base64.b64encode(body).decode() if encoded else body.decode()
        event = event_of("POST", f"/api/webhooks/{name}", text, headers=headers)
        return self.send({**event, "isBase64Encoded": encoded})
