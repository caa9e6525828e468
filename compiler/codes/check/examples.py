"""Small workflow files for the examples of codes."""

from __future__ import annotations


def file(*lines: str) -> str:
    """Return a workflow file with these lines under its name."""
    return "\n".join(("name: Hello", *lines)) + "\n"


def steps(*lines: str) -> str:
    """Return a workflow with these lines of steps."""
    return file("steps:", *(f"  {line}" for line in lines))


def condition(condition: str) -> str:
    """Return two steps, the second with a condition."""
    return steps(
        "- id: build",
        "  run: echo built",
        "- id: report",
        "  run: echo reported",
        f"  condition: {condition}",
    )


def handler(first: str, second: str) -> str:
    """Return a step and a handler, each with a script."""
    return file(
        "steps:",
        "  - id: build",
        f"    run: {first}",
        "on_failure:",
        "  - id: clean",
        f"    run: {second}",
    )


def call(workflow: str, *inputs: str) -> str:
    """Return a step that calls a workflow."""
    lines = ("- id: build", "  type: subworkflow", f"  workflow: {workflow}")
    return steps(*lines, *(("  inputs:", *(f"    {line}" for line in inputs)) if inputs else ()))


def test(*inputs: str) -> str:
    """Return a step that runs tests with these inputs."""
    return steps(
        "- id: test", "  action: run-tests", "  inputs:", *(f"    {line}" for line in inputs)
    )


def put(*inputs: str) -> str:
    """Return a step that puts an item into a table."""
    return steps(
        "- id: put",
        "  action: aws:dynamodb:putItem",
        "  inputs:",
        *(f"    {line}" for line in inputs),
    )


def review(*lines: str) -> str:
    """Return a manual step."""
    return steps(
        "- id: review", "  type: manual", "  title: Look at it", *(f"  {line}" for line in lines)
    )


def retry(*lines: str) -> str:
    """Return a step with a retry."""
    return steps("- id: fetch", "  run: curl -f https://example.com", "  retry:", *lines)


def limited(timeout: str, *lines: str) -> str:
    """Return a workflow with a timeout."""
    return file(f"timeout: {timeout}", "steps:", *(f"  {line}" for line in lines))


def two(depends_on: str) -> str:
    """Return two steps, the second with `depends_on`."""
    return steps(
        "- id: build",
        "  run: echo built",
        "- id: test",
        "  run: echo tested",
        f"  depends_on: [{depends_on}]",
    )


def block(*after: str) -> str:
    """Return a parallel step, and lines after it."""
    return steps(
        "- id: regions",
        "  type: parallel",
        "  steps:",
        "    - id: east",
        "      run: echo east",
        "    - id: west",
        "      run: echo west",
        *after,
    )


EACH = ("- id: each", "  type: parallel", "  for_each: [1, 2]", "  steps:")
MAKES = ("- id: build", "  run: make dist/app.tar.gz", "  depends_on: []")
MADE = ("  artifacts: [dist/app.tar.gz]", "- id: test", "  action: run-tests")
READS = ("  inputs:", "    artifact: dist/app.tar.gz")
HOST = (
    "- {id: plan, run: ./plan}",
    "- {id: host, run: ./host, depends_on: [plan], condition: run.attempt == 1}",
)
PARTS = ("- id: build", "  run: echo built", "- id: clean", "  run: echo cleaned")
