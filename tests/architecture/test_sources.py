"""What every Python file keeps to; the directions of imports are contracts in pyproject.toml."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.project import ROOT, files, shown, sources

MOST_LINES = 400
MOST_HANDLER_LINES = 60

# Files that may be longer, each with its reason.
LONGER: dict[str, str] = {}

OUTSIDE = frozenset(
    {"io", "os", "pathlib", "random", "secrets", "shutil", "socket", "subprocess", "sys"}
    | {"tempfile", "threading", "time", "urllib"}
)
OPENERS = frozenset({"open", "input", "print", "exec", "eval", "__import__"})


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def test_no_file_has_grown_too_long():
    """A file of more than 400 lines holds more than one thing."""
    lengths = {shown(path): _lines(path) for path in sources()}

    too_long = {name: n for name, n in lengths.items() if n > MOST_LINES and name not in LONGER}

    assert too_long == {}


def test_the_list_of_longer_files_is_current():
    """A file that is short again, or gone, leaves the list."""
    longer = {shown(path) for path in sources() if _lines(path) > MOST_LINES}

    assert set(LONGER) <= longer


def test_a_handler_only_decodes_calls_and_encodes():
    """What needs more than 60 lines is a use case."""
    too_long = [
        shown(path)
        for path in sorted((ROOT / "functions" / "handlers").glob("*.py"))
        if _lines(path) > MOST_HANDLER_LINES
    ]

    assert too_long == []


@pytest.mark.parametrize("path", list(sources()), ids=shown)
def test_every_file_is_python_3_11(path: Path):
    """The oldest Python that the project promises can read every file."""
    ast.parse(path.read_text(encoding="utf-8"), filename=str(path), feature_version=(3, 11))


def _reaches_outside(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            is_pure = all(alias.name.startswith("Pure") for alias in node.names)  # PurePath
            names = [] if is_pure else [node.module or ""]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names = [node.func.id] if node.func.id in OPENERS else []
        else:
            continue
        yield from (
            f"line {node.lineno}: {name}"
            for name in names
            if name in OPENERS or name.partition(".")[0] in OUTSIDE
        )


@pytest.mark.parametrize(
    "source",
    ["import os.path", "from pathlib import Path", "def f(p):\n    return open(p)", "print(1)"],
)
def test_reaching_outside_is_noticed(source: str):
    """The check below sees each of the ways out."""
    assert len(list(_reaches_outside(ast.parse(source)))) == 1


def test_the_compiler_and_the_protocol_are_pure():
    """Text in, values out: no file, no environment, no clock, no randomness, no printing."""
    found = {
        shown(path): outside
        for package in ("compiler", "protocol")
        for path in sorted((ROOT / package).rglob("*.py"))
        if (outside := list(_reaches_outside(ast.parse(path.read_text(encoding="utf-8")))))
    }

    assert found == {}


def test_the_protocol_needs_only_the_standard_library():
    """The protocol is shipped in every Lambda, so it brings nothing along."""
    allowed = sys.stdlib_module_names | {"protocol"}
    foreign = {
        f"{shown(path)}: {name}"
        for path in sorted((ROOT / "protocol").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imported(node)
        if name.partition(".")[0] not in allowed
    }

    assert foreign == set()


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module or ""]
    return []


# Spelt in two parts, so that this file passes its own test.
FORBIDDEN = tuple(
    "".join(parts)
    for parts in (
        ("registry.", "npmjs"),
        ("pypi", ".org"),
        ("files.python", "hosted"),
        ("/wo", "rk/"),
    )
)


def test_no_file_names_a_registry_or_a_path_of_one_machine():
    """Locks and files work on every machine, behind every mirror."""
    found = [
        f"{shown(path)}:{number}: {word}"
        for path in files()
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").split("\n"), start=1
        )
        for word in FORBIDDEN
        if word in line
    ]

    assert found == []
