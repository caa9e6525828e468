"""Messages to SNS topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.domain.errors import MessageRejected

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_sns import SNSClient

_MOST_BYTES = 262_144
_LONGEST_SUBJECT = 100
"""https://docs.aws.amazon.com/sns/latest/api/API_Publish.html"""


class SnsTopics:
    """`functions.domain.services.Topics` on SNS, in the region that a topic's ARN names."""

    def __init__(self, client: Callable[[str], SNSClient]) -> None:
        self._client = client

    def publish(self, topic: str, subject: str | None, message: str) -> str:
        """Publish a message and return its id; raises MessageRejected for one too large."""
        if len(message.encode()) > _MOST_BYTES:
            raise MessageRejected(f"SNS takes no message above {_MOST_BYTES} bytes")
        client = self._client(topic.split(":")[3])
        # Subjects are ASCII without control characters.
        line = " ".join((subject or "").split())
        title = line.encode("ascii", "replace").decode()[:_LONGEST_SUBJECT]
        if title:
            return client.publish(TopicArn=topic, Subject=title, Message=message)["MessageId"]
        return client.publish(TopicArn=topic, Message=message)["MessageId"]
