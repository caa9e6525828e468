"""The archive of a build: the wrapper, the actions that it carries out, and all they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from cdk.packaging.builds import build_files
from cdk.packaging.libraries import installed
from functions.actions.catalogue import FILE
from protocol.names import ACTION_FILES

CATALOGUE = json.loads(FILE.read_text(encoding="utf-8"))


def test_a_build_brings_boto3_with_the_services_it_calls():
    found = build_files(installed())

    assert "functions/handlers/build.py" in found.files
    assert "boto3/__init__.py" in found.libraries
    services = {
        name.split("/")[2]
        for name in found.libraries
        if name.startswith("botocore/data/") and name.count("/") > 2
    }
    assert services == {"dynamodb", "s3", "secretsmanager", "sso", "sso-oidc", "sts"}


def test_a_build_brings_the_actions_that_it_carries_out(tmp_path: Path):
    (source := tmp_path / "greet.py").write_text(
        "from functions.domain.action import Action\nfrom functions.domain.junit import parse\n"
    )
    own, given = {"greet": "actions/greet.py"}, {"actions/greet.py": source.read_bytes()}
    alone = build_files(installed())
    found = build_files(installed(), ["build-artifact", "run-tests"], own, [source], given)

    for name in ("build_artifact", "run_tests"):
        assert f"functions/actions/{name}.py" in found.files
        assert f"functions/actions/{name}.py" not in alone.files
    assert "functions/domain/junit.py" in found.files  # which both need
    assert found.given["actions/greet.py"] == source.read_bytes()
    assert json.loads(found.given[ACTION_FILES]) == own
    assert ACTION_FILES not in alone.given
    assert not [name for name in found.files if "kubernetes" in name]


BUILT = sorted(name for name, one in CATALOGUE.items() if one["runner"] == "codebuild")


def test_what_is_in_a_build_s_archive_is_all_that_its_actions_import(tmp_path: Path):
    """Every module in it is imported by an interpreter that finds nothing else."""
    assert BUILT == ["build-artifact", "run-tests"]
    found = build_files(installed(), BUILT)
    for name, content in found.everything().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content) if isinstance(content, bytes) else path.symlink_to(content)
    modules = [f"functions.actions.{name.replace('-', '_')}" for name in ("run", *BUILT)]
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import " + ", ".join(
        ["functions.handlers.build", *modules]
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_program_that_a_build_starts_does_not_find_the_build_s_libraries(tmp_path: Path):
    """A project's tests are to import the versions that the project has installed."""
    found = build_files(installed())
    (tmp_path / "__main__.py").write_bytes(found.given["__main__.py"])
    (tmp_path / "functions" / "handlers").mkdir(parents=True)
    for package in ("functions", "functions/handlers"):
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "functions" / "handlers" / "build.py").write_text(
        "import os, subprocess, sys\n"
        "def main():\n"
        "    look = 'import sys; print(*sys.path, sep=chr(10))'\n"
        "    return subprocess.run([sys.executable, '-c', look], cwd='/').returncode\n"
    )
    (tmp_path / "build.sh").write_bytes(found.given["build.sh"])
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    done = subprocess.run(
        ["bash", str(tmp_path / "build.sh")],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip()
    assert str(tmp_path) not in done.stdout
