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
        ("stepsmith init greetings", "stepsmith init .", "stepsmith init --action greet"),
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
            "stepsmith plan --against prod",
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
        "run a workflow on this machine, or on a deployed stage",
        (
            "stepsmith run release.yaml",
            "stepsmith run release.yaml --input environment=staging --format json",
            "stepsmith run release.yaml --secret TOKEN --until build",
            "stepsmith run release.yaml --keep kept",
            "stepsmith run release --on prod --input environment=production",
        ),
    ),
    "dev": Entry(
        "cli.commands.dev",
        "serve the API and the pages on this machine",
        (
            "stepsmith dev",
            "stepsmith dev examples/ --as alice@example.com --port 9000",
            "stepsmith dev --fast",
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
    "runs": Entry(
        "cli.commands.runs",
        "list the runs of a stage, or show the record of one",
        (
            "stepsmith runs",
            "stepsmith runs release-4f2a --keep kept",
            "stepsmith runs --status failed --on prod --format json",
        ),
    ),
    "logs": Entry(
        "cli.commands.logs",
        "show what the steps of a run said",
        ("stepsmith logs release-4f2a", "stepsmith logs release-4f2a --step build --on prod"),
    ),
    "tasks": Entry(
        "cli.commands.tasks",
        "list what waits for people, show a task, make a link to one",
        (
            "stepsmith tasks",
            "stepsmith tasks --mine --as alice@example.com",
            "stepsmith tasks show review --keep kept",
            "stepsmith tasks link review --for bob@example.com --on prod",
        ),
    ),
    "approve": Entry(
        "cli.commands.approve",
        "answer a task: yes, unless another answer is said",
        (
            "stepsmith approve review",
            "stepsmith approve review --comment fine --form window=night --keep kept",
            "stepsmith approve deploy --answer retry --as alice@example.com",
        ),
    ),
    "reject": Entry(
        "cli.commands.reject",
        "say no to a task",
        ("stepsmith reject review --comment 'not on a Friday'",),
    ),
    "resume": Entry(
        "cli.commands.resume",
        "go on with a run that is over, from where it failed",
        (
            "stepsmith resume release-4f2a --dry-run",
            "stepsmith resume release-4f2a --keep kept",
            "stepsmith resume release-4f2a --from deploy --on prod",
            "stepsmith resume release-4f2a --done charge",
        ),
    ),
    "cancel": Entry(
        "cli.commands.cancel",
        "end a run that goes on",
        ("stepsmith cancel release-4f2a", "stepsmith cancel release-4f2a --compensate --on prod"),
    ),
    "events": Entry(
        "cli.commands.events",
        "show what became of events, publish one, replay one",
        (
            "stepsmith events --duplicates",
            "stepsmith events show 3f2a9c",
            "stepsmith events send signup.json",
            "stepsmith events replay 3f2a9c --on prod",
        ),
    ),
    "disable": Entry(
        "cli.commands.disable",
        "let nothing start a workflow; its events wait",
        ("stepsmith disable release --on prod",),
    ),
    "enable": Entry(
        "cli.commands.enable",
        "let a disabled workflow start again",
        ("stepsmith enable release --on prod",),
    ),
    "build": Entry(
        "cli.commands.build",
        "pack what a deployment needs, and show how large it is",
        ("stepsmith build", "stepsmith build --stage prod"),
    ),
    "doctor": Entry(
        "cli.commands.doctor",
        "say what this machine lacks, and what to do about it",
        ("stepsmith doctor", "stepsmith doctor --on prod"),
    ),
    "prune": Entry(
        "cli.commands.prune",
        "delete versions in a stage that nothing needs any more",
        ("stepsmith prune --on prod --dry-run", "stepsmith prune --on prod --newest 3 --yes"),
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
