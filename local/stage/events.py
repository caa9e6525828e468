"""Events of a local stage's bus: held against the patterns of triggers, and put into the queue.

On AWS a rule for each pattern does this. https://docs.aws.amazon.com/eventbridge/latest/userguide/
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from functions.domain.listening import asked_for, near
from functions.domain.records.notices import is_notice
from local.engine import ACCOUNT, REGION
from local.stage.names import BUS
from protocol.events import buses_of
from protocol.patterns import matches

if TYPE_CHECKING:
    from functions.event_ports import Queue
    from protocol.manifest import WorkflowManifest
    from protocol.payloads import EventMessage, Json


class Events:
    """Hands events of the buses on, to the triggers of what is deployed, and to waits.

    What a wait asks for stays when its workflow is another, as rules do on AWS: runs go on.
    """

    def __init__(
        self,
        deployed: Callable[[], Iterable[WorkflowManifest]],
        queue: Queue,
        unheard: Callable[[str, Sequence[str]], None] = lambda _, __: None,
    ) -> None:
        self._deployed = deployed
        self._queue = queue
        self._unheard = unheard
        self._waits: list[Mapping[str, Json]] = []

    def lay(self, manifests: Iterable[WorkflowManifest]) -> None:
        """Listen from now on to what steps of these workflows wait for, too."""
        for manifest in manifests:
            for pattern in manifest.get("patterns", ()):
                if pattern not in self._waits:
                    self._waits.append(pattern)

    def put(self, entry: Mapping[str, Any]) -> None:
        """Take an entry of PutEvents, with its `Id` and `Time`."""
        event = event_of(entry)
        bus = "stage" if str(entry.get("EventBusName", "")).endswith(BUS) else "default"
        name, detail = str(event["detail-type"]), event["detail"]
        is_asked = not (isinstance(detail, dict) and is_notice(name, detail))
        if not self._hand_on(event, bus) and is_asked:
            asked = [pattern for _, pattern in _triggers(self._deployed())]
            self._unheard(name, [one for one in near(name, [*asked, *self._waits]) if one != name])

    def tell(self, event: Mapping[str, Json]) -> None:
        """Take an event that AWS itself puts on the account's bus: a changed status."""
        self._hand_on(dict(event), "default")

    def _hand_on(self, event: dict[str, Json], bus: str) -> bool:
        """Put an event into the queue for all who ask for it; return whether anybody does."""
        is_heard = False
        for trigger, pattern in _triggers(self._deployed()):
            if bus in buses_of(pattern) and matches(pattern, event):
                message: EventMessage = {"trigger": trigger, "event": event}
                self._queue.send(message)
                is_heard = True
        if any(bus in buses_of(pattern) and matches(pattern, event) for pattern in self._waits):
            self._queue.send({"event": event})
            is_heard = True
        return is_heard


def _triggers(manifests: Iterable[WorkflowManifest]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield the event triggers, of each workflow the highest version's, with their patterns."""
    seen: set[str] = set()
    for manifest in manifests:
        if manifest["id"] in seen:
            continue
        seen.add(manifest["id"])
        for name, pattern in asked_for(manifest):
            yield f"{manifest['id']}.{name}", pattern


def event_of(entry: Mapping[str, Any]) -> dict[str, Json]:
    """Return an entry of PutEvents as EventBridge delivers it."""
    time = str(entry["Time"]).partition(".")[0].removesuffix("+00:00").removesuffix("Z") + "Z"
    return {
        "version": "0",
        "id": entry["Id"],
        "detail-type": entry["DetailType"],
        "source": entry["Source"],
        "account": ACCOUNT,
        "time": time,
        "region": REGION,
        "resources": list(entry.get("Resources", ())),
        "detail": json.loads(entry["Detail"]),
    }
