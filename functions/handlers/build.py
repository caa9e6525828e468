"""What a build of CodeBuild runs: one step, by the wrapper that the functions of actions have.

The call comes as JSON in variables. What the step gave is stored, and the state machine asks the
function for it; the build itself only ends well or not.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from functions.handlers.action import handler_with
from functions.settings import Settings
from functions.wiring import action_wiring
from protocol import environment
from protocol.names import ACTION_FILES, BUILD_CALL

SCRIPTS = "run"
"""The action that a call is of which names none."""
ROOT = Path(__file__).parents[2]
"""Where the build's archive lies unpacked."""


def main() -> int:
    """Carry out the step in the environment and return the build's exit code."""
    call = json.loads(_told())
    name = str(call.get("action", SCRIPTS))
    file = _own().get(name)
    if file is not None:
        os.environ[environment.ACTION_FILE] = str(ROOT / file)
    handle = handler_with(lambda: name, lambda: action_wiring(Settings.read()))
    try:
        handle(call, None)
    except Exception as error:  # noqa: BLE001 (it is stored; here it only ends the build)
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
    return 0


def _told() -> str:
    """Take the call's text out of the environment, where it is in pieces if it is long."""
    pieces = [os.environ.pop(BUILD_CALL)]
    while (more := os.environ.pop(f"{BUILD_CALL}_{len(pieces)}", None)) is not None:
        pieces.append(more)
    return "".join(pieces)


def _own() -> dict[str, str]:
    """Return the files of the project's own actions in the archive, by the actions' names."""
    file = ROOT / ACTION_FILES
    if not file.is_file():
        return {}
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    sys.exit(main())
