"""The commands, in the order that help lists them, each with the module that carries it out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: the module with its `add_arguments` and `run`, and what help says of it."""

    module: str
    about: str
    examples: tuple[str, ...]


COMMANDS: dict[str, Entry] = {
    "init": Entry(
        "cli.commands.init",
        "make a new project, or a new action in one",
        ("stepsmith init greetings", "stepsmith init --action greet"),
    ),
    "validate": Entry(
        "cli.commands.validate",
        "report every mistake in workflow files",
        (
            "stepsmith validate",
            "stepsmith validate workflows/ --format github",
            "stepsmith validate release.yaml --watch",
            "generate | stepsmith validate -",
        ),
    ),
    "compile": Entry(
        "cli.commands.compile",
        "print the state machine of a workflow",
        (
            "stepsmith compile release.yaml",
            "stepsmith compile release.yaml --out build/ --stage prod",
            "stepsmith compile release.yaml --compact | wc -c",
        ),
    ),
    "plan": Entry(
        "cli.commands.plan",
        "show what a workflow costs, takes and needs",
        (
            "stepsmith plan",
            "stepsmith plan release.yaml --stage prod",
            "stepsmith plan workflows/ --format json",
        ),
    ),
    "graph": Entry(
        "cli.commands.graph",
        "draw a workflow",
        (
            "stepsmith graph release.yaml > release.svg",
            "stepsmith graph release.yaml --format mermaid",
        ),
    ),
    "run": Entry(
        "cli.commands.run",
        "run a workflow on this machine",
        (
            "stepsmith run release.yaml",
            "stepsmith run release.yaml --input environment=staging --format json",
            "stepsmith run release.yaml --secret TOKEN --until build",
        ),
    ),
    "test": Entry(
        "cli.commands.test",
        "play the scenarios of workflows, and say what differs",
        (
            "stepsmith test",
            "stepsmith test workflows/release.test.yaml",
            "stepsmith test 'release.test.yaml:the review is late'",
            "stepsmith test --format junit > results.xml",
        ),
    ),
    "schema": Entry(
        "cli.commands.schema",
        "print the JSON Schema of workflow files, for editors",
        ("stepsmith schema > workflow.schema.json",),
    ),
    "explain": Entry(
        "cli.commands.explain",
        "explain a diagnostic code, with a wrong and a right example",
        ("stepsmith explain unknown-step", "stepsmith explain"),
    ),
}
