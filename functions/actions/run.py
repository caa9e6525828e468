"""The `run` action: a bash script in a workspace of its own.

The script is run with `set -euo pipefail`. It gives outputs by writing to the file named by
`$GITHUB_OUTPUT`, as `name=value` or `name<<END`, several lines, `END`; outputs are text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from functions.actions.processes import Ended, Program, run_program
from functions.domain.action import Action
from functions.domain.context import Context
from functions.domain.errors import (
    ProgramNotFound,
    ScriptFailed,
    StepError,
    StepTimedOut,
    ValidationError,
)
from functions.domain.moments import lasted
from functions.domain.outputs import MOST_BYTES, parse_output_file
from functions.domain.telling import failure_text, telling_line
from protocol import environment

_COMMAND_NOT_FOUND = 127
_BY_BASH = re.compile(
    r"^script: line (\d+): (.+?): (?:command not found|No such file or directory)$", re.MULTILINE
)
_BY_ENV = re.compile(r"^env: ['‘]?([^'’:\n]+)['’]?: No such file or directory$", re.MULTILINE)


class Inputs(BaseModel):
    """A script; what it reads comes by its environment."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    script: str


class Outputs(BaseModel):
    """What the script wrote, by name."""

    model_config = ConfigDict(defer_build=True, extra="allow")
    __pydantic_extra__: dict[str, str]


def run(inputs: Inputs, context: Context) -> Outputs:
    """Run a script and return what it wrote.

    Raises ScriptFailed (with the exit code), ProgramNotFound (with the line), StepTimedOut, or
    ValidationError where what it wrote is no output file.
    """
    context.logs.mkdir(parents=True, exist_ok=True)
    written = context.workspace.parent / "outputs"
    written.touch()
    script = context.workspace.parent / "script"
    script.write_text(inputs.script, encoding="utf-8")
    ended = run_program(
        Program(
            arguments=("bash", "-euo", "pipefail", str(script)),
            directory=context.workspace,
            environment=_environment(context, written),
            seconds=context.seconds,
            logs=context.logs / f"attempt-{context.attempt}",
            mask=context.masks.text if context.masks else None,
        )
    )
    ended = replace(ended, stderr=ended.stderr.replace(f"{script.parent}/", ""))
    outputs = _written(written, ended)
    if ended.timed_out or ended.code != 0:
        raise _failure(ended, context, outputs)
    return Outputs.model_validate(outputs)


def _environment(context: Context, written: Path) -> dict[str, str]:
    return {
        **context.inherited,
        "CI": "true",
        environment.RUN_ID: context.run_id,
        environment.STEP_ID: context.step,
        environment.ATTEMPT: str(context.attempt),
        **context.env,
        environment.OUTPUT_FILE: str(written),
    }


def _written(path: Path, ended: Ended) -> dict[str, str]:
    if path.stat().st_size > MOST_BYTES:
        raise ValidationError(f"the output file is larger than {MOST_BYTES} bytes")
    try:
        return parse_output_file(path.read_text(encoding="utf-8", errors="replace"))
    except ValidationError:
        if ended.code != 0:  # cut off in the middle of a value: the exit code is the news
            return {}
        raise


def _failure(ended: Ended, context: Context, outputs: dict[str, str]) -> StepError:
    code = ended.code
    if ended.timed_out:
        text = failure_text(
            f"step '{context.step}' was stopped after {lasted(context.seconds)}",
            code,
            ended.stderr,
            ended.stdout,
        )
        return StepTimedOut(text, outputs=dict(outputs))
    if code == _COMMAND_NOT_FOUND:
        headline = _missing_program(ended.stderr)
        if headline is not None:
            text = failure_text(headline, code, ended.stderr, ended.stdout)
            return ProgramNotFound(text, status_code=code, outputs=dict(outputs))
    headline = telling_line(ended.stderr, ended.stdout)
    text = failure_text(
        headline or f"the script of step '{context.step}' failed without a word",
        code,
        ended.stderr,
        ended.stdout,
    )
    return ScriptFailed(text, status_code=code, outputs=dict(outputs))


def _missing_program(stderr: str) -> str | None:
    by_bash, by_env = _BY_BASH.findall(stderr), _BY_ENV.findall(stderr)
    if by_bash:
        line, program = by_bash[-1]
        return f"program '{program}' not found, called in line {line} of the script"
    return f"program '{by_env[-1]}' not found" if by_env else None


ACTION = Action(
    name="run",
    description="Runs a bash script in a workspace of its own; what a `run` step calls.",
    inputs=Inputs,
    outputs=Outputs,
    run=run,
    reads_files=True,
    error_types=(ScriptFailed, ProgramNotFound),
)
