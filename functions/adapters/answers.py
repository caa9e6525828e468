"""Answers to executions that wait on a task token; the one place that sends them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from protocol.payloads import Json

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_stepfunctions import SFNClient

_ANSWERED = frozenset({"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"})
"""What a token that no longer waits is answered with, whichever of the three it is."""
_LONGEST_CAUSE = 32_768


class StepFunctionsAnswers:
    """`functions.ports.Answers` on Step Functions."""

    def __init__(self, client: SFNClient) -> None:
        self._client = client

    def succeed(self, token: str, output: Json) -> bool:
        """Let the waiting state succeed; False where it no longer waits."""
        text = json.dumps(output, ensure_ascii=False, separators=(",", ":"))
        return _sent(lambda: self._client.send_task_success(taskToken=token, output=text))

    def fail(self, token: str, error: str, cause: str) -> bool:
        """Let the waiting state fail; False where it no longer waits."""
        cut = cause[:_LONGEST_CAUSE]
        return _sent(
            lambda: self._client.send_task_failure(taskToken=token, error=error, cause=cut)
        )


def _sent(send: Callable[[], object]) -> bool:
    try:
        send()
    except ClientError as error:
        if error.response["Error"]["Code"] not in _ANSWERED:
            raise
        return False
    return True
