"""The machines of a stage: every version of every workflow, under its reference.

That is `id` for the highest (or only) version of an id, `id@version` for the others; the close
machine and chunks of a version follow it. What a machine starts is pinned to the version there
was when it was laid, so a run goes on with what it began with, whatever is laid meanwhile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from local.codebuild import localised
from local.engine import Engine, filled
from protocol.manifest import WorkflowManifest
from protocol.names import machine_name

STAGE = "local"
_MACHINE = re.compile(r"\$\{machine:([^{}\x22]+)\}")  # \x22: a quote


@dataclass(frozen=True, slots=True)
class Laid:
    """A version of a workflow: the reference that it is started by, its manifest, its machines.

    The machines are by their ids, its own first. `secrets` are those that its runs read.
    """

    reference: str
    manifest: WorkflowManifest
    machines: Mapping[str, Mapping[str, Any]]
    secrets: frozenset[str]


def manifests_of(workflows: Iterable[Laid]) -> dict[str, WorkflowManifest]:
    """Return manifests by all references: the highest version of an id has two."""
    found: dict[str, WorkflowManifest] = {}
    for one in workflows:
        version = one.manifest["version"]
        found[one.reference] = one.manifest
        found[f"{one.manifest['id']}@{version}" if version else one.manifest["id"]] = one.manifest
    return found


class Machines:
    """Lays machines; see the module."""

    def __init__(self, engine: Engine, fills: Mapping[str, str]) -> None:
        self._engine = engine
        self._fills = fills

    def lay(self, workflows: Iterable[Laid]) -> None:
        """Lay workflows; raises EngineFault for a placeholder that nothing stands for."""
        texts = {
            one.reference + machine.removeprefix(one.manifest["id"]): _text(one, definition)
            for one in workflows
            for machine, definition in one.machines.items()
        }
        pinned: dict[str, str] = {}
        for reference in texts:
            self._lay(reference, texts, pinned)

    def _lay(self, reference: str, texts: Mapping[str, str], pinned: dict[str, str]) -> None:
        """Lay a machine after those it starts, for `pinned` to know their versions."""
        if reference in pinned:
            return
        text = texts[reference]
        started = dict.fromkeys(_MACHINE.findall(text))
        for child in started:
            if child in texts:
                self._lay(child, texts, pinned)
        arns = {f"machine:{child}": pinned[child] for child in started if child in pinned}
        name = machine_name(STAGE, reference)
        pinned[reference] = self._engine.put(name, filled(text, {**self._fills, **arns}))


def _text(one: Laid, definition: Mapping[str, Any]) -> str:
    """Return a definition that calls the workflow's own other machines by its reference."""
    own = one.manifest["id"]

    def follow(found: re.Match[str]) -> str:
        name = found[1]
        if name in one.machines:
            name = one.reference + name.removeprefix(own)
        return f"${{machine:{name}}}"

    return _MACHINE.sub(follow, json.dumps(localised(definition)))
