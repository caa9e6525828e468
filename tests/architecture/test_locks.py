"""The locks pin everything with hashes, and keep up with what is declared."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from tests.architecture.project import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-node.lock")


def _entries(lock: str) -> list[str]:
    text = (ROOT / lock).read_text(encoding="utf-8")
    return re.split(r"\n(?=[a-z0-9])", text.strip())


def _pins(lock: str) -> set[str]:
    return {entry.split(" ", 1)[0] for entry in _entries(lock)}


def _names(lock: str) -> set[str]:
    return {pin.partition("==")[0] for pin in _pins(lock)}


def _name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None
    return re.sub(r"[-_.]+", "-", match[0]).lower()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_is_pinned_with_a_hash(lock: str):
    """With hashes for all, pip's --require-hashes accepts nothing else."""
    for entry in _entries(lock):
        assert re.match(r"[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", entry, re.DOTALL), entry


def test_the_engine_is_the_same_in_both_locks():
    """What the tests prove, they prove of what `make demo` installs."""
    assert _pins("requirements.lock") <= _pins("requirements-dev.lock")


def test_the_locks_hold_what_is_declared():
    """A dependency added to pyproject.toml needs `make lock`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    engine = project["project"]["dependencies"]
    deploy = project["project"]["optional-dependencies"]["deploy"]
    groups = project["dependency-groups"]
    dev = [item for item in groups["dev"] + groups["build"] if isinstance(item, str)]

    assert {_name(item) for item in engine + groups["build"]} <= _names("requirements.lock")
    assert {_name(item) for item in deploy + dev} <= _names("requirements-dev.lock")
    assert {_name(item) for item in groups["node"]} <= _names("requirements-node.lock")


def test_the_engine_does_without_the_deployment_tools():
    """`make demo` on a fresh clone does not download the CDK."""
    assert not _names("requirements.lock") & {"aws-cdk-lib", "jsii", "cfn-lint", "mypy"}


def test_the_node_tools_are_pinned_without_addresses():
    """Step Functions evaluates JSONata 2.0.6, so the reference is that version exactly."""
    declared = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    locked = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]

    assert declared["jsonata"] == locked["node_modules/jsonata"]["version"] == "2.0.6"
    assert locked[""]["devDependencies"] == declared
    assert [name for name, package in locked.items() if "resolved" in package] == []
    assert [name for name in locked if name and "integrity" not in locked[name]] == []
