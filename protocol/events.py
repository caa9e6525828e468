"""Events of the bus: how a step's publication looks there, and how triggers and waits read it.

A step that publishes `user.signup`, and `POST /api/events`, put this on the stage's bus:

    source: stepsmith, detail-type: user.signup
    detail: {event_id, payload, started_by?, run?, depth?}

`started_by` posted it, or started the run that published it, and counts as the one who started the
runs that it starts.

Whoever asks for events by name (`event: user.signup`) reads the payload, also as `event.detail`
where that holds nothing of its own; whoever writes a pattern reads the event as EventBridge
delivers it: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from protocol.payloads import Json

SOURCE = "stepsmith"
"""The source of events that steps and the API publish."""

Bus: TypeAlias = Literal["stage", "default"]


def is_by_name(pattern: Mapping[str, Json]) -> bool:
    """Whether a pattern asks for nothing but names, as `event: user.signup` does."""
    return pattern.keys() == {"detail-type"}


def buses_of(pattern: Mapping[str, Json]) -> tuple[Bus, ...]:
    """Return on which buses a pattern's events can be: the stage's own, the account's default one.

    What AWS itself tells is on the default bus only; named events are published on the stage's.
    """
    if is_by_name(pattern):
        return ("stage",)
    sources = pattern.get("source")
    listed = sources if isinstance(sources, list) else []
    if listed and all(isinstance(one, str) and one.startswith("aws.") for one in listed):
        return ("default",)
    return ("stage", "default")


def read_as(pattern: Mapping[str, Json], event: Mapping[str, Json]) -> Json:
    """Return what expressions read as `event` where a pattern let an event of the bus through."""
    if not is_by_name(pattern):
        return dict(event)
    detail = event.get("detail")
    if isinstance(detail, dict) and is_published(event):
        return detail["payload"]
    return detail


def with_detail(payload: Json) -> Json:
    """Return the payload of an event by its name as expressions read it: as `detail`, too."""
    if isinstance(payload, dict) and "detail" not in payload:
        return {**payload, "detail": payload}
    return payload


def is_published(event: Mapping[str, Json]) -> bool:
    """Whether an event of the bus was published by a step or over the API."""
    detail = event.get("detail")
    return (
        event.get("source") == SOURCE
        and isinstance(detail, dict)
        and isinstance(detail.get("event_id"), str)
        and "payload" in detail
    )
