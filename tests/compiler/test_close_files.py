"""Which steps' files the calls of undos and handlers ask for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from textwrap import dedent
from typing import Any

from compiler.check import ActionContract
from tests.emitted import compiled

ANYTHING = {"type": "object"}
CATALOGUE = {
    "tell": ActionContract(ANYTHING, ANYTHING),
    "pack": ActionContract(ANYTHING, ANYTHING, reads_files=True, makes_files=True),
}


def files(text: str) -> dict[str, Any]:
    """Return what each call of the close machine asks for, by step; None: nothing."""
    made = compiled(dedent(text), catalogue=CATALOGUE, runner_programs=frozenset({"echo"}))
    found: dict[str, Any] = {}

    def look(value: Any) -> None:
        if isinstance(value, Mapping) and "step" in value and "inputs" in value:
            found[value["step"]] = value.get("files")
        for one in value.values() if isinstance(value, Mapping) else ():
            look(one)
        for one in value if isinstance(value, list) else ():
            look(one)

    look(json.loads(made.machines[1].to_json()))
    return found


STEPS = """
steps:
  - {id: build, action: pack, depends_on: []}
  - {id: beside, run: echo, artifacts: [b], depends_on: []}
  - {id: plain, run: echo, depends_on: []}
  - id: deploy
    run: echo
    artifacts: [c]
    depends_on: [build, plain]
    compensate: {id: undo, run: echo}
  - {id: book, run: echo, depends_on: [build], compensate: {id: undo_book, action: tell}}
"""


def test_an_undo_asks_for_the_files_of_its_step_and_of_those_before_it_its_own_last():
    found = files(STEPS)

    assert found == {"undo": ["build", "deploy"], "undo_book": None}


def test_a_handler_asks_for_the_files_of_all_steps_and_of_the_handlers_before_it():
    handlers = """
on_failure:
  - {id: first, run: echo, artifacts: [d], depends_on: []}
  - {id: second, run: echo, depends_on: [first]}
  - {id: third, action: tell, depends_on: [first]}
"""
    found = files(STEPS + handlers)

    everything = ["build", "beside", "deploy"]
    assert found["first"] == everything
    assert found["second"] == [*everything, "first"]
    assert found["third"] is None  # it reads no files, so its call does not name any


def test_where_no_step_leaves_files_a_call_is_no_longer():
    text = """
        steps:
          - {id: a, run: echo, compensate: {id: undo, run: echo}}
        on_failure: {id: tell, run: echo}
        """
    assert files(text) == {"undo": None, "tell": None}


def test_an_undo_of_an_item_asks_for_the_files_of_this_item():
    text = """
        steps:
          - {id: base, run: echo, artifacts: [a]}
          - id: each
            type: parallel
            for_each: [1, 2]
            steps:
              - {id: make, run: echo, artifacts: [b]}
              - id: use
                run: echo
                artifacts: [c]
                depends_on: [make]
                compensate: {id: undo, run: echo}
        """
    (base, *own) = files(text)["undo"]
    at = "$exists($undo_items[0]) ? $undo_items[0] : 0"

    assert base == "base"
    assert own == [f"{{% '{name}/' & $string(({at})) %}}" for name in ("make", "use")]
