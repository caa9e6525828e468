"""Runs inside ministack's environment: mends it and starts it. See `local.ministack.server`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from importlib.metadata import version

VERSION = "1.5.33"
"""The version of ministack that the repairs were written for."""
_LOOK_SECONDS = 1.0


def main(*, is_repaired: bool = True) -> None:
    """Start ministack with its repairs, or as it comes; it runs until it is ended."""
    found = version("ministack")
    if found != VERSION:
        sys.exit(f"ministack is {found}, but what mends it was written for {VERSION}")
    if is_repaired:
        from local.ministack import functions, machines, resources, schedules

        functions.install()
        machines.install()
        resources.install()
        schedules.install()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    sys.argv = ["ministack"]
    from ministack.app import main as serve

    serve()


def _end_with(parent: int) -> None:
    """End when the process that started this one has ended, however it did."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os.killpg(os.getpgrp(), signal.SIGTERM)
