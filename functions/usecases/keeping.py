"""What the machine itself carried out is only kept, as the wrapper keeps what an action gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.payloads import Json

if TYPE_CHECKING:
    from functions.domain.context import Context


@dataclass(frozen=True, slots=True)
class Keeping:
    """Stands for the action: gives nothing, since the call tells the outputs (`computed`)."""

    name: str
    files: tuple[str, ...] = ()
    reads_files: bool = False
    error_types: tuple[type[Exception], ...] = ()

    def may_repeat(self, raw: Mapping[str, Json]) -> bool:
        """Return that it may: it does nothing."""
        del raw
        return True

    def call(self, raw: Mapping[str, Json], context: Context) -> dict[str, Json]:
        """Return no outputs."""
        del raw, context
        return {}
