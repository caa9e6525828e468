"""What is synthesised once for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdk.model import Application
from tests.architecture.project import ROOT
from tests.cdk.synthesis import Templates, application_in, synthesised


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Application:
    """What is deployed of this repository in its stage `prod`, with stubs of the functions."""
    return application_in(ROOT, tmp_path_factory.mktemp("stubs"), "prod")


@pytest.fixture(scope="session")
def templates(shipped: Application, tmp_path_factory: pytest.TempPathFactory) -> Templates:
    """The templates of that."""
    return synthesised(shipped, Path(tmp_path_factory.mktemp("cdk.out")))
