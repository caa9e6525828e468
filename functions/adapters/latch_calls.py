"""Calls of the function `latches` by other functions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from protocol.payloads import Release


class NotReleased(Exception):
    """The function failed; the text is what it said."""


class LatchCalls:
    """What is asked of `latches`."""

    def __init__(self, client: Any, function: str) -> None:
        self._client = client
        self._function = function

    def release(self, execution: str) -> None:
        """Free what an execution held in its concurrency group; raises NotReleased."""
        message: Release = {"op": "release", "execution": execution}
        answer = self._client.invoke(
            FunctionName=self._function, Payload=json.dumps(message).encode()
        )
        if answer.get("FunctionError"):
            raise NotReleased(answer["Payload"].read(2_000).decode(errors="replace"))
