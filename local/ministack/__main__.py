"""Makes ministack's environment: `python -m local.ministack [FOLDER]`; prints its Python."""

from __future__ import annotations

import sys
from pathlib import Path

from local.ministack.server import StackFault, environment, usual_folder

try:
    made = environment(Path(sys.argv[1]) if sys.argv[1:] else usual_folder())
except StackFault as fault:
    sys.exit(str(fault))
sys.stdout.write(f"{made}\n")
