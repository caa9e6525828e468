"""The small git repository that the demo's workflows work on."""

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
_CONFTEST = '''"""With ARTIFACT, the tests try what was built, else what lies here."""

import os
import sys
import tarfile

if artifact := os.environ.get("ARTIFACT"):
    with tarfile.open(artifact) as archive:
        archive.extractall("dist/unpacked", filter="data")
    sys.path.insert(0, os.path.abspath("dist/unpacked"))
'''
_MAKEFILE = """build:
\tmkdir -p dist
\ttar -czf dist/app.tar.gz greeter
"""
_MANIFEST = """apiVersion: v1
kind: Service
metadata: {name: greeter, namespace: staging}
spec:
  selector: {app: greeter}
  ports: [{name: http, port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: greeter, namespace: staging}
spec:
  replicas: 2
  selector: {matchLabels: {app: greeter}}
  template:
    metadata: {labels: {app: greeter}}
    spec:
      containers:
        - {name: greeter, image: "app:v1.1.0"}
"""
DEPLOYMENT = "/apis/apps/v1/namespaces/staging/deployments/greeter"
"""Where the cluster has what the manifest deploys."""
_CONFIGURATION = '[tool.pytest.ini_options]\npythonpath = ["."]\n'


def make(folder: Path, *, broken: bool) -> Path:
    """Make the repository, with a bug if `broken`, and return the path of its workflow."""
    package = _PACKAGE.replace("or 'world'", "or 'word'") if broken else _PACKAGE
    files = {
        "greeter/__init__.py": package,
        "tests/test_greeter.py": _TESTS,
        "conftest.py": _CONFTEST,
        "Makefile": _MAKEFILE,
        "deploy/staging.yaml": _MANIFEST,
        ".gitignore": "dist/\n__pycache__/\n",
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
