"""State names: a step's own is its id, the others add a word behind a dot, which no id holds."""

from __future__ import annotations

from hashlib import sha256

from compiler.check.program import Step

LONGEST = 80
"""Characters in a state name (Step Functions service quotas)."""


class Names:
    """Gives each name once. A taken name gets a number, a long one is cut and hashed."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, step: Step, word: str | None) -> str:
        """Return the name of one of a step's states."""
        return self.take(step.id if word is None else f"{step.id}.{word}")

    def take(self, wanted: str) -> str:
        """Return `wanted`, or the nearest name that is still free."""
        number = 1
        name = fitting(wanted)
        while name in self._taken:
            number += 1
            name = fitting(f"{wanted}.{number}")
        self._taken.add(name)
        return name


def fitting(name: str) -> str:
    """Return the name, shortened with a hash where it is longer than a state name may be."""
    if len(name) <= LONGEST:
        return name
    digest = sha256(name.encode()).hexdigest()[:8]
    return f"{name[: LONGEST - 9]}.{digest}"
