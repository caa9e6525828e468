"""Workflows longer, wider and deeper than anybody writes: no pass follows them by recursion."""

from __future__ import annotations

import sys

import pytest

from bench.passes import compiled
from bench.workflows import SURROUNDINGS, chain, plain_workflow
from compiler.pipeline import compile_source
from compiler.source import Source

LONG = sys.getrecursionlimit() + 200


def nested(depth: int) -> str:
    """Return a workflow of parallel steps inside one another, with a script in each."""
    lines = ["name: nested", "steps:"]
    for level in range(depth):
        indent = "  " + "    " * level
        lines += [
            f"{indent}- id: p{level}",
            f"{indent}  type: parallel",
            f"{indent}  steps:",
            f"{indent}    - {{id: s{level}, run: echo}}",
        ]
    return "\n".join(lines) + "\n"


def test_a_chain_longer_than_the_recursion_limit_is_compiled():
    made = compiled(plain_workflow(chain(LONG)), SURROUNDINGS)

    assert {error.code for error in made.errors} <= {"definition-too-large", "too-many-events"}
    assert made.machines


def test_a_fork_as_wide_is_compiled():
    graph = [[], *([0] for _ in range(LONG)), list(range(1, LONG + 1))]

    assert compiled(plain_workflow(graph), SURROUNDINGS).machines


@pytest.mark.parametrize("depth", [30, 45])
def test_parallel_steps_thirty_deep_and_deeper_are_compiled(depth: int):
    made = compile_source(Source("nested.yaml", nested(depth)), SURROUNDINGS)

    assert made.ok, made.diagnostics
