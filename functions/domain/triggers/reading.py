"""What a trigger's type makes of an event, before its own filters and mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from functions.domain.triggers.incoming import Ignored, Incoming, Rejected
from protocol.manifest import TriggerManifest
from protocol.payloads import Json


@dataclass(frozen=True, slots=True)
class Reading:
    """An event: its identity, what expressions read as `event` and what it gives as inputs.

    `depth` is how many runs led to it, one by one; `is_payload`: it is also read as
    `event.detail`; `is_foreign`: nothing that it starts may see a secret.
    """

    id: str
    event: Json
    gives: Mapping[str, Json] = field(default_factory=dict)
    github: Mapping[str, Json] = field(default_factory=dict)
    started_by: str | None = None
    depth: int = 0
    is_payload: bool = False
    is_foreign: bool = False


Reader: TypeAlias = Callable[[TriggerManifest, Incoming], "Reading | Ignored | Rejected"]


def unreadable(detail: str) -> Rejected:
    """Return the answer to an event that is none of its source."""
    return Rejected(({"pointer": "", "detail": detail},))


def at(value: Json | Mapping[str, Json], *names: str) -> Json:
    """Return what is under a path of names; None where there is nothing."""
    here: Json | Mapping[str, Json] = value
    for name in names:
        here = here.get(name) if isinstance(here, Mapping) else None
    return dict(here) if isinstance(here, Mapping) else here


def text_at(value: Json | Mapping[str, Json], *names: str) -> str | None:
    """Return the text under a path of names; None where there is none, or an empty one."""
    found = at(value, *names)
    return found if isinstance(found, str) and found else None
