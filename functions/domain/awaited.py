"""What a step that waits for an event gets of one."""

from __future__ import annotations

from protocol.evaluate import holds
from protocol.events import is_by_name, is_published, read_as, with_detail
from protocol.patterns import matches
from protocol.payloads import Json


def awaited(subject: Json, event: Json) -> tuple[Json] | None:
    """Return what the wait's step reads as `event`, None where it does not wait for this one.

    `subject` is what the wait is about: `pattern`, `match`, and `contexts`, what `match` reads
    beside the event; and `since` and `not`, which `counts` asks for.
    """
    if not isinstance(subject, dict) or not isinstance(event, dict):
        return None
    pattern = subject.get("pattern")
    if not isinstance(pattern, dict) or not matches(pattern, event):
        return None
    read, contexts = read_as(pattern, event), subject.get("contexts")
    event_read = with_detail(read) if is_by_name(pattern) else read
    values = {**(contexts if isinstance(contexts, dict) else {}), "event": event_read}
    if is_by_name(pattern):
        values["event"] = with_detail(read)
    match = subject.get("match")
    return (read,) if match is None or holds(match, values) else None


def identity(event: dict[str, Json]) -> str | None:
    """Return an event's own identity; None where it has none."""
    detail = event.get("detail")
    own = detail.get("event_id") if isinstance(detail, dict) and is_published(event) else None
    found = own or event.get("id")
    return found if isinstance(found, str) else None
