"""Load moto's Step Functions parser without what it does not need.

The parser imports one enumeration of `moto.batch`, whose package imports all of `moto.ec2`:
600 ms for nothing. Its module is loaded here under an empty package instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType

_PACKAGE = "moto.batch"


def load() -> None:
    """Import the parser; a package `moto.batch` that is needed later is imported as ever."""
    if _PACKAGE in sys.modules:
        importlib.import_module("moto.stepfunctions.parser.models")
        return
    spec = importlib.util.find_spec("moto")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    empty = ModuleType(_PACKAGE)
    empty.__path__ = [f"{place}/batch" for place in spec.submodule_search_locations]
    sys.modules[_PACKAGE] = empty
    try:
        importlib.import_module("moto.stepfunctions.parser.models")
    finally:
        for name in [n for n in sys.modules if n == _PACKAGE or n.startswith(f"{_PACKAGE}.")]:
            del sys.modules[name]
