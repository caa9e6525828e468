"""What is left of a run whose process is asked to end, or ended: its scripts, and what is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import call, write
from tests.cli.test_dev import until

COMMAND = str(Path(sys.executable).with_name("stepsmith"))
NAP = f"778.{os.getpid()}"  # no other process sleeps as long
FLOW = f"""
    name: slow
    steps:
      - {{id: charge, run: echo charged}}
      - {{id: sleep, run: 'touch "$FLAG"; sleep {NAP}', env: {{FLAG: FLAG_PATH}}}}
"""

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("slow.yaml"), FLOW.replace("FLAG_PATH", str(tmp_path / "flag")))
    yield
    for one, command in _commands():
        if f"sleep {NAP}" in command:
            os.kill(one, signal.SIGKILL)


def _commands() -> list[tuple[int, str]]:
    """Return the processes of this machine by their numbers."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    parts = (line.split(None, 1) for line in listed.stdout.splitlines()[1:])
    return [(int(one), command) for one, command in parts]


def _ended_by(number: signal.Signals, *more: str, kept: bool = True) -> tuple[int, str]:
    """Return the exit code and the output of a run that a signal reaches in its second step."""
    # Whoever started the tests may ignore it (`nohup`), and its children would, too.
    before = signal.getsignal(number)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    try:
        run = subprocess.Popen(
            [COMMAND, "run", "slow.yaml", *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    finally:
        if number != signal.SIGKILL:
            signal.signal(number, before)
    try:
        until(Path("flag").exists)
        if kept:
            until(lambda: '"succeeded"' in _text(Path("kept/tables/results.jsonl")))
            until(Path("kept/stage.json").exists)  # it is written last
        run.send_signal(number)
        out, _ = run.communicate(timeout=30)
    finally:
        run.kill()
        run.communicate()
    return run.returncode, out


def _text(file: Path) -> str:
    return file.read_text("utf-8") if file.exists() else ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_ends_scripts_as_ctrl_c_does(number):
    code, out = _ended_by(number, kept=False)

    assert code == 130
    assert "slow cancelled in " in out
    assert not any(f"sleep {NAP}" in command for _, command in _commands())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_was_done_is_kept_however_the_process_ends(number):
    _ended_by(number, "--keep", "kept")

    runs = call("runs", "--keep", "kept", "--format", "json")
    assert (runs.code, runs.err) == (0, "")
    (listed,) = json.loads(runs.out)["items"]
    assert listed["status"] == ("cancelled" if number == signal.SIGTERM else "failed")
    planned = call("resume", "slow", "--dry-run", "--keep", "kept")
    assert "  kept        charge\n" in planned.out
    assert "sleep: " in planned.out


def test_what_is_ignored_stays_so():
    """`nohup` has a process ignore the end of its terminal, and its scripts, too."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        run = subprocess.Popen(
            [COMMAND, "run", "slow.yaml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    finally:
        signal.signal(signal.SIGHUP, before)
    try:
        until(Path("flag").exists)
        run.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(1)
        run.send_signal(signal.SIGTERM)
        assert run.wait(30) == 130
    finally:
        run.kill()
        run.wait()
