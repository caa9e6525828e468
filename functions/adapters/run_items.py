"""Runs as items of DynamoDB: how they are written, and by what indexes know them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from functions.domain.records.item import Cancelling, RunItem

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from functions.ports import Clock

LISTED = "runs"
"""The one partition of the indexes of all runs: a run writes it a few times in its life, far from
the 1,000 writes a second that a partition takes.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"""
OPEN = "open"
KEPT_DAYS = 400
NEW = "attribute_not_exists(part)"


def packed_item(item: RunItem) -> dict[str, AttributeValueTypeDef]:
    """Return a run's item as the table has it, but for the time of its end."""
    return {
        "run": {"S": item.run_id},
        "part": {"S": "run"},
        "item": {"S": packed(asdict(item))},
        "version": {"N": str(item.version)},
        **_indexed(item),
    }


def item_from(item: Mapping[str, AttributeValueTypeDef]) -> RunItem:
    """Return a run's item as it was written."""
    raw = json.loads(item["item"]["S"])
    cancelling = raw["cancelling"]
    return RunItem(
        **{**raw, "cancelling": None if cancelling is None else Cancelling(**cancelling)}
    )


def _indexed(item: RunItem) -> dict[str, AttributeValueTypeDef]:
    """Return the attributes by which indexes know an item."""
    fields: dict[str, AttributeValueTypeDef] = {}
    if not item.settled:
        fields |= {"open": {"S": OPEN}, "looked_at": {"S": item.looked_at or item.started_at}}
    if item.parent is not None:
        return fields
    fields |= {
        "listed": {"S": LISTED},
        "started_at": {"S": item.started_at},
        "workflow": {"S": item.workflow_id},
        "status": {"S": item.status},
        "summary": {"S": packed(item.summary())},
    }
    if item.started_by:
        fields["starter"] = {"S": item.started_by}
    return fields


def ends_at(clock: Clock, days: int) -> AttributeValueTypeDef:
    """Return when an item that is written now is to be deleted."""
    ends = clock.now() + timedelta(days=days)
    return {"N": str(int(ends.timestamp()))}


def packed(value: Mapping[str, Any]) -> str:
    """Return JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))
