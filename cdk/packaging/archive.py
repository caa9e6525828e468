"""Archives that are the same, byte for byte, whenever what goes into them is."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest that the format can say."""
_MODE = 0o100644 << 16
_FORM = 1
"""Of the archives: what is packed already is packed anew where this changes."""


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive, and how much it holds."""

    path: Path
    bytes: int
    unpacked: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What goes into an archive, by its names there.

    `libraries` are files that are the same as long as their names and `of` are.
    """

    files: Mapping[str, Path]
    libraries: Mapping[str, Path]
    of: str
    given: Mapping[str, bytes]

    def digest(self) -> str:
        """Return a digest of all of it."""
        found = hashlib.sha256(f"{_FORM}\n{zlib.ZLIB_RUNTIME_VERSION}\n{self.of}\n".encode())
        for name in sorted(self.libraries):
            found.update(f"{name}\n".encode())
        own: dict[str, Path | bytes] = {**self.files, **self.given}
        for name in sorted(own):
            found.update(f"{name}\0{hashlib.sha256(_bytes(own[name])).hexdigest()}\n".encode())
        return found.hexdigest()

    def everything(self) -> dict[str, Path | bytes]:
        """Return all of it: what is given last wins over a file of the same name."""
        return {**self.libraries, **self.files, **self.given}


def pack(target: Path, contents: Contents) -> Packed:
    """Write an archive, unless it is there.

    Beside it stands what it was made of; where that is the same, nothing is written.
    """
    made_of = contents.digest()
    note = target.with_suffix(".json")
    if target.is_file() and note.is_file():
        said = json.loads(note.read_text(encoding="utf-8"))
        if said["made_of"] == made_of:
            return Packed(target, target.stat().st_size, int(said["unpacked"]))
    target.parent.mkdir(parents=True, exist_ok=True)
    unpacked = _write(target, contents.everything())
    note.write_text(json.dumps({"made_of": made_of, "unpacked": unpacked}), encoding="utf-8")
    return Packed(target, target.stat().st_size, unpacked)


def _write(target: Path, entries: Mapping[str, Path | bytes]) -> int:
    unpacked = 0
    # Under a name of its own: somebody else may be packing the same.
    part = target.with_suffix(f".{os.getpid()}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(entries):
            content = _bytes(entries[name])
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = _MODE
            entry.create_system = 3  # as on every system but Windows
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            unpacked += len(content)
    part.replace(target)
    return unpacked


def _bytes(content: Path | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()
