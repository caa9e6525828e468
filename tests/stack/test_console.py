"""The console, served by the deployed function, in a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stack.conftest import ALICE, BOB

pytestmark = pytest.mark.slow


def test_a_run_is_started_approved_and_seen_to_end(stage, visit):
    script = str(Path(__file__).with_name("console.mjs"))
    told = {"starter": BOB, "decider": ALICE, "version": "2.0.0", "title": "Deploy app-2.0.0?"}

    found = visit(script, stage.up.url, **told)

    assert json.loads(found["outputs"]) == {"url": "https://example.com/app-2.0.0"}
    assert "change person" in found["who"]
    assert found["axe"] == []
