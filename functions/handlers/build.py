"""What a build of CodeBuild runs: one step, by the wrapper that the function `run` has.

The call comes as JSON in a variable. What the step gave is stored, and the state machine asks the
function for it; the build itself only ends well or not.
"""

from __future__ import annotations

import json
import os
import sys

from functions.handlers.action import handler_with
from functions.settings import Settings
from functions.wiring import action_wiring

CALL = "STEPSMITH_CALL"


def main() -> int:
    """Carry out the step in the environment and return the build's exit code."""
    call = json.loads(os.environ.pop(CALL))
    handle = handler_with(lambda: "run", lambda: action_wiring(Settings.read()))
    try:
        handle(call, None)
    except Exception as error:  # noqa: BLE001 (it is stored; here it only ends the build)
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
