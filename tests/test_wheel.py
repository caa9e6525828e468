"""The wheel, in an environment of its own: what comes with `pip install stepsmith` is enough.

The environment has the packages of this one, but none of its own files are in reach.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import time
import urllib.request
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
NODE = ROOT / "node_modules" / ".bin"
LIBRARIES = ROOT / "build" / "libraries"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, as `make dist` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "--directory"]
    subprocess.run([*command, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory):
    """An environment that the wheel is in, and a project made by its `stepsmith init`."""
    here = tmp_path_factory.mktemp("installed")
    env = here / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(env)], check=True)
    python = env / "bin" / "python"
    (packages,) = env.glob("lib/python*/site-packages")
    # Only the folder: what `.pth` files there lead to, such as this checkout, stays out of reach.
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--quiet", "install"]
    offline = ["--no-index", "--no-deps", "--no-compile", "--ignore-installed"]
    subprocess.run([*pip, *offline, str(wheel)], check=True)
    found = SimpleNamespace(packages=packages, bin=env / "bin", project=here / "greetings")
    _call(found, "stepsmith", "init", "greetings", cwd=here)
    return found


def _variables(installed: SimpleNamespace) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV", "AWS_"))}
    path = [str(installed.bin), str(NODE), os.environ["PATH"]]
    return {**kept, "PATH": os.pathsep.join(path), "HOME": str(installed.project.parent)}


def _call(installed: SimpleNamespace, *command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=cwd or installed.project,
        env=_variables(installed),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def test_all_that_is_no_python_is_in_the_wheel(wheel: Path):
    names = set(zipfile.ZipFile(wheel).namelist())

    console = {path.relative_to(ROOT).as_posix() for path in (ROOT / "console").rglob("*.*")}
    assert console <= names
    assert {
        "cdk/flags.json",
        "cdk/packaging/requirements.lock",
        "cli/starter/project/workflows/hello.yaml",
        "functions/actions/catalogue.json",
        "local/ministack/requirements.lock",
    } <= names
    assert not [name for name in names if name.startswith(("tests/", "bench/", "docs/", "build/"))]


def test_its_own_files_are_used(installed: SimpleNamespace):
    where = _call(installed, "python", "-c", "import cli; print(cli.__file__)").strip()

    assert Path(where).is_relative_to(installed.packages)


def test_a_new_project_runs_and_its_scenarios_pass(installed: SimpleNamespace):
    run = ("stepsmith", "run", "workflows/hello.yaml", "--format", "json")
    record = json.loads(_call(installed, *run, "--decide", "approve=approved"))

    assert record["status"] == "succeeded"
    assert "passed" in _call(installed, "stepsmith", "test")
    assert json.loads(_call(installed, "stepsmith", "schema"))["$schema"]


def test_dev_serves_the_api_and_the_console(installed: SimpleNamespace):
    log = installed.project / "dev.log"
    with log.open("w") as said:
        process = subprocess.Popen(
            ["stepsmith", "dev", "--port", "0"],
            cwd=installed.project,
            env=_variables(installed),
            stdout=said,
            stderr=said,
        )
    try:
        url = _address(log, process)
        with urllib.request.urlopen(f"{url}/", timeout=30) as page:
            assert b"js/main.js" in page.read()
        with urllib.request.urlopen(f"{url}/api/workflows", timeout=30) as answer:
            assert [one["id"] for one in json.load(answer)["items"]] == ["hello"]
    finally:
        process.terminate()
        process.wait(20)


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:[1-9]\d*", log.read_text())
        if found:
            return found[0]
        time.sleep(0.05)  # another process: there is nothing to wait on
    return pytest.fail(f"the stage is not there: {log.read_text()}")


@pytest.mark.skipif(not (NODE / "cdk").exists(), reason="there is no CDK command")
@pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the functions' libraries were not fetched")
def test_the_project_is_synthesised_without_network(installed: SimpleNamespace):
    build = installed.project / "build"
    build.mkdir(exist_ok=True)
    (build / "libraries").symlink_to(LIBRARIES)

    _call(installed, "cdk", "synth", "--quiet")

    stack = json.loads((installed.project / "cdk.out" / "stepsmith-dev.template.json").read_text())
    kinds = {one["Type"] for one in stack["Resources"].values()}
    assert {"AWS::Lambda::Function", "AWS::ApiGatewayV2::Api"} <= kinds
    with zipfile.ZipFile(build / "functions" / "api.zip") as archive:
        assert {"console/index.html", "manifests/hello.json"} <= {*archive.namelist()}
