"""What is imported to be timed: each function, and nothing else."""

from __future__ import annotations

import importlib

from bench.imports import FUNCTIONS, ROOT, targets


def test_every_module_that_something_begins_with_is_timed():
    """`handler` is called by Lambda, `main` by a build; what has neither serves those that have."""
    modules = {path.stem for path in (ROOT / "functions/handlers").glob("[a-z]*.py")}
    loaded = {name: importlib.import_module(f"functions.handlers.{name}") for name in modules}

    begin = {name for name, one in loaded.items() if {"handler", "main"} & vars(one).keys()}

    assert begin == {*FUNCTIONS}


def test_what_is_timed_can_be_imported():
    for statement in targets().values():
        for module in statement.removeprefix("import ").split(", "):
            importlib.import_module(module)
