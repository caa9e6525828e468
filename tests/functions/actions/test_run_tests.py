"""Running tests: their numbers, and those that failed by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from functions.actions.run_tests import ACTION, TestSuiteError
from functions.domain import errors
from tests.functions.actions.kit import context

PATH = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
TESTS = """
import os, pytest

class TestLogin:
    def test_redirects(self): assert os.environ["ENVIRONMENT"] == "staging"
    @pytest.mark.skip
    def test_later(self): pass

def test_artifact(): assert open(os.environ["ARTIFACT"]).read() == "built"
"""


def run(folder, files=None, **inputs):
    here = context(
        folder, inherited={"PATH": PATH, "PYTHONDONTWRITEBYTECODE": "1"}, files=("build",)
    )
    for name, text in (files or {}).items():
        path = here.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return ACTION.call(inputs, here)


def test_pytest_is_run_and_its_results_are_counted(tmp_path):
    files = {"test_it.py": TESTS, "dist/a": "built"}
    given = run(tmp_path, files, artifact="dist/a", environment="staging")
    assert given == {"tests": 3, "passed": 2, "failed": 0, "skipped": 1}
    assert not list((tmp_path / "workspace").glob("*.xml"))


def test_tests_that_fail_are_named_with_what_they_say(tmp_path):
    with pytest.raises(TestSuiteError, match=r"^2 tests failed\n.*status_code=1") as raised:
        run(tmp_path, {"test_it.py": TESTS}, command="ARTIFACT=/dev/null pytest", environment="x")
    first, second = map(str, raised.value.details)
    assert first.startswith("TestLogin.test_redirects: AssertionError")
    assert second.startswith("test_it.test_artifact: AssertionError")


def test_a_folder_without_tests_fails(tmp_path):
    with pytest.raises(TestSuiteError, match="no tests were found"):
        run(tmp_path)


def test_a_report_of_another_runner_is_found_where_the_variable_says(tmp_path):
    report = "<testsuite><testcase name='a'/></testsuite>"
    assert run(tmp_path, command=f'echo "{report}" > "$JUNIT_XML"')["passed"] == 1


def test_a_report_in_a_usual_place_counts_only_if_this_run_wrote_it(tmp_path):
    old = "<testsuite><testcase name='old'><failure/></testcase></testsuite>"
    files = {"junit.xml": old, "new.xml": "<testsuite><testcase name='a'/></testsuite>"}
    command = "mkdir test-results && cp new.xml test-results/"
    assert run(tmp_path, files, command=command)["tests"] == 1


def test_a_failed_test_fails_the_step_whatever_the_exit_code(tmp_path):
    report = "<testsuite><testcase name='a'><failure message='m'/></testcase></testsuite>"
    with pytest.raises(TestSuiteError, match=r"^1 test failed") as raised:
        run(tmp_path, command=f'echo "{report}" > "$JUNIT_XML"')
    assert raised.value.details == ["a: m"]


def test_a_command_without_a_report_has_no_numbers(tmp_path):
    assert run(tmp_path, command="true") == dict.fromkeys(("tests", "passed", "failed", "skipped"))


def test_a_program_that_is_not_there_is_said(tmp_path):
    with pytest.raises(errors.ProgramNotFound, match=r"no_such_runner"):
        run(tmp_path, command="no_such_runner")


def test_without_pytest_it_is_said_what_to_write(tmp_path, monkeypatch):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "bash").symlink_to("/bin/bash")
    monkeypatch.setattr(f"{__name__}.PATH", str(programs))
    monkeypatch.setenv("PATH", str(programs))

    with pytest.raises(errors.ProgramNotFound, match=r"'pytest' not found: let `command` install"):
        run(tmp_path)


def test_the_file_to_be_tested_has_to_be_there(tmp_path):
    with pytest.raises(errors.ArtifactNotFound, match="caused by: step 'build' did not produce"):
        run(tmp_path, artifact="dist/a")
