"""Workflows to measure with: graphs of three shapes, and steps as a person writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from compiler.check import ActionContract, Surroundings
from compiler.document.nodes import Json

Graph: TypeAlias = "list[list[int]]"
"""For each step the earlier steps it depends on."""

LAYER = 10
SEED = 20


def chain(steps: int) -> Graph:
    """Return steps that run one after the other."""
    return [[step - 1] if step else [] for step in range(steps)]


def layers(steps: int) -> Graph:
    """Return layers of ten; each step needs one or two, at random, of the layer before."""
    random = Random(SEED)
    found: Graph = [[] for _ in range(min(steps, LAYER))]
    for step in range(LAYER, steps):
        start = step - step % LAYER - LAYER
        found.append(
            sorted(start + at for at in random.sample(range(LAYER), random.choice((1, 2))))
        )
    return found


def scattered(steps: int) -> Graph:
    """Return steps of which each needs up to three, at random, of all before it."""
    random = Random(SEED)
    return [
        sorted(random.sample(range(step), min(step, random.choice((0, 1, 1, 2, 3)))))
        for step in range(steps)
    ]


SHAPES: dict[str, Callable[[int], Graph]] = {"chain": chain, "layers": layers, "random": scattered}

LINES = 12
"""Lines of each step of `workflow`."""


def name_of(step: int) -> str:
    """Return the id of a step."""
    return f"deploy-{step:04}"


def workflow(graph: Sequence[Sequence[int]]) -> str:
    """Return a workflow of twelve-line steps: inputs, an earlier output, a condition, a retry."""
    return _HEAD + "".join(
        f"""\
  - id: {name_of(step)}
    action: roll-out
    depends_on: [{", ".join(name_of(need) for need in needs)}]
    condition: ${{{{ inputs.environment != 'none' }}}}
    inputs:
      service: service-{step:04}
      environment: ${{{{ inputs.environment }}}}
      image: {_image(needs)}
      replicas: 3
    timeout: 10m
    retry: {{max_attempts: 3, backoff: {{type: exponential, base_delay: 10s, max_delay: 5m}}}}
    on_error: {"continue" if step % 10 == 9 else "fail"}
"""
        for step, needs in enumerate(graph)
    )


def plain_workflow(graph: Sequence[Sequence[int]]) -> str:
    """Return a workflow of plain action steps with a retry, that read nothing of each other."""
    return _HEAD + "".join(
        f"""\
  - id: test-{step:04}
    action: run-tests
    depends_on: [{", ".join(f"test-{need:04}" for need in needs)}]
    inputs:
      environment: staging
    retry: {{max_attempts: 3, delay: 10s, backoff: 2}}
"""
        for step, needs in enumerate(graph)
    )


def _image(needs: Sequence[int]) -> str:
    if not needs:
        return "registry.example.com/shop:1.4.2"
    return f"${{{{ steps.{name_of(needs[0])}.outputs.image }}}}"


_HEAD = """\
id: roll-out-everything
name: Roll out everything
inputs:
  environment: {type: string, required: true}
steps:
"""

_TEXT: dict[str, Json] = {"type": "string"}

SURROUNDINGS = Surroundings(
    catalogue={
        "roll-out": ActionContract(
            inputs={
                "type": "object",
                "properties": {
                    "service": _TEXT,
                    "environment": _TEXT,
                    "image": _TEXT,
                    "replicas": {"type": "integer"},
                },
                "required": ["service", "environment", "image"],
                "additionalProperties": False,
            },
            outputs={
                "type": "object",
                "properties": {"image": _TEXT, "url": _TEXT},
                "required": ["image", "url"],
            },
            repeatable=True,
        ),
        "run-tests": ActionContract(
            inputs={"type": "object", "properties": {"environment": _TEXT}},
            outputs={"type": "object", "properties": {"report": _TEXT}},
            repeatable=True,
        ),
    }
)
"""The actions that the steps call, with their contracts."""
