"""Conditional writes to DynamoDB, and what stands in the way of one.

The SDK makes a call once more whose answer was lost. If it had been written, the second one finds
its condition broken by its own write: so whoever writes leaves a mark, by which that is told from
somebody else's.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html#WorkingWithItems.ConditionalUpdate
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    Item = dict[str, AttributeValueTypeDef]

WRITER = "writer"
"""The attribute of a mark, where no other tells one write from all others."""


def new_mark() -> str:
    """Return a mark that no other write has."""
    return uuid.uuid4().hex


def in_the_way(error: ClientError) -> Item:
    """Return what is stored where a write's condition did not hold, if anything is.

    The write asked for it by `ReturnValuesOnConditionCheckFailure`. Raises any other error.
    """
    if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
        raise error
    return cast("dict[str, Item]", error.response).get("Item", {})


def is_own(stored: Item, mark: str, attribute: str = WRITER) -> bool:
    """Return whether what is stored is what the write with a mark has written."""
    return stored.get(attribute, {}).get("S") == mark
