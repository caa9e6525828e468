"""Writes to DynamoDB come one after the other, as they do per item on AWS.

moto reads and writes an item without a lock, so two threads could both lose a write. It keeps
streams, but hands their records to nobody: the engine is told of each write and does.
"""

from __future__ import annotations

import threading
from typing import Any

from moto.dynamodb.responses import DynamoHandler

from local.active import present

_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"})
_one_at_a_time = threading.RLock()
_moto_call = DynamoHandler.call_action


def _call(self: Any) -> Any:
    with _one_at_a_time:
        answer = _moto_call(self)
    host = present()
    if host is not None and self._get_action() in _WRITES:
        host.wrote()
    return answer


def install() -> None:
    """Put a lock around each call."""
    put: Any = setattr
    put(DynamoHandler, "call_action", _call)
