"""The stage's bus, on EventBridge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from protocol.events import SOURCE

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient

    from protocol.payloads import Json


class NotPublished(Exception):
    """EventBridge did not take an event."""


class EventBridgeBus:
    """`functions.event_ports.Bus` on EventBridge."""

    def __init__(self, client: EventBridgeClient, name: str) -> None:
        self._client = client
        self._name = name

    def publish(self, name: str, detail: dict[str, Json]) -> None:
        """Publish an event of a name, as a step does; raises NotPublished.

        https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
        """
        put = self._client.put_events(
            Entries=[
                {
                    "EventBusName": self._name,
                    "Source": SOURCE,
                    "DetailType": name,
                    "Detail": json.dumps(detail, ensure_ascii=False),
                }
            ]
        )
        if put["FailedEntryCount"]:
            raise NotPublished(put["Entries"][0].get("ErrorCode", "no reason given"))
