"""Secrets of a local run: which it gets, and what keeps their values out of all that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO, cast

from cli.console import Misuse
from cli.here.secrets import FILE, secrets_here

if TYPE_CHECKING:
    from cli.project.compile_file import Compiled
    from functions.domain.masking import Masks


def given_secrets(
    names: Sequence[str], compiled: Compiled, environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the values of the secrets that a call names; Misuse where some have none here."""
    if not names:
        return {}
    here = secrets_here(compiled.project.root, environ)
    missing = [name for name in names if not here.get(name)]
    if missing:
        listed = ", ".join(f"'{name}'" for name in dict.fromkeys(missing))
        raise Misuse(
            f"no value for the secret {listed}\n"
            f"set it in the environment, or write NAME=value to {compiled.project.root / FILE}"
        )
    return {name: here[name] for name in names}


def not_given(names: Sequence[str], compiled: Compiled) -> list[str]:
    """Return a note for each secret that the workflow, or one it calls, reads and does not get."""
    users = {name: step for name, step in _users(compiled) if name not in names}
    return [
        f"note: '{step}' reads the secret '{name}': --secret {name} gives it"
        for name, step in users.items()
    ]


def _users(compiled: Compiled) -> Iterator[tuple[str, str]]:
    from cli.plan.overview import secrets_of

    for one in (compiled.own, *compiled.called.values()):
        if one.program is not None:
            for name, steps in secrets_of(one.program).items():
                yield name, steps[0]


class _Masked:
    """A stream that leaves secrets out of what is written to it."""

    def __init__(self, stream: TextIO, masks: Masks) -> None:
        self._stream = stream
        self._masks = masks

    def write(self, text: str) -> int:
        self._stream.write(self._masks.text(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


def masked(stream: TextIO, masks: Masks) -> TextIO:
    """Return a stream that takes lines and leaves secrets out of them."""
    return cast("TextIO", _Masked(stream, masks)) if masks else stream
