"""Where scripts and actions are carried out: by a function of Lambda or a build of CodeBuild."""

from __future__ import annotations

from typing import Literal, TypeAlias

from compiler.check.checker import Checker
from compiler.check.shell import programs
from compiler.check.suggest import listed
from compiler.check.surroundings import ActionContract
from compiler.check.timing import LAMBDA_SECONDS, is_deadline
from compiler.spec import ActionStep, RunStep

Chosen: TypeAlias = tuple[Literal["lambda", "codebuild"], str]
"""A runner, and why it is this one, for `plan`."""


def runner_of_script(checker: Checker, step: RunStep) -> Chosen:
    """Return where a script runs."""
    written = _written(step)
    if written is not None:
        return written
    has = checker.context.surroundings.runner_programs
    missing = dict.fromkeys(
        name for name, _ in programs(checker.context.script(step.run)) if name not in has
    )
    if missing:
        return "codebuild", f"it calls {listed(missing)}"
    is_long = step.timeout is not None and step.timeout > LAMBDA_SECONDS
    if is_long and not is_deadline(checker, step):
        return "codebuild", "its timeout is longer than the 15 minutes of Lambda"
    return "lambda", "the runner has every program that it calls"


def runner_of_action(checker: Checker, step: ActionStep, contract: ActionContract) -> Chosen:
    """Return where an action runs: on Lambda, unless it says itself that it is for CodeBuild."""
    if contract.runner == "lambda":
        _check_on_lambda(checker, step)
        return "lambda", ""
    runner, why = _written(step) or ("codebuild", f"'{step.action}' is an action for CodeBuild")
    if step.callback and contract.hands_on_callback and runner == "codebuild":
        checker.error(
            "wrong-runner",
            checker.context.span((*step.path, "callback")),
            f"'{step.action}' runs on CodeBuild, where no action hands on a callback",
            "leave `callback` out, or write `runner: lambda`",
        )
    return runner, why


def _written(step: RunStep | ActionStep) -> Chosen | None:
    """Return what the step says itself, or the file's defaults for it."""
    if step.runner is not None:
        return step.runner, f"`runner: {step.runner}`"
    return None if step.image is None else ("codebuild", f"`image: {step.image}`")


def _check_on_lambda(checker: Checker, step: ActionStep) -> None:
    """Report where a step asks for CodeBuild; the defaults of a file ask no such action."""
    for key, value in (("runner", step.runner), ("image", step.image)):
        node = checker.context.node((*step.path, key))
        if node is not None and value is not None and value != "lambda":
            checker.error(
                "wrong-runner",
                node.span,
                f"'{step.action}' is no action for CodeBuild, it runs on Lambda alone",
                f'leave `{key}` out; an action of your own says `runner="codebuild"`',
            )
