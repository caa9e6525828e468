"""Triggers as they stand in a manifest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from compiler.check.portable import portable
from compiler.check.program import Constant, Trigger, Value
from compiler.document.nodes import Json
from compiler.expressions import to_portable
from compiler.manifest.schedules import expression
from protocol.events import buses_of
from protocol.manifest import MappingManifest, TriggerManifest

if TYPE_CHECKING:
    from protocol.manifest import TriggerType


def trigger(one: Trigger) -> TriggerManifest:
    """Return a trigger, with what a deployment makes of it among its settings."""
    made: TriggerManifest = {
        "name": one.name,
        "type": cast("TriggerType", one.type),
        "settings": _settings(one),
        "inputs": [_mapping(name, value) for name, value in one.inputs],
        "condition": None if one.condition is None else to_portable(one.condition),
    }
    dedupe: dict[str, Json] = {}
    if one.key is not None:
        dedupe["key"] = portable(one.key)
    if one.window is not None:
        dedupe["window"] = one.window
    if dedupe:
        made["dedupe"] = dedupe
    return made


def _settings(one: Trigger) -> dict[str, Json]:
    settings = dict(one.settings)
    if one.type == "schedule":
        settings["expression"] = expression(settings)
    if "secret" in settings and settings["secret"] is None:
        settings["secret"] = _secret_of(one)
    if one.type == "event":
        pattern = settings["pattern"]
        assert isinstance(pattern, dict)
        settings["buses"] = [*buses_of(pattern)]
    return settings


def _secret_of(one: Trigger) -> str:
    """Return the name of a secret that the author left to us.

    All webhooks of GitHub may have one; any other sender has one of its own.
    """
    if one.type == "git-push":
        return GITHUB_SECRET
    return f"webhook-{re.sub(_NO_PART_OF_A_NAME, '-', one.name)}"


GITHUB_SECRET = "github-webhook"  # noqa: S105 (it is the name of one)
_NO_PART_OF_A_NAME = r"[^A-Za-z0-9/_+=.@-]"
"""https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html"""


def _mapping(name: str, value: Value) -> MappingManifest:
    if isinstance(value, Constant):
        return {"name": name, "computed": False, "value": value.value}
    return {"name": name, "computed": True, "value": portable(value)}
