"""The page of scenarios tells of every key that a scenario file may have, and shows it at work."""

from __future__ import annotations

import re

import pytest
import yaml
from pydantic import BaseModel

from cli.scenarios import written
from tests.docs.pages import ROOT, blocks

PAGE = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
PARTS = [
    one
    for one in vars(written).values()
    if isinstance(one, type)
    and issubclass(one, BaseModel)
    and one.__module__ == "cli.scenarios.written"
]


def keys_in(value: object) -> set[str]:
    """Return the keys of all mappings in a value."""
    if isinstance(value, dict):
        return {str(key) for key in value} | {key for one in value.values() for key in keys_in(one)}
    if isinstance(value, list):
        return {key for one in value for key in keys_in(one)}
    return set()


SHOWN = {
    key
    for block in blocks(PAGE)
    if block.says.get("file", "").endswith(".test.yaml")
    for key in keys_in(yaml.safe_load(block.text))
}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_key_is_shown_in_a_scenario_that_is_played(part):
    assert set(part.model_fields) - SHOWN == set()


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_key_is_told(part):
    table = PAGE[PAGE.index("## What a case says") :]
    told = set(re.findall(r"`(\w+)[`:]", table)) | {
        word
        for list_ in re.findall(r"`\w*:? ?\{([\w, ]+)\}`", table)
        for word in re.findall(r"\w+", list_)
    }

    assert set(part.model_fields) - told - {"workflow", "cases", "name"} == set()
