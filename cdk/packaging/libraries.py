"""Libraries for the functions' platform, of the versions that are locked."""

from __future__ import annotations

import csv
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cdk.packaging.binaries import PYTHON, is_compiled, misfits

IN_RUNTIME = frozenset({"boto3", "botocore"})
"""What Lambda's runtime brings along, with what it needs itself."""

NEEDS: dict[str, tuple[str, ...]] = {
    "aws_lambda_powertools": ("aws-lambda-powertools", "jmespath", "typing-extensions"),
    "aws_xray_sdk": ("aws-xray-sdk", "wrapt"),
    "jsonschema": (
        *("jsonschema", "attrs", "jsonschema-specifications", "referencing", "rpds-py"),
        "typing-extensions",
    ),
    "pydantic": (
        *("pydantic", "pydantic-core", "annotated-types", "typing-extensions"),
        "typing-inspection",
    ),
    "pydantic_core": ("pydantic-core", "typing-extensions"),
    "referencing": ("referencing", "attrs", "rpds-py", "typing-extensions"),
    "urllib3": ("urllib3",),
    "yaml": ("pyyaml",),
}
"""The distributions that a package is made of, by the package's name."""

_PLATFORMS = {
    "arm64": ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"),
    "x86_64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
}
"""Amazon Linux 2023 has glibc 2.34, so what is built for an older one runs."""
_UV_PLATFORMS = {"arm64": "aarch64-manylinux_2_28", "x86_64": "x86_64-manylinux_2_28"}
_FORM = 1
"""Of what is in a folder: it is fetched anew where this changes."""
_LEFT_OUT = (".pyc", ".pyi", ".pyx", ".pxd", ".c", ".h", "/py.typed", "/PKG-INFO")


class NotFetched(Exception):
    """The libraries are not there, or cannot be had; the text says what to do."""


@dataclass(frozen=True)
class Libraries:
    """Installed libraries: one folder with the metadata of each."""

    folder: Path

    @property
    def key(self) -> str:
        """What tells these libraries from others."""
        stamp = self.folder / "stamp"
        return (
            stamp.read_text()
            if stamp.is_file()
            else " ".join(sorted(path.name for path in self._known.values()))
        )

    @cached_property
    def _known(self) -> dict[str, Path]:
        """The folders of metadata, by the names of the distributions."""
        folders = self.folder.glob("*.dist-info")
        return {_normal(one.name.partition("-")[0]): one for one in folders}

    def files(self, packages: Iterable[str]) -> dict[str, Path]:
        """Return the files of packages, and of what they need, by their names in an archive.

        Raises KeyError for a package that nothing is known of.
        """
        return self.of({name for package in packages for name in NEEDS[package]})

    def of(self, distributions: Iterable[str]) -> dict[str, Path]:
        """Return the files of distributions, by their names in an archive."""
        found: dict[str, Path] = {}
        for name in sorted(set(distributions)):
            found.update(self._files_of(name))
        return found

    def everything(self) -> dict[str, Path]:
        """Return all files that there are, by their names in an archive."""
        found: dict[str, Path] = {}
        for info in sorted(self._known.values()):
            found.update(self._recorded(info))
        return found

    def _files_of(self, distribution: str) -> dict[str, Path]:
        if distribution not in self._known:
            raise NotFetched(f"{self.folder} does not hold the library {distribution}")
        return self._recorded(self._known[distribution])

    def _recorded(self, info: Path) -> dict[str, Path]:
        with (info / "RECORD").open(encoding="utf-8", newline="") as file:
            names = [row[0] for row in csv.reader(file) if row]
        found = {name: self.folder / name for name in names if _belongs(name)}
        for name in [one for one in found if is_compiled(one)]:
            # The same for other versions of Python, of which the last record says nothing.
            stem = name.rpartition("/")[2].partition(".")[0]
            for path in found[name].parent.glob(f"{stem}.*.so"):
                found[path.relative_to(self.folder).as_posix()] = path
        return found


@dataclass(frozen=True, slots=True)
class Wanted:
    """Libraries to have: those of a lock by their names, or all that requirements ask for.

    `names` None are all, of requirements that need not be locked. With several `pythons` compiled
    files are there for each of them.
    """

    source: Path
    architecture: str
    names: frozenset[str] | None
    pythons: tuple[tuple[int, int], ...] = (PYTHON,)

    @property
    def listed(self) -> str:
        """The requirements, with their hashes where they are locked."""
        text = self.source.read_text(encoding="utf-8")
        return text if self.names is None else "\n".join(_entries(text, self.names))

    @property
    def stamp(self) -> str:
        """What tells these libraries from others."""
        versions = " ".join(".".join(map(str, one)) for one in self.pythons)
        text = f"{_FORM} {versions} {self.architecture}\n{self.listed}"
        return hashlib.sha256(text.encode()).hexdigest()

    def is_in(self, folder: Path) -> bool:
        """Whether they are in a folder already."""
        stamp = folder / "stamp"
        return stamp.is_file() and stamp.read_text() == self.stamp


def for_functions(lock: Path, architecture: str) -> Wanted:
    """Return what the functions' archives are made with."""
    names = frozenset(name for needs in NEEDS.values() for name in needs)
    return Wanted(lock, architecture, names)


def fetch(wanted: Wanted, folder: Path) -> Libraries:
    """Return libraries in a folder, fetched anew if they are not there.

    Raises NotFetched where they cannot be had, or do not run on the functions' platform.
    """
    if wanted.is_in(folder):
        return Libraries(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching-") as place:
        target = Path(place, "libraries")
        listed = Path(place, "requirements.txt")
        listed.write_text(wanted.listed, encoding="utf-8")
        for python in wanted.pythons:
            one = Path(place, ".".join(map(str, python)))
            _install(listed, one, wanted, python)
            made = Libraries(one)
            wrong = misfits(made.everything(), wanted.architecture, python)
            if wrong:
                raise NotFetched("\n".join(["these files do not fit the functions:", *wrong]))
            # Only what is compiled differs, and is named after what it is compiled for.
            shutil.copytree(one, target, dirs_exist_ok=True)
        (target / "stamp").write_text(wanted.stamp)
        target.rename(folder)
    return Libraries(folder)


def installed() -> Libraries:
    """Return the libraries of the Python that runs this: they fit this machine, not Lambda."""
    import pydantic

    return Libraries(Path(pydantic.__file__).parents[1])


def _entries(lock: str, names: frozenset[str]) -> Iterator[str]:
    """Yield the entries of a lock, with their hashes and without comments."""
    for entry in re.split(r"\n(?=[A-Za-z0-9])", lock.strip()):
        if _normal(entry.partition("==")[0].strip()) in names:
            yield "\n".join(one for one in entry.split("\n") if not one.strip().startswith("#"))


def _install(listed: Path, target: Path, wanted: Wanted, python: tuple[int, int]) -> None:
    version = ".".join(map(str, python))
    uv = _program("uv")
    only = ["--only-binary", ":all:", "-r", str(listed)]
    if wanted.names is not None:
        only += ["--require-hashes", "--no-deps"]
    if uv is not None:
        command = [
            *(uv, "pip", "install", "--quiet", "--no-progress", "--target", str(target)),
            *("--python-platform", _UV_PLATFORMS[wanted.architecture]),
            *("--python-version", version, "--python", sys.executable, "--link-mode", "copy"),
        ]
    else:
        command = [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--target", str(target), "--implementation", "cp", "--python-version", version),
            *(f"--platform={one}" for one in _PLATFORMS[wanted.architecture]),
        ]
    done = subprocess.run([*command, *only], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise NotFetched(f"the libraries for {wanted.architecture} could not be fetched:\n{said}")


def _program(name: str) -> str | None:
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.is_file() else shutil.which(name)


def _belongs(name: str) -> bool:
    parts = name.split("/")
    return not (
        name.startswith(("..", "/"))
        or ".dist-info/" in name
        or name.endswith(_LEFT_OUT)
        or "tests" in parts[1:-1]
        or parts[0] == "bin"
    )


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
