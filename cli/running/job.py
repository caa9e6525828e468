"""A run on this machine, as it is handed to what carries it out."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.output.progress import Progress
    from cli.project.compile_file import Compiled
    from local.people import People
    from protocol.payloads import MachineInput


@dataclass(frozen=True, slots=True)
class Job:
    """A run to carry out on this machine: of what, on what, with whom, and who is told."""

    compiled: Compiled
    given: MachineInput
    source: Path
    secrets: Mapping[str, str]
    people: People
    progress: Progress
    arguments: argparse.Namespace
