"""The reference leaves nothing out: every key, function, action and setting is on its pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from cli.project.settings import Settings, Stage
from compiler.expressions.functions import FUNCTIONS
from compiler.spec.written import parts, root, steps, triggers
from tests.docs.pages import ROOT

PAGES = ROOT / "docs" / "language"
MODULES = (parts, root, steps, triggers)


def text(*names: str) -> str:
    """Return the text of pages of the reference, all of them where none is named."""
    pages = [PAGES / f"{name}.md" for name in names] or sorted(PAGES.glob("*.md"))
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def keys() -> Iterator[tuple[str, str]]:
    """Yield the keys of all mappings of the language, each with what its mapping is called."""
    models = {one for module in MODULES for one in vars(module).values() if isinstance(one, type)}
    for model in models:
        if issubclass(model, BaseModel) and model is not BaseModel:
            for name, field in model.model_fields.items():
                key = field.alias or name
                if not key.startswith("<"):
                    yield key, getattr(model, "place", model.__name__)


def test_every_key_is_told():
    """In backquotes, or in an example."""
    told = set(re.findall(r"`([\w-]+)[`:]", text())) | set(re.findall(r"([\w-]+):", text()))

    assert sorted((where, key) for key, where in keys() if key not in told) == []


@pytest.mark.parametrize("model", [Settings, Stage], ids=lambda model: model.__name__)
def test_every_setting_is_told(model):
    told = set(re.findall(r"`([\w-]+)`", text("workflow"))) | {
        key for line in text("workflow").splitlines() for key in re.findall(r"([\w-]+):", line)
    }

    assert sorted(set(model.model_fields) - told) == []


def test_every_function_is_told():
    told = set(re.findall(r"`(\w+)\(", text("expressions")))

    assert sorted(told) == sorted(FUNCTIONS)


def test_every_action_is_told_with_its_inputs_and_outputs():
    catalogue = json.loads((ROOT / "functions/actions/catalogue.json").read_text("utf-8"))
    rows = {
        row[0]: [set(re.findall(r"`(\w+)`", cell)) for cell in row[2:4]]
        for line in text("actions").splitlines()
        if (row := re.findall(r"`([\w-]+)`", line)[:1] + line.split("|")[2:5])[1:]
    }

    assert {name: rows.get(name) for name in catalogue if name != "run"} == {
        name: [set(one["inputs"]["properties"]), set(one["outputs"]["properties"])]
        for name, one in catalogue.items()
        if name != "run"
    }
