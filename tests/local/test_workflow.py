"""Whole runs on the local engine: real scripts, real functions, virtual time."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from local.workflow import Ran, Request, run_workflow
from protocol.payloads import MachineInput
from tests.local.machines import Definition, call, machine, signal, wait


def run(definition: Definition, source: Path | None = None, keep: Path | None = None) -> Ran:
    given: MachineInput = {"inputs": {}, "run": {"id": "run-1", "attempt": 1}}
    return run_workflow(Request({"w": definition}, "w", given, source=source, keep=keep))


def script(text: str, **fields) -> Ran:
    return run(machine("s", {"s": call("s", text, None, **fields)}))


def test_a_step_s_outputs_are_passed_to_the_next_as_they_were_written():
    nasty = 'he said "no" \\ $HOME {% x %} é 😀'
    ran = run(
        machine(
            "a",
            {
                "a": call(
                    "a",
                    "cat >> $GITHUB_OUTPUT <<< \"v<<E\"$'\\n'\"$V\"$'\\n'E",
                    "b",
                    outputs=["v"],
                    env={"V": nasty + "\nsecond line"},
                ),
                "b": call(
                    "b",
                    'printf "w<<E\\n%s\\nE\\n" "$V" >> "$GITHUB_OUTPUT"',
                    None,
                    outputs=["w"],
                    env={"V": "{% $o_a.v %}"},
                ),
            },
        )
    )
    assert ran.finished.status == "SUCCEEDED"
    assert ran.rows["b"].outputs == {"w": nasty + "\nsecond line"}


def test_a_failed_script_fails_the_run_with_the_exit_code_and_its_last_words():
    ran = script("echo to out; echo the disk is full >&2; exit 7")
    assert (ran.finished.status, ran.finished.error) == ("FAILED", "WorkflowError")
    row = ran.rows["s"]
    assert (row.status, row.error_type, row.status_code) == ("failed", "ScriptFailed", 7)
    assert (row.error_message or "").startswith("the disk is full\nexit code 7 (status_code=7)\n")
    assert "to out" in (row.error_message or "")


def test_a_pipe_that_fails_in_its_middle_fails_the_script():
    assert script("false | cat").rows["s"].error_type == "ScriptFailed"


def test_a_program_that_is_not_there_is_named_with_its_line():
    row = script("true\n\nno_such_program --now").rows["s"]
    assert row.error_type == "ProgramNotFound"
    assert "'no_such_program'" in (row.error_message or "")
    assert "line 3 " in (row.error_message or "")


def test_a_script_is_stopped_at_its_timeout_with_all_it_started():
    began = time.monotonic()
    row = script("sleep 60 & sleep 60", timeout=1).rows["s"]
    assert row.error_type == "StepTimedOut"
    assert time.monotonic() - began < 10


def test_a_retry_waits_its_hour_in_no_time_and_counts_its_attempts():
    began = time.monotonic()
    ran = script('test "$STEPSMITH_ATTEMPT" = 3', retries=4)
    assert (ran.rows["s"].status, ran.rows["s"].attempt) == ("succeeded", 3)
    took = ran.finished.completed_at - ran.finished.started_at
    assert took.total_seconds() >= 3 * 3600
    assert time.monotonic() - began < 10


def test_a_dependency_that_does_not_nest_waits_for_its_own_producers_only(tmp_path):
    """With a -> c, a -> d and b -> d, c starts while b still runs."""
    left, right = tmp_path / "left", tmp_path / "right"
    definition = machine(
        "both",
        {
            "both": {
                "Type": "Parallel",
                "Branches": [
                    {
                        "StartAt": "a",
                        "States": {
                            "a": call("a", "true", "a_signal", outputs=[], caught="a_failed"),
                            "a_signal": {**signal("a", ["d"], v="from a")},
                            "a_failed": {"Type": "Fail"},
                        },
                    },
                    {
                        "StartAt": "b",
                        "States": {
                            "b": call(
                                "b",
                                f"touch {left}; until test -e {right}; do sleep 0.01; done",
                                "d_wait",
                                caught="b_failed",
                                timeout=20,
                            ),
                            "d_wait": wait("d", ["a"], "d"),
                            "d": call(
                                "d",
                                "echo $V > " + str(tmp_path / "d"),
                                None,
                                env={"V": "{% $latched_d.v %}"},
                                caught="b_failed",
                            ),
                            "b_failed": {"Type": "Fail"},
                        },
                    },
                    {
                        "StartAt": "c",
                        "States": {
                            "c": call(
                                "c",
                                f"until test -e {left}; do sleep 0.01; done; touch {right}",
                                None,
                                caught="c_failed",
                                timeout=20,
                            ),
                            "c_failed": {"Type": "Fail"},
                        },
                    },
                ],
                "End": True,
            },
        },
    )
    ran = run(definition)
    assert ran.finished.status == "SUCCEEDED", ran.finished.cause
    assert (tmp_path / "d").read_text() == "from a\n"


def test_files_move_between_steps_and_the_source_is_fresh_in_each(tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "kept.txt").write_text("committed")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "https://example.com/x.git"], check=True)
    (tmp_path / "kept.txt").write_text("changed")
    (tmp_path / "new.txt").write_text("new")
    ran = run(
        machine(
            "a",
            {
                "a": call(
                    "a",
                    "git remote get-url origin; git log -1 --format=%s; cat kept.txt new.txt; "
                    "mkdir dist; echo built > dist/app; rm new.txt",
                    "b",
                    artifacts=["dist"],
                ),
                "b": call("b", "cat dist/app kept.txt new.txt", None, files=["a"]),
            },
        ),
        source=tmp_path,
        keep=tmp_path / "kept",
    )
    assert ran.finished.status == "SUCCEEDED", ran.rows
    said = {p.parent.name: p.read_text() for p in (tmp_path / "kept/logs").glob("*/*.stdout")}
    assert said["a"] == "https://example.com/x.git\nfirst\nchangednew"
    assert said["b"] == "built\nchangednew"


def test_a_missing_artifact_fails_its_producer():
    row = script("true", artifacts=["dist/app"]).rows["s"]
    assert (row.error_type, row.error_message) == (
        "ArtifactNotFound",
        "artifact not found at dist/app",
    )


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd"])
def test_an_artifact_outside_the_workspace_is_refused(path):
    assert script("true", artifacts=[path]).rows["s"].error_type == "ValidationError"


def test_a_declared_output_that_is_missing_fails_its_producer():
    row = script("echo a=1 >> $GITHUB_OUTPUT", outputs=["a", "b"]).rows["s"]
    assert row.error_type == "OutputMissing"
    assert "'b'" in (row.error_message or "")


def test_ctrl_c_stops_the_run_and_what_it_has_started():
    pressed: list[bool] = []

    def interrupt(event):
        if event["type"] == "TaskStarted" and not pressed:
            pressed.append(True)
            raise KeyboardInterrupt

    began = time.monotonic()
    definition = machine("s", {"s": call("s", "sleep 60", None)})
    given: MachineInput = {"inputs": {}, "run": {"id": "r", "attempt": 1}}
    ran = run_workflow(Request({"w": definition}, "w", given), interrupt)
    assert (ran.finished.status, ran.finished.error) == ("ABORTED", "Stepsmith.Interrupted")
    assert time.monotonic() - began < 20


def test_a_build_s_script_runs_here_and_its_result_is_fetched_as_on_aws():
    payload = call("s", "echo a=1 >> $GITHUB_OUTPUT", None, outputs=["a"])["Arguments"]["Payload"]
    text = (
        "{'run': $run, 'step': 's', 'attempt': 1, 'outputs': ['a'],"
        " 'inputs': {'script': 'echo a=1 >> $GITHUB_OUTPUT'}}"
    )
    build = {
        "Type": "Task",
        "Resource": "arn:aws:states:::codebuild:startBuild.sync",
        "Arguments": {
            "ProjectName": "${codebuild}",
            "EnvironmentVariablesOverride": (
                "{% [{'Name': 'STEPSMITH_CALL', 'Value': $string(" + text + ")}] %}"
            ),
        },
        "Next": "s.result",
    }
    fetch = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": "${action:run}", "Payload": {**payload, "stored": True}},
        "Output": "{% $states.result.Payload.outputs %}",
        "End": True,
    }
    ran = run(machine("s", {"s": build, "s.result": fetch}))
    assert ran.finished.output == {"a": "1"}
