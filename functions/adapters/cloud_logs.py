"""What runs said, from CloudWatch Logs: the lines that `functions.logs.StepLog` writes.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from functions.domain.records.said import stamp
from functions.record_ports import LogLine, LogPage, NoSuchPlace, Span
from protocol.payloads import Json

_MOST_PAGES = 10
"""Answers looked through for one page: many of them are empty, but lead on."""


class CloudLogs:
    """`functions.record_ports.RunLogs` in log groups, one after the other."""

    def __init__(self, client: Callable[[], Any], groups: Sequence[str]) -> None:
        self._client = client
        self._groups = tuple(groups)

    def lines(
        self,
        run_id: str,
        step: str | None,
        span: Span,
        limit: int,
        after: Mapping[str, Json] | None,
    ) -> LogPage:
        """Return lines of a run, or of one of its steps, the oldest of each group first."""
        at = after or {}
        number, token = at.get("group", 0), at.get("token")
        group = number if isinstance(number, int) and number >= 0 else 0
        found: list[LogLine] = []
        for _ in range(_MOST_PAGES):
            if group >= len(self._groups):
                return LogPage(found)
            page = self._page(
                logGroupName=self._groups[group],
                filterPattern=_pattern(run_id, step),
                startTime=_millis(span.since),
                limit=limit - len(found),
                **({"endTime": _millis(span.until)} if span.until else {}),
                **({"nextToken": token} if isinstance(token, str) else {}),
            )
            found += [
                line
                for event in page.get("events", ())
                if (line := _line(event, run_id, step)) is not None
            ]
            token = page.get("nextToken")
            if token is None:
                group += 1
            if len(found) >= limit:
                break
        if group >= len(self._groups):
            return LogPage(found)
        place: dict[str, Json] = {"group": group}
        return LogPage(found, place | ({"token": token} if isinstance(token, str) else {}))

    def _page(self, **arguments: Any) -> Any:
        try:
            return self._client().filter_log_events(**arguments)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == "ResourceNotFoundException":  # no step has logged anything yet
                return {"events": []}
            if code == "InvalidParameterException" and "nextToken" in arguments:
                raise NoSuchPlace from None
            raise


def _pattern(run_id: str, step: str | None) -> str:
    """Return the filter for lines of a run.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
    """
    terms = [f"$.run_id = {json.dumps(run_id)}"]
    if step is not None:
        terms.append(f"$.step_id = {json.dumps(step)}")
    return f"{{ {' && '.join(f'({term})' for term in terms)} }}"


def _line(event: Mapping[str, Any], run_id: str, step: str | None) -> LogLine | None:
    try:
        said = json.loads(event["message"])
    except ValueError:
        return None
    if not isinstance(said, dict) or said.get("run_id") != run_id:
        return None
    if step is not None and said.get("step_id") != step:
        return None
    text = said.get("text") or said.get("message") or ""
    if "error" in said:
        text = f"{text}: {said.get('error_type', 'Error')}: {said['error']}"
    items = said.get("items")
    return LogLine(
        at=stamp(datetime.fromtimestamp(event["timestamp"] / 1000, UTC)),
        step=str(said.get("step_id", "")),
        attempt=int(said.get("attempt") or 1),
        level=str(said.get("level", "info")).lower(),
        text=str(text),
        items=tuple(items) if isinstance(items, list) else (),
        stream=said.get("stream"),
    )


def _millis(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
