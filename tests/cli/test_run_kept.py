"""`stepsmith run --keep DIR`: runs that other commands work on, while they go on and later."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli.here import addresses, kept_folder
from tests.cli.calling import Ended, call, write

HELLO = """
    name: hello
    steps:
      - id: say
        run: |
          echo "hello from a script"
          echo "said=hello" >> "$GITHUB_OUTPUT"
        outputs: {said: null}
      - {id: review, type: manual, title: Fine?, assignees: [bob@example.com, eve@example.com]}
      - {id: after, run: echo done, depends_on: [review]}
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "hello.yaml", HELLO)


@contextmanager
def meanwhile(work: Callable[[], object]):
    """Do something as soon as a run that is kept waits for somebody."""
    done: list[object] = []

    def wait_and_work() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if addresses.read(Path("kept") / addresses.KEPT) is not None:
                tasks = call("tasks", "--keep", "kept", "--format", "json")
                if tasks.code == 0 and json.loads(tasks.out)["items"]:
                    done.append(work())
                    return
            time.sleep(0.05)

    thread = threading.Thread(target=wait_and_work)
    thread.start()
    yield done
    thread.join(60)


def kept_runs() -> list[dict]:
    found: list[dict] = json.loads(call("runs", "--keep", "kept", "--format", "json").out)["items"]
    return found


def test_it_waits_for_an_answer_and_says_how_to_give_one():
    with meanwhile(lambda: call("approve", "review", "--keep", "kept", "--comment", "ok")) as done:
        ended = call("run", "hello.yaml", "--keep", "kept")
    assert done == [Ended(0, "review: approved by bob@example.com\n", "")]
    assert ended.code == 0
    (line,) = [one for one in ended.err.splitlines() if one.startswith("waiting for somebody")]
    assert "stepsmith approve review --keep kept" in line
    assert "/tasks/" in line.partition(", or open http://127.0.0.1:")[2]
    assert "✓ review  approved   by bob@example.com after" in ended.err
    assert "hello succeeded in" in ended.out
    assert not (Path("kept") / addresses.KEPT).exists()
    # And later, when nothing is at work any more:
    (run,) = kept_runs()
    assert (run["status"], run["run_id"].startswith("hello-")) == ("succeeded", True)
    wrong = call("logs", "hello", "--keep", "kept", "--step", "sya")
    assert (wrong.code, "no step 'sya'; its steps are say, review, after" in wrong.err) == (2, True)
    logs = call("logs", "hello", "--keep", "kept", "--step", "say")
    assert "say  hello from a script" in logs.out
    record = json.loads(call("runs", "hello", "--keep", "kept", "--format", "json").out)
    assert [step["line"] for step in record["steps"]] == [4, 9, 10]


def test_a_run_that_failed_is_resumed_by_a_later_command_and_keeps_what_was_done():
    with meanwhile(lambda: call("reject", "review", "--keep", "kept")):
        assert call("run", "hello.yaml", "--keep", "kept").code == 1
    plan = call("resume", "hello", "--dry-run", "--keep", "kept")
    assert (plan.code, "kept        say" in plan.out) == (0, True)
    write(Path("hello.yaml"), HELLO.replace("echo done", "echo corrected"))
    answer = ("approve", "review", "--keep", "kept", "--as", "eve@example.com")
    with meanwhile(lambda: call(*answer)) as done:
        ended = call("resume", "hello", "--keep", "kept")
    assert [one.code for one in done] == [0]
    assert (ended.code, "hello succeeded in" in ended.out) == (0, True)
    (run,) = kept_runs()
    assert (run["run_attempt"], run["status"]) == (2, "succeeded")
    logs = call("logs", "hello", "--keep", "kept").out
    assert logs.count("hello from a script") == 1
    assert "after  corrected" in logs


def test_with_decisions_time_jumps_as_in_every_run():
    ended = call(
        "run",
        "hello.yaml",
        "--keep",
        "kept",
        "--decide",
        "review=approved::20h",
        "--format",
        "json",
    )
    assert ended.code == 0
    record = json.loads(ended.out)
    assert record["steps"][1]["outputs"]["decided_by"] == "bob@example.com"
    assert "waiting for somebody" not in ended.err
    # What is kept has its times from a clock that jumped; the next run comes after it.
    again = call("run", "hello.yaml", "--keep", "kept", "--decide", "review=approved", "--format",
                 "json")  # fmt: skip
    assert json.loads(again.out)["started_at"] >= record["completed_at"]
    assert [run["run_id"] for run in kept_runs()] == [
        json.loads(again.out)["run_id"],
        record["run_id"],
    ]


ON_ONE_FOLDER = (
    ("run", "hello.yaml", "--keep", "kept"),
    ("resume", "hello", "--keep", "kept"),
    ("runs", "--keep", "kept"),
    ("approve", "review", "--keep", "kept"),
    ("dev", "--keep", "kept"),
)


@pytest.mark.parametrize("words", ON_ONE_FOLDER, ids=lambda words: words[0])
def test_two_processes_do_not_work_on_one_folder(words, monkeypatch):
    assert call("run", "hello.yaml", "--keep", "kept", "--decide", "review=approved").code == 0
    monkeypatch.setattr(kept_folder, "PATIENCE", 0)
    with kept_folder.held(Path("kept")):
        ended = call(*words)
    said = f"process {os.getpid()} is at work on what is kept in 'kept'"
    assert (ended.code, said in ended.err) == (2, True)
    assert len(kept_runs()) == 1


def test_one_that_can_be_asked_is_not_waited_for():
    addresses.write(Path("kept") / addresses.KEPT, "http://127.0.0.1:9")
    ended = call("run", "hello.yaml", "--keep", "kept")
    assert (ended.code, "is at work on what is kept in 'kept'" in ended.err) == (2, True)


def test_a_command_waits_for_one_that_is_done_in_a_moment(monkeypatch):
    with ExitStack() as other:
        other.enter_context(kept_folder.held(Path("kept")))
        clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: other.close())
        monkeypatch.setattr(kept_folder, "time", clock)
        ended = call("run", "hello.yaml", "--keep", "kept", "--decide", "review=approved")
    assert ended.code == 0, ended.err


@pytest.mark.parametrize("command", [("run", "hello.yaml"), ("dev",)], ids=lambda words: words[0])
def test_where_nothing_can_be_kept_the_call_is_wrong_and_not_the_program(command):
    ended = call(*command, "--keep", "hello.yaml")
    assert (ended.code, ended.err.splitlines()[-1]) == (
        2,
        f"stepsmith {command[0]}: nothing can be kept in 'hello.yaml': it is no folder",
    )
    ended = call(*command, "--keep", "hello.yaml/kept")
    assert ended.code == 2
    assert "nothing can be kept in 'hello.yaml/kept': Not a directory" in ended.err


def test_what_starts_something_needs_a_stage_at_work():
    assert call("run", "hello.yaml", "--keep", "kept", "--decide", "review=approved").code == 0
    sent = call("events", "send", "-", "--keep", "kept", stdin='{"event": "x"}')
    assert (sent.code, "`stepsmith dev --keep kept` takes it up" in sent.err) == (2, True)


def test_whoever_starts_a_run_may_not_approve_it():
    ended = call(
        "run", "hello.yaml", "--started-by", "bob@example.com", "--decide", "review=approved",
        "--format", "json",
    )  # fmt: skip
    record = json.loads(ended.out)
    assert record["started_by"] == "bob@example.com"
    assert record["steps"][1]["outputs"]["decided_by"] == "eve@example.com"
    assert call("run", "hello.yaml", "--started-by", "bob").code == 2


def test_a_workflow_of_the_project_may_be_named_by_its_id(tmp_path):
    write(tmp_path / "stepsmith.yaml", "stages: {local: {}}\n")
    write(tmp_path / "workflows" / "plain.yaml", "name: plain\nsteps: [{id: one, run: echo one}]\n")
    assert call("run", "plain").code == 0
    wrong = call("run", "plane")
    assert (wrong.code, "did you mean 'plain'" in wrong.err) == (2, True)
    assert call("run", "plain.yaml").code == 2
