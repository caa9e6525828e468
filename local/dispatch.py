"""Functions called in process, as Lambda would: JSON in, JSON out, errors by class name."""

from __future__ import annotations

import json
import traceback
import uuid
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from local.clock import Clock
from protocol.payloads import Json

MOST_BYTES = 6_291_456
"""Of a synchronous call's payload and result.
https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""


def _never(_event: object) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Function:
    """A handler behind an ARN; `works` says of which calls it does real work, in real time."""

    handler: Callable[[Any, object], object]
    works: Callable[[Any], bool] = _never


class UnknownFunction(Exception):
    """No function has the ARN that was called."""


class FunctionError(Exception):
    """A handler raised; `payload` is what Lambda answers then."""

    def __init__(self, payload: dict[str, Json]) -> None:
        super().__init__(str(payload["errorMessage"]))
        self.payload = payload


class Dispatch:
    """The functions of a local run by their ARNs."""

    def __init__(self, functions: Mapping[str, Function], clock: Clock) -> None:
        self._functions = functions
        self._clock = clock

    def invoke(self, arn: str, payload: Json) -> Json:
        """Call a function; raises UnknownFunction, or FunctionError where its handler raised."""
        function = self._functions.get(arn)
        if function is None:
            raise UnknownFunction(f"Function not found: {arn}")
        event = json.loads(json.dumps(payload))
        try:
            with self._clock.real_work() if function.works(event) else nullcontext():
                result = function.handler(event, None)
            text = json.dumps(result)
        except Exception as error:
            raise FunctionError(_reported(error)) from error
        if len(text.encode()) > MOST_BYTES:
            raise FunctionError(
                {
                    "errorType": "Function.ResponseSizeTooLarge",
                    "errorMessage": "Response payload size exceeded maximum allowed payload size",
                }
            )
        answer: Json = json.loads(text)
        return answer


def _reported(error: Exception) -> dict[str, Json]:
    """Return what Lambda's Python runtime reports of an error.

    https://docs.aws.amazon.com/lambda/latest/dg/python-exceptions.html
    """
    return {
        "errorMessage": str(error),
        "errorType": type(error).__name__,
        "requestId": str(uuid.uuid4()),
        "stackTrace": list[Json](traceback.format_tb(error.__traceback__)),
    }
