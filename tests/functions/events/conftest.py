from __future__ import annotations

import pytest

from tests.functions.events.kit import Stage, aws, manifest, trigger


@pytest.fixture
def calls():
    with aws() as calls:
        yield calls


@pytest.fixture
def deployed(calls):
    """Deploy workflows."""
    return lambda *manifests: Stage(calls, *manifests)


@pytest.fixture
def stage(deployed):
    """A workflow with a webhook."""
    return deployed(manifest(trigger()))
