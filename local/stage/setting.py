"""What a local stage is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from functions.ports import Carries
from local.people import People
from local.stage.time import Pace

if TYPE_CHECKING:
    from functions.domain.events import Event
    from functions.domain.task_messages import Message


@dataclass(frozen=True, slots=True)
class Setting:
    """What a stage is given.

    `api` is the address under which people reach it. `people` are there, `secrets` to be had,
    `actions` the project's own by name, `source` the folder steps work on; `keep` the folder
    that the stage's state comes from and goes to. `mail` is told of each mail, with its link;
    `fault` of what a function could not do, `refused` of each event that its workflow does not
    take, and `unheard` of the name of one that nobody listens to, with names that may be meant.
    `pace` is how time passes; `schedules` says whether schedules start runs.
    """

    api: str = "http://127.0.0.1"
    people: People = field(default_factory=People)
    secrets: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, Carries] = field(default_factory=dict)
    source: Path | None = None
    keep: Path | None = None
    mail: Callable[[Message], None] | None = None
    fault: Callable[[str], None] = lambda _: None
    refused: Callable[[Event], None] = lambda _: None
    unheard: Callable[[str, Sequence[str]], None] = lambda _, __: None
    pace: Pace = "jumping"
    schedules: bool = False
