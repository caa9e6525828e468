"""The small git repository that the demo's workflow works on."""

from __future__ import annotations

import subprocess
from importlib import resources
from pathlib import Path

WORKFLOW = "release.yaml"

_PACKAGE = '''"""Greets people."""

VERSION = "1.2.0"


def greet(name: str) -> str:
    """Return a greeting; someone without a name is the world."""
    return f"Hello, {name.strip() or 'world'}!"
'''
_TESTS = """from greeter import greet


def test_greets_by_name():
    assert greet("Ada") == "Hello, Ada!"


def test_greets_the_world_where_there_is_no_name():
    assert greet("  ") == "Hello, world!"
"""
_CONFIGURATION = '[tool.pytest.ini_options]\npythonpath = ["."]\n'


def make(folder: Path, *, broken: bool) -> Path:
    """Make the repository, with a bug if `broken`, and return the path of its workflow."""
    package = _PACKAGE.replace("or 'world'", "or 'word'") if broken else _PACKAGE
    files = {
        "greeter/__init__.py": package,
        "tests/test_greeter.py": _TESTS,
        "pyproject.toml": _CONFIGURATION,
        WORKFLOW: resources.files("local.demo").joinpath(WORKFLOW).read_text(encoding="utf-8"),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings = ("user.name=Demo", "user.email=demo@example.com", "commit.gpgsign=false")
    git = ("git", "-C", str(folder), *(word for one in settings for word in ("-c", one)))
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "A greeter")):
        subprocess.run((*git, *command), check=True)
    return folder / WORKFLOW
