"""The API in front of an office with the real tables on moto."""

from __future__ import annotations

import pytest

from functions.http import resolver
from tests.functions.http.site import Site
from tests.functions.tasks.conftest import dynamodb, opened, scene, stream

__all__ = ["dynamodb", "opened", "scene", "stream"]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Answers that found nothing come at once, but for the test that is about their time."""
    monkeypatch.setattr(resolver, "ALIKE_SECONDS", 0)


@pytest.fixture
def site(scene):
    return Site(scene)


@pytest.fixture
def site_of():
    return Site
