"""The n-th event of each type of trigger as it comes to `intake`: recorded, with its own id."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from protocol.manifest import TriggerManifest
from tests.functions.events.kit import ACCOUNT, REGION, Stage, trigger

RECORDED = Path(__file__).parents[2] / "events"

TRIGGERS: Mapping[str, TriggerManifest] = {
    "git-push": trigger(
        "git-push", settings={"events": ["push"], "branches": [], "paths": [], "secret": "github"}
    ),
    "schedule": trigger(
        "schedule", settings={"cron": "0 * * * *", "timezone": "UTC", "missed": "last"}
    ),
    "event": trigger("event", settings={"pattern": {"detail-type": ["user.signup"]}}),
    "queue": trigger("queue", settings={"queue": "orders"}),
    "http": trigger("http", settings={"secret": "http"}),
    "database": trigger(
        "database", settings={"table": "orders", "operations": ["insert", "modify", "remove"]}
    ),
}


def recorded(name: str) -> Any:
    """An event as its source delivers it."""
    return json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))


def _git_push(stage: Stage, number: int) -> dict[str, Any]:
    event = recorded("github_push")
    headers = {**event["headers"], "X-GitHub-Delivery": f"delivery-{number}"}
    return _sent(stage, "git-push", event["body"], headers=headers)


def _schedule(stage: Stage, number: int) -> dict[str, Any]:
    hour = stage.clock.now().replace(minute=0, second=0, microsecond=0)
    time = hour.replace(minute=number % 60, second=number // 60 % 60)
    return _sent(stage, "schedule", {"scheduled_time": time.isoformat()})


def _event(stage: Stage, number: int) -> dict[str, Any]:
    event = recorded("eventbridge_published")
    event["detail"]["event_id"] = f"register/{number}"
    return _sent(stage, "event", event)


def _http(stage: Stage, number: int) -> dict[str, Any]:
    return _sent(stage, "http", {"version": "1"}, headers={"idempotency-key": f"build-{number}"})


def _sent(stage: Stage, kind: str, event: Any, **more: Any) -> dict[str, Any]:
    return stage.queue.record({"trigger": f"release.release-{kind}", "event": event, **more})


def _queue(_stage: Stage, number: int) -> dict[str, Any]:
    record = copy.deepcopy(recorded("sqs_message")["Records"][0])
    arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:orders"
    return {**record, "messageId": f"order-{number}", "eventSourceARN": arn}


def _database(_stage: Stage, number: int) -> dict[str, Any]:
    record = copy.deepcopy(recorded("dynamodb_modify")["Records"][0])
    arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/orders/stream/2026-01-01T00:00:00.000"
    record["dynamodb"]["SequenceNumber"] = str(number)
    return {**record, "eventID": f"change-{number}", "eventSourceARN": arn}


RECORDS: Mapping[str, Callable[[Stage, int], dict[str, Any]]] = {
    "git-push": _git_push,
    "schedule": _schedule,
    "event": _event,
    "queue": _queue,
    "http": _http,
    "database": _database,
}
