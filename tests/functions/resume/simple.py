"""Small workflows, and runs of them that have failed."""

from __future__ import annotations

from typing import Any

from tests.functions.resume.town import Does, Town


def script(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "run": f"echo {name}", **more}


def failing(*paths: str, **does: Any) -> Any:
    """Return what steps do where those at these paths fail."""
    bad = Does(**{"fails": "Broken", **does})
    return lambda path, _call: bad if path in paths else Does()


def failed(*steps: dict[str, Any], at: str, called: Any = None, **does: Any) -> Town:
    """Return a town in which a run has failed at a path."""
    town = Town({"steps": [*steps]}, **(called or {}))
    town.say = failing(at, **does)
    town.run()
    town.say = failing()
    return town


def whys(town: Town, **wishes: Any) -> dict[str, str]:
    """Return why each step runs again, or perhaps does."""
    plan = town.plan(**wishes).plan
    return {one.step: one.why for one in (*plan.again, *plan.perhaps)}


A, B, C, D = (script(name) for name in "abcd")
CHILD = {"steps": [script("c1"), script("c2"), script("c3")]}
CALLS = {"id": "calls", "type": "subworkflow", "workflow": "child", "inputs": {}}
