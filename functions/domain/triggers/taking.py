"""Take an event: from what came in to the input of a run, or why there is none."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from functions.domain.inputs import Checked, Problem, asked_for, checked
from functions.domain.triggers.incoming import (
    DEFAULT_WINDOW,
    Ignored,
    Incoming,
    Rejected,
    Taken,
)
from functions.domain.triggers.reading import Reading
from functions.domain.triggers.sources import READERS
from protocol.evaluate import evaluate, holds, text_of
from protocol.events import with_detail
from protocol.manifest import TriggerManifest, WorkflowManifest
from protocol.payloads import WITHHELD, Json, MachineInput

__all__ = ["Ignored", "Incoming", "Problem", "Rejected", "Taken", "take"]

_LONGEST_KEY = 1024
"""Bytes of a key as it is kept; DynamoDB takes 2,048, and the starter may add to it:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html"""
_SHOWN = 200


def take(
    manifest: WorkflowManifest,
    trigger: TriggerManifest,
    event: Incoming,
    *,
    checks: bool = True,
) -> Taken | Ignored | Rejected:
    """Return what an event is to a trigger of a workflow.

    Signatures have been verified before. Ignored events are those that the trigger's own filters
    or its condition leave out. With `checks` off, the inputs are neither held against the contract
    nor completed by its defaults: others do that.
    """
    read = READERS[trigger["type"]](trigger, event)
    if not isinstance(read, Reading):
        return read
    about: dict[str, Json] = {
        "name": trigger["name"],
        "type": trigger["type"],
        "event_id": read.id,
    }
    values: dict[str, Json] = {
        "event": with_detail(read.event) if read.is_payload else read.event,
        "trigger": about,
        "github": dict(read.github),
        "vars": manifest["vars"],
    }
    condition = trigger["condition"]
    if condition is not None and not holds(condition, values):
        return Ignored("the trigger's condition does not hold")
    key = _key(manifest, trigger, read, values)
    if isinstance(key, Rejected):
        return key
    given = asked_for(manifest["inputs"], _inputs(trigger, read, values))
    inputs = checked(manifest["inputs"], given) if checks else Checked(given)
    if inputs.problems:
        return Rejected(inputs.problems)
    window = trigger.get("dedupe", {}).get("window")
    return Taken(
        key=key,
        window=window if isinstance(window, int) else DEFAULT_WINDOW,
        given=_given(manifest, read, about, inputs.values),
    )


def _key(
    manifest: WorkflowManifest,
    trigger: TriggerManifest,
    read: Reading,
    values: Mapping[str, Json],
) -> str | Rejected:
    """Return what the event counts as one with others by."""
    dedupe = trigger.get("dedupe", {})
    # The two kinds of keys never meet: an id stands behind one slash, a key of the author's
    # behind two.
    own = f"/{read.id}"
    if "key" in dedupe:
        value = evaluate(dedupe["key"], values)
        if value is None or value == "":
            return _without_key(trigger)
        own = f"//{text_of(value)}"
    return _fitting(f"{manifest['id']}/{trigger['name']}{own}")


def _fitting(key: str) -> str:
    """Return a key, or what stands for one that is longer than a table takes."""
    if len(key.encode()) <= _LONGEST_KEY:
        return key
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{key[:_SHOWN]}#{digest}"


def _without_key(trigger: TriggerManifest) -> Rejected:
    told = f"`dedupe.key` of the trigger '{trigger['name']}' is null for this event"
    return Rejected(({"pointer": "", "detail": told},))


def _inputs(trigger: TriggerManifest, read: Reading, values: Mapping[str, Json]) -> dict[str, Json]:
    """Return the inputs: an expression always wins, then what the event gives, then a literal.

    Where a trigger maps inputs of a payload, those are all there are; a git push gives its own
    beside them.
    """
    mapped = {one["name"]: one for one in trigger["inputs"]}
    keeps = not mapped or trigger["type"] == "git-push"
    given = {name: value for name, value in read.gives.items() if keeps or name in mapped}
    for name, one in mapped.items():
        if one["computed"]:
            given[name] = evaluate(one["value"], values)
        elif given.get(name) is None:
            given[name] = one["value"]
    return given


def _given(
    manifest: WorkflowManifest,
    read: Reading,
    about: dict[str, Json],
    inputs: dict[str, Json],
) -> MachineInput:
    """Return the input of the execution; what the machine never reads stays behind."""
    run: dict[str, Json] = {
        "started_by": read.started_by,
        "event_id": read.id,
        "depth": read.depth,
    }
    if read.is_foreign:
        run["secrets"] = WITHHELD
    if read.github:
        # Of a pull request its own commit: GitHub knows the merged one only later.
        run["source"] = {
            "repository": read.github.get("repository"),
            "ref": read.gives.get("commit") or read.github.get("sha"),
        }
    made: MachineInput = {"inputs": inputs, "run": run, "trigger": about}
    carries = manifest["carries"]
    if "event" in carries:
        needs_detail = read.is_payload and "event.detail" in carries
        made["event"] = with_detail(read.event) if needs_detail else read.event
    if read.github and "github" in carries:
        kept = dict(read.github)
        if "github.event" not in carries:
            del kept["event"]
        made["github"] = kept
    return made
