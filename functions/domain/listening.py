"""Who listens to an event of the stage's bus, by its name alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from protocol.events import SOURCE
from protocol.manifest import WorkflowManifest
from protocol.patterns import OR, is_alternatives, matches
from protocol.payloads import Json

Pattern = Mapping[str, Json]
_NAME, _SOURCE = "detail-type", "source"
_MOST_NEAR = 3


def asked_for(manifest: WorkflowManifest) -> Iterator[tuple[str, Pattern]]:
    """Yield the event triggers of a workflow, each name with its pattern."""
    for trigger in manifest["triggers"]:
        pattern = trigger["settings"].get("pattern")
        if trigger["type"] == "event" and isinstance(pattern, dict):
            yield trigger["name"], pattern


def hears(pattern: Pattern, name: str) -> bool:
    """Return whether a pattern can let through what is published under a name.

    What else it asks for is left out: that is for each event to say.
    """
    either = pattern.get(OR)
    if isinstance(either, list) and is_alternatives(either):
        others = [one for one in either if isinstance(one, dict)]
        if not any(hears(one, name) for one in others):
            return False
    told = {key: pattern[key] for key in (_NAME, _SOURCE) if key in pattern}
    return matches(told, {_SOURCE: SOURCE, _NAME: name})


def near(name: str, patterns: Iterable[Pattern]) -> list[str]:
    """Return the names that patterns ask for and somebody may have meant, the likeliest first."""
    lower: dict[str, str] = {}
    for pattern in patterns:
        names = pattern.get(_NAME)
        for one in names if isinstance(names, list) else ():
            if isinstance(one, str):
                lower.setdefault(one.lower(), one)
    return [lower[one] for one in get_close_matches(name.lower(), lower, _MOST_NEAR)]
