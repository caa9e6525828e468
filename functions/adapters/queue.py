"""The queue of events, on SQS."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from functions.event_ports import Bodies
    from protocol.payloads import EventMessage, QueueMessage

_MOST_BYTES = 200_000
"""Of a message; above it the event goes through the bucket. SQS took 262,144 for long, and 1 MiB
now: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html"""


class SqsQueue:
    """`functions.event_ports.Queue` on SQS."""

    def __init__(self, client: SQSClient, url: str, bodies: Bodies) -> None:
        self._client = client
        self._url = url
        self._bodies = bodies

    def send(self, message: QueueMessage, *, delay: int = 0) -> None:
        """Put a message into the queue; a large event is kept in the bucket and named in it."""
        text = json.dumps(message, separators=(",", ":"))
        if len(text.encode()) > _MOST_BYTES and "event" in message:
            event = cast("EventMessage", {**message})
            event["kept"] = self._bodies.put(uuid.uuid4().hex, event.pop("event"))
            text = json.dumps(event, separators=(",", ":"))
        self._client.send_message(QueueUrl=self._url, MessageBody=text, DelaySeconds=delay)
