"""Compiled files: whether the functions' Python can load them.

https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

PYTHON = (3, 13)
"""The version of the functions' runtime, https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html"""

_MACHINES = {0x3E: "x86_64", 0xB7: "arm64"}
_NAMES = {"x86_64": "x86_64", "arm64": "aarch64"}
_TAG = re.compile(r"\.(?:cpython-(?P<version>\d+)-(?P<platform>[A-Za-z0-9_-]+)|abi3)\.so$")
_HEADER = 20


def is_compiled(name: str) -> bool:
    """Whether a file is compiled code, by its name."""
    return name.endswith((".so", ".pyd", ".dylib")) or ".so." in name


def misfits(
    files: Mapping[str, Path], architecture: str, python: tuple[int, int] = PYTHON
) -> list[str]:
    """Return a line for each compiled file that the functions cannot load.

    `architecture` is Lambda's name of it, `arm64` or `x86_64`.
    """
    found = []
    for name, path in sorted(files.items()):
        if is_compiled(name):
            why = _misfit(name, path, architecture, python)
            if why is not None:
                found.append(f"{name}: {why}")
    return found


def _misfit(name: str, path: Path, architecture: str, python: tuple[int, int]) -> str | None:
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if header[:4] != b"\x7fELF":
        return "it is compiled for another system than Linux"
    machine = int.from_bytes(header[18:20], "little" if header[5] == 1 else "big")
    built_for = _MACHINES.get(machine, f"the machine {machine:#x}")
    if built_for != architecture:
        return f"it is compiled for {built_for}, but the functions run on {architecture}"
    tag = _TAG.search(name)
    if tag is None or tag["version"] is None:
        return None
    wanted = "".join(map(str, python))
    if tag["version"] != wanted:
        return f"it is compiled for Python {tag['version']}, but the functions run on {wanted}"
    if tag["platform"] != f"{_NAMES[architecture]}-linux-gnu":
        return f"it is compiled for {tag['platform']}"
    return None
