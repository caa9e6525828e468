"""The `run-tests` action: runs the tests of the source; those that fail are named."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from functions.actions.commands import needed, run_command
from functions.actions.processes import Ended
from functions.domain.action import Action
from functions.domain.context import Context
from functions.domain.errors import ArtifactNotFound, ProgramNotFound, StepError
from functions.domain.junit import Results, parse
from functions.domain.telling import failure_text, telling_line

_COMMAND = "pytest"
REPORT = "JUNIT_XML"
"""The variable that tells any test runner where its report is looked for."""
_PLACES = ("junit.xml", "test-results/*.xml", "reports/junit*.xml", "target/surefire-reports/*.xml")
_FOUND_NO_TESTS = 5
"""https://docs.pytest.org/en/stable/reference/exit-codes.html"""
_NOT_FOUND = 127
_NO_PYTEST = (
    "program 'pytest' not found: let `command` install what the tests need, such as "
    "'pip install pytest && pytest', or name an `image` that has it"
)
"""What CodeBuild's own images tell; they have pip."""


class TestSuiteError(StepError):
    """Tests failed, or could not be run."""

    __test__ = False  # pytest is not to take it for a class of tests


class Inputs(BaseModel):
    """Which tests, of what."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    artifact: str | None = Field(
        None, description="The file to be tested, given to the tests as ARTIFACT"
    )
    environment: str | None = Field(None, description="Given to the tests as ENVIRONMENT")
    command: str | None = Field(
        None, description="What runs them (default: pytest)", json_schema_extra={"format": "shell"}
    )


class Outputs(BaseModel):
    """How many tests there were; null where the command wrote no report in JUnit's form."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    tests: int | None
    passed: int | None
    failed: int | None
    skipped: int | None


def run(inputs: Inputs, context: Context) -> Outputs:
    """Run the tests and return their numbers.

    Raises TestSuiteError, whose details are the tests that failed; ArtifactNotFound where the
    file to be tested is not there; StepTimedOut.
    """
    command = inputs.command or _COMMAND
    report = context.workspace.parent / "junit.xml"
    variables = {REPORT: str(report), "PYTEST_ADDOPTS": _options(context, report)}
    if inputs.artifact is not None:
        variables["ARTIFACT"] = str(needed(inputs.artifact, context))
    if inputs.environment is not None:
        variables["ENVIRONMENT"] = inputs.environment
    before = _reports(context.workspace)
    ended = run_command(command, context, variables)
    results = _results(report, before, context.workspace)
    if ended.code != 0 or (results is not None and results.failed):
        raise _failure(command, ended, results)
    if results is None:
        return Outputs(tests=None, passed=None, failed=None, skipped=None)
    return Outputs(tests=results.tests, passed=results.passed, failed=0, skipped=results.skipped)


def _options(context: Context, report: Path) -> str:
    """Return what pytest is told beside its command line; what the step says stays."""
    own = context.setting("PYTEST_ADDOPTS") or ""
    return f"{own} --junitxml='{report}'".strip()


def _reports(workspace: Path) -> dict[Path, int]:
    """Return the reports in the usual places and when they were written."""
    found = (path for place in _PLACES for path in workspace.glob(place))
    return {path: path.stat().st_mtime_ns for path in found}


def _results(report: Path, before: dict[Path, int], workspace: Path) -> Results | None:
    """Return what the reports of this run say; None where it wrote none that can be read."""
    written = [report] if report.is_file() else []
    if not written:
        now = _reports(workspace)
        written = [path for path, at in now.items() if before.get(path) != at]
    found: Results | None = None
    for path in written:
        try:
            found = (found or Results()) + parse(path.read_bytes())
        except ValueError:
            continue
    return found


def _failure(command: str, ended: Ended, results: Results | None) -> StepError:
    code = ended.code
    if code == _NOT_FOUND and results is None:
        headline = telling_line(ended.stderr, ended.stdout) or f"'{command}' was not found"
        if command == _COMMAND:
            headline = _NO_PYTEST
        text = failure_text(headline, code, ended.stderr, ended.stdout)
        return ProgramNotFound(text, status_code=code)
    failed = results.failed if results is not None else ()
    if failed:
        headline = "1 test failed" if len(failed) == 1 else f"{len(failed)} tests failed"
    elif code == _FOUND_NO_TESTS and "pytest" in command:
        headline = "no tests were found"
    else:
        headline = telling_line(ended.stderr, ended.stdout) or f"'{command}' failed without a word"
    text = failure_text(headline, code, ended.stderr, ended.stdout)
    return TestSuiteError(text, status_code=code, details=list(failed))


ACTION = Action(
    name="run-tests",
    description="Runs the tests of the source; a failed test fails the step and is named.",
    inputs=Inputs,
    outputs=Outputs,
    run=run,
    repeatable=True,
    reads_files=True,
    error_types=(TestSuiteError, ArtifactNotFound, ProgramNotFound),
    runner="codebuild",
)
