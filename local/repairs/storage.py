"""Writes to DynamoDB come one after the other, as they do per item on AWS.

moto reads and writes an item without a lock, so two threads could both lose a write.
"""

from __future__ import annotations

import threading
from typing import Any

from moto.dynamodb.responses import DynamoHandler

_one_at_a_time = threading.RLock()
_moto_call = DynamoHandler.call_action


def _call(self: Any) -> Any:
    with _one_at_a_time:
        return _moto_call(self)


def install() -> None:
    """Put a lock around each call."""
    put: Any = setattr
    put(DynamoHandler, "call_action", _call)
