"""What is read behind a latch is what was written before it, wherever reader and writer stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.emitted import Happens, compiled, run


def told_to(steps: list[dict[str, Any]], happens: Mapping[str, Happens], reader: str) -> Any:
    """Return the environment that a step is given in a workflow that has a latch."""
    made = compiled({"name": "w", "steps": steps})
    assert made.plan is not None
    assert made.plan.latches
    payloads = [c.arguments["Payload"] for c in run(made, dict(happens)).played.calls]
    return next(payload["env"] for payload in payloads if payload.get("step") == reader)


def script(name: str, *needs: str, reads: tuple[str, ...] = (), **also: Any) -> dict[str, Any]:
    """Return a script that gives `o` and reads status and output of others."""
    env = {f"{r}_s": f"${{{{ steps.{r}.status }}}}" for r in reads}
    env |= {f"{r}_o": f"${{{{ steps.{r}.outputs.o }}}}" for r in reads}
    return {"id": name, "run": "true", "depends_on": list(needs), "outputs": {"o": name},
            "env": env, **also}  # fmt: skip


def test_a_value_that_came_through_a_latch_into_a_branch_is_read_behind_the_join():
    """The branch that waited hands on what the latch gave."""
    steps = [
        script("p"),
        script("q", "p"),
        script("s"),
        script("c1", "s", "p"),
        script("c2", "s"),
        script("r", "c1", "c2", reads=("p",)),
    ]
    assert told_to(steps, {}, "r") == {"p_s": "succeeded", "p_o": "p"}


def test_who_runs_behind_a_skipped_wait_reads_what_there_is():
    """A wait that ends in a skip brings no values, so none does where someone reads behind it."""
    steps = [
        script("a"),
        script("b"),
        script("near_a", "a"),
        script("both", "a", "b"),
        script("near_b", "b"),
        script("last", "both", reads=("a", "b"), condition="always()"),
    ]
    found = told_to(steps, {"b": Happens("failed")}, "last")
    assert found == {"a_s": "succeeded", "a_o": "a", "b_s": "failed", "b_o": None}
    found = told_to(steps, {"a": Happens("failed")}, "last")
    assert found == {"a_s": "failed", "a_o": None, "b_s": "succeeded", "b_o": "b"}


def test_the_children_of_a_block_are_read_across_a_latch():
    """The block signals for its children too."""
    block = {"id": "p", "type": "parallel", "depends_on": [], "steps": [script("child")]}
    steps = [
        block,
        script("q", "p"),
        script("s"),
        script("c1", "s", "p", reads=("child",), condition="steps.child.status != 'skipped'"),
        script("c2", "s"),
        script("r", "c1", "c2"),
    ]
    assert told_to(steps, {}, "c1") == {"child_s": "succeeded", "child_o": "child"}
