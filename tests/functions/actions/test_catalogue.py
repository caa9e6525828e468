"""The catalogue is what the actions declare, and the wiring knows every action in it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from cli.project.actions import Actions
from functions import wiring
from functions.actions import catalogue
from functions.domain.action import Action
from protocol.names import CATEGORIES, NEVER_RETRIED


def test_the_file_is_current():
    """`python -m functions.actions.catalogue` writes it anew."""
    assert catalogue.FILE.read_text(encoding="utf-8") == catalogue.text()


def test_the_wiring_knows_the_same_actions():
    entries = json.loads(catalogue.text())
    assert set(entries) == set(wiring.ACTIONS)
    for name, entry in entries.items():
        action = wiring.action(name)
        assert isinstance(action, Action)
        assert (action.name, action.repeatable) == (name, entry["repeatable"])


def test_an_action_that_is_unknown_is_a_key_error():
    with pytest.raises(KeyError):
        wiring.action("bake-cake")


@pytest.mark.parametrize("name", sorted(wiring.ACTIONS))
def test_a_declared_error_is_one_that_a_retry_may_name(name, tmp_path):
    declared = Actions(tmp_path)[name].error_types
    assert not set(declared) & {*CATEGORIES, *NEVER_RETRIED}


@pytest.mark.parametrize("name", ["run", "notify"])
def test_a_function_loads_its_own_action_only(name):
    """Import time counts: the others bring parsers and clients of their own."""
    script = (
        f"import sys; from functions import wiring; wiring.action({name!r});"
        "print(*(m for m in sys.modules if m.startswith('functions.actions.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    own = {f"functions.actions.{module}" for module in ("processes", "run", "notify", "web")}
    loaded = set(done.stdout.split())
    assert f"functions.actions.{wiring.ACTIONS[name]}" in loaded
    assert loaded <= own
