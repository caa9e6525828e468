"""The engines that emitted code is run on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.differential.engines import Reference, reference


@pytest.fixture(scope="session")
def node() -> Iterator[Reference]:
    """Reference JSONata in a node process."""
    engine = reference()
    yield engine
    engine.close()
