"""Events as items of their table; what was sent is packed, or lies in the bucket."""

from __future__ import annotations

import hashlib
import json
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from functions.domain.events import Event, Sent
from functions.domain.moments import stamp

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from functions.domain.triggers.incoming import Problem
    from functions.event_ports import Bodies
    from protocol.payloads import Json, Reference

    Item = dict[str, AttributeValueTypeDef]

KEPT_SECONDS = 100 * 24 * 3600
"""After an event's window: the name of an execution is free again 90 days after its end, and
until then the number of claims must not begin anew.
https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html"""
ALL = "event"
"""The value of `all`."""
_LONGEST_KEY = 1024
"""Characters of an index's key; DynamoDB takes 2,048 bytes."""
_MOST_INLINE = 200_000
"""Bytes of what was sent, compressed; an item may have 400 KB:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html"""


def item_of(event: Event) -> Item:
    """Return an event's attributes but for its id, `deliveries`, `content` and those of indexes.

    What never changes is one attribute, `about`. A claim tells its lease: `MILLISECONDS.WORD`.
    """
    about: dict[str, Json] = {
        "key": event.key,
        "workflow": event.workflow_id,
        "trigger": event.trigger,
        "type": event.type,
        "source_id": event.source_id,
        "received_at": stamp(event.received_at),
        "replay_of": event.replay_of,
        "number": event.number,
        "expires_at": millis(event.expires_at),
    }
    texts = {
        "outcome": event.outcome,
        "claim": claim_of(event.claim, event.lease),
        "about": _json({name: value for name, value in about.items() if value}),
        "run_id": event.run_id,
        "problems": json.dumps(event.problems) if event.problems else None,
        "error": event.error,
    }
    item: Item = {name: {"S": _sound(text)} for name, text in texts.items() if text}
    return item | {"ends": {"N": str(int(event.expires_at.timestamp()) + KEPT_SECONDS)}}


def shown(event: Event) -> Item:
    """Return the attributes by which lists find an event; one just claimed is not listed yet."""
    texts = {
        "all": ALL,
        "workflow": event.workflow_id,
        "source_id": event.source_id[:_LONGEST_KEY],
        "received_at": stamp(event.received_at),
    }
    return {name: {"S": _sound(text)} for name, text in texts.items() if text}


def event_from(item: Item) -> Event:
    """Return the event in an item; without what was sent where the item has none of it."""
    texts = {name: value["S"] for name, value in item.items() if "S" in value}
    about = json.loads(texts["about"])
    problems: list[Problem] = json.loads(texts.get("problems", "[]"))
    sent, kept = _sent_in(item.get("content"))
    lease, _, claim = texts["claim"].partition(".")
    return Event(
        event_id=texts["id"],
        key=about.get("key", ""),
        workflow_id=about.get("workflow", ""),
        trigger=about.get("trigger", ""),
        type=about.get("type", ""),
        source_id=about.get("source_id", ""),
        received_at=datetime.fromisoformat(about["received_at"]),
        outcome=texts["outcome"],
        claim=claim,
        lease=_moment(int(lease)),
        expires_at=_moment(about["expires_at"]),
        number=about["number"],
        deliveries=int(item["deliveries"]["N"]),
        run_id=texts.get("run_id"),
        problems=tuple(problems),
        error=texts.get("error"),
        replay_of=about.get("replay_of"),
        sent=sent,
        kept=kept,
    )


def claim_of(word: str, lease: datetime) -> str:
    """Return a claim as it is kept."""
    return f"{millis(lease)}.{word}"


def content_of(event: Event, bodies: Bodies) -> Item:
    """Return the attribute of what was sent, compressed; a large body is put into the bucket."""
    sent = event.sent
    if sent is None:
        return {}
    around: dict[str, Json] = {"id": sent.id, "headers": {**sent.headers}, "source": sent.source}
    kept = event.kept
    if kept is None:
        packed = zlib.compress(_json({**around, "body": sent.body}).encode())
        if len(packed) <= _MOST_INLINE:
            return {"content": {"B": packed}}
        # By what it holds: another event of the same key must not take its place.
        name = f"{event.event_id}-{hashlib.sha256(packed).hexdigest()[:16]}"
        kept = bodies.put(name, sent.body)
    return {"content": {"S": _json({**around, "kept": cast("dict[str, Json]", kept)})}}


def _sent_in(content: AttributeValueTypeDef | None) -> tuple[Sent | None, Reference | None]:
    """Return what was sent, without its body where that lies in the bucket, and where."""
    if content is None:
        return None, None
    if "B" in content:
        return Sent(**json.loads(zlib.decompress(bytes(content["B"])))), None
    around = json.loads(content["S"])
    kept: Reference = around.pop("kept")
    return Sent(**around, body=None), kept


def _json(value: dict[str, Json]) -> str:
    # In ASCII: what no other encoding can say (half of a surrogate pair) is kept as well.
    return json.dumps(value, separators=(",", ":"))


def _sound(text: str) -> str:
    return text.encode(errors="replace").decode()


def millis(moment: datetime) -> int:
    """Return a moment in milliseconds since 1970."""
    return int(moment.timestamp() * 1000)


def _moment(number: int) -> datetime:
    return datetime.fromtimestamp(number / 1000, UTC)
