"""A state machine as Step Functions takes it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from compiler.document.nodes import Json
from compiler.source import Span


@dataclass(frozen=True, slots=True)
class StateMachine:
    """A definition in JSONata mode. `${...}` in it is filled in by the deployment.

    `source_map` tells for a step's id where it is written; a state's name begins with the id of
    its step, up to the first dot.
    """

    id: str
    definition: dict[str, Json]
    source_map: dict[str, Span]

    @property
    def part(self) -> str:
        """What it carries out of its workflow: nothing less (""), `close`, or items of a step."""
        return self.id.partition("--")[2]

    def to_json(self) -> str:
        """Return the definition without blanks, as it is deployed."""
        return json.dumps(self.definition, ensure_ascii=False, separators=(",", ":"))

    def pretty(self) -> str:
        """Return the definition indented, as people read it."""
        return json.dumps(self.definition, ensure_ascii=False, indent=2) + "\n"
