"""What Lambda hands to `intake`: records of queues and streams, as messages about events.

https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeGuard, cast

from functions.domain.moments import stamp
from protocol.manifest import TriggerManifest, WorkflowManifest
from protocol.payloads import EventMessage, QueueMessage

Record: TypeAlias = Mapping[str, Any]
"""A record as Lambda hands it over."""


class Unreadable(Exception):
    """A message of the stage's queue is none of ours; the text says what is wrong with it."""


def queue_named(record: Record) -> str | None:
    """Return the name of the queue that a record comes from; None for a stream's."""
    return str(record["eventSourceARN"]).rpartition(":")[2] if "messageId" in record else None


def number_of(record: Record) -> str:
    """Return by which identifier a record is reported as failed."""
    if "messageId" in record:
        return str(record["messageId"])
    return str(record["dynamodb"]["SequenceNumber"])


def is_ordered(record: Record) -> bool:
    """Return whether what comes after a failed record has to come again with it."""
    return "messageId" not in record or str(record["eventSourceARN"]).endswith(".fifo")


def own_message(record: Record) -> QueueMessage:
    """Return the message in a record of the stage's own queue; raises Unreadable."""
    try:
        body = json.loads(record["body"])
    except ValueError as error:
        raise Unreadable(f"the message is no JSON: {error}") from None
    if not isinstance(body, dict) or not ({"event", "kept", "enabled", "start"} & body.keys()):
        raise Unreadable("the message holds no `event`")
    if not all(isinstance(body.get(name, ""), str) for name in ("trigger", "enabled", "start")):
        raise Unreadable("a name in the message is no text")
    message = cast("QueueMessage", body)
    if is_event(message):
        message.setdefault("id", str(record["messageId"]))
        message.setdefault("received_at", _sent_at(record))
    return message


def is_event(message: QueueMessage) -> TypeGuard[EventMessage]:
    """Return whether a message is about an event that came, not about one that is kept."""
    return not message.keys() & {"enabled", "start"}


def foreign_messages(
    record: Record, triggers: Iterable[tuple[WorkflowManifest, TriggerManifest]]
) -> Iterator[EventMessage]:
    """Yield what a record of a queue or a table of the author's is to each of its triggers."""
    source = str(record["eventSourceARN"])
    is_message = "messageId" in record
    kind, setting = ("queue", "queue") if is_message else ("database", "table")
    for manifest, trigger in triggers:
        if trigger["type"] == kind and _names(str(trigger["settings"].get(setting)), source):
            yield {
                "trigger": f"{manifest['id']}.{trigger['name']}",
                "event": dict(record),
                "id": str(record["messageId"] if is_message else record["eventID"]),
                "received_at": _sent_at(record) if is_message else _changed_at(record),
                "source": source,
            }


def received_at(message: EventMessage, now: datetime) -> datetime:
    """Return when an event came."""
    try:
        moment = datetime.fromisoformat(message.get("received_at", ""))
    except ValueError:
        return now
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _names(setting: str, arn: str) -> bool:
    """Return whether a name or an ARN, as an author writes it, is a source's."""
    if setting.startswith("arn:"):
        return setting in (arn, arn.partition("/stream/")[0])
    # A stream's ARN ends with a time, in which there are colons.
    name = arn.split(":", 5)[-1].partition("/stream/")[0]
    return name.removeprefix("table/") == setting


def _sent_at(record: Record) -> str:
    """Return when a message came into its queue, whichever delivery this is."""
    millis = record.get("attributes", {}).get("SentTimestamp")
    return "" if millis is None else stamp(datetime.fromtimestamp(int(millis) / 1000, UTC))


def _changed_at(record: Record) -> str:
    seconds = record["dynamodb"].get("ApproximateCreationDateTime")
    return "" if seconds is None else stamp(datetime.fromtimestamp(float(seconds), UTC))
