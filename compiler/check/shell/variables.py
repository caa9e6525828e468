"""Names of the environment variables that hold an expression's value."""

from __future__ import annotations

import re
from collections.abc import Collection

from compiler.expressions import Expr, Ref, references

_PREFIX = "SS_"
_USED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NO_NAME = re.compile(r"[^A-Z0-9]+")
_LEFT_OUT = frozenset({"outputs", "inputs"})
_LONGEST = 60


class Names:
    """Gives each expression of a script one name, none that the script uses itself."""

    def __init__(self, script: str, taken: Collection[str]) -> None:
        self._used = {name for name in _USED.findall(script) if name.startswith(_PREFIX)}
        self._used.update(taken)
        self._names: dict[str, str] = {}

    def of(self, expr: Expr) -> tuple[str, bool]:
        """Return the name of an expression, and whether it is given for the first time."""
        # Not the expression itself: for Python 1 and true are alike.
        key = repr(expr)
        if key in self._names:
            return self._names[key], False
        base = name = _PREFIX + plain_name(expr)
        number = 1
        while name in self._used:
            number += 1
            name = f"{base}_{number}"
        self._used.add(name)
        self._names[key] = name
        return name, True


def plain_name(expr: Expr) -> str:
    """Return what an author might call a variable for an expression: `HEAD_REF`, `VERSION`."""
    refs = (expr,) if isinstance(expr, Ref) else references(expr)
    keys = [str(key) for key in refs[0].keys if key not in _LEFT_OUT] if refs else []
    if refs and not keys:
        keys = [refs[0].root]
    name = _NO_NAME.sub("_", "_".join(keys).upper()).strip("_")[:_LONGEST].strip("_")
    if not name:
        return "VALUE"
    return f"VALUE_{name}" if name[0].isdigit() else name
