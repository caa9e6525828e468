"""What holds for every test: no account, no network (see `addopts`), repeatable inputs in CI."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.fuzzing import FUZZ_INPUTS

# Set before any test imports boto3: no test may find a person's credentials or settings.
os.environ.update(
    AWS_ACCESS_KEY_ID="testing",
    AWS_SECRET_ACCESS_KEY="testing",
    AWS_SESSION_TOKEN="testing",
    AWS_DEFAULT_REGION="eu-central-1",
    AWS_EC2_METADATA_DISABLED="true",
    AWS_CONFIG_FILE=os.devnull,
    AWS_SHARED_CREDENTIALS_FILE=os.devnull,
)
os.environ.pop("AWS_PROFILE", None)
# The programs installed beside this Python come first: `stepsmith`, and perhaps Node.
os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))

# No deadline: one test's wall time says little on a machine that runs several at once.
settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "fuzz",
    max_examples=FUZZ_INPUTS,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
if "STEPSMITH_FUZZ" in os.environ:
    settings.load_profile("fuzz")
else:
    settings.load_profile("ci" if "CI" in os.environ else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know the option that writes golden files anew instead of comparing with them."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the files under tests/golden anew; read what changed before keeping it",
    )


TOGETHER = ("tests/stack/",)
"""Folders whose tests one worker runs: they share what takes long to make."""
FIRST = ("tests/stack/", "tests/browser/", "tests/bench/", "tests/docs/", "tests/test_wheel.py")
"""Where single tests take longest: begun last, one worker would work at them while others idle."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each file to one worker (`--dist loadfile`), and such a folder as if it were one."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    scheduler: Any = LoadFileScheduling(config, log)
    by_file = scheduler._split_scope

    def together(nodeid: str) -> str:
        shared = (folder for folder in TOGETHER if nodeid.startswith(folder))
        return next(shared, None) or str(by_file(nodeid))

    scheduler._split_scope = together
    config.option.loadscopereorder = False  # else files of many tests come first, slow or not
    return scheduler


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files whose tests take longest."""
    last = len(FIRST)

    def place(item: pytest.Item) -> int:
        return next((at for at, part in enumerate(FIRST) if item.nodeid.startswith(part)), last)

    items.sort(key=place)


_files_seen: set[Path] = set()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Spare the collector of cycles what earlier files have left for good.

    What they import and keep in caches only grows; walked again and again, it would take a fifth
    of the tests' time.
    """
    if item.path not in _files_seen:
        _files_seen.add(item.path)
        gc.collect()
        gc.freeze()


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are written, not compared."""
    return bool(request.config.getoption("--update-golden"))
