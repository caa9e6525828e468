"""An action of the project's own, in a file that is deployed beside the functions' code."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from functions.ports import Carries


def own_action(file: Path) -> Carries:
    """Return the action in a file; raises what the file raises, and AttributeError without one."""
    name = f"stepsmith_own_action_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pydantic and dataclasses look annotations up
    spec.loader.exec_module(module)
    found: Carries = module.ACTION
    return found
