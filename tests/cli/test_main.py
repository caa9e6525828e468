"""The command itself: help, mistakes in a call, faults, and what reaches which stream."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cli.commands.table import COMMANDS
from cli.console import Console
from cli.main import main
from tests.cli.calling import HELLO, call, write

ROOT = Path(__file__).parents[2]


def test_help_lists_every_command_and_ends_with_the_exit_codes():
    ended = call("--help")

    assert ended.code == 0
    assert ended.err == ""
    assert all(f"  {name} " in ended.out for name in COMMANDS)
    assert ended.out.endswith(
        "exit codes:\n"
        "  0  fine\n"
        "  1  the workflow or the run is wrong, or failed\n"
        "  2  the call is wrong\n"
        "  3  a fault of Stepsmith\n"
        "  130  stopped by Ctrl-C, SIGTERM or SIGHUP\n"
    )


def test_a_call_without_a_command_shows_the_help():
    assert call() == call("--help")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples_and_the_exit_codes(command: str):
    ended = call(command, "--help")

    assert ended.code == 0
    assert ended.out.startswith("usage: stepsmith ")
    assert f"examples:\n  {COMMANDS[command].examples[0]}" in ended.out
    assert "exit codes:\n  0  fine" in ended.out
    assert call("help", command) == ended


def test_an_unknown_command_is_answered_with_the_nearest():
    ended = call("valdate")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "stepsmith: there is no command 'valdate'\ndid you mean 'validate'?\n"


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--colour"], "stepsmith: there is no option '--colour'"),
        (["--color", "blue"], "stepsmith: --color takes auto, always or never, not 'blue'"),
        (["explain", "--bogus"], "stepsmith explain: unrecognized arguments: --bogus"),
        (["graph"], "stepsmith graph: the following arguments are required: FILE"),
        (["compile", "nowhere.yaml"], "stepsmith compile: there is no file 'nowhere.yaml'"),
    ],
)
def test_a_wrong_call_says_what_is_wrong_and_ends_with_2(argv: list[str], says: str):
    ended = call(*argv)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(says)


def test_the_version_is_printed():
    ended = call("--version")

    assert ended.code == 0
    assert ended.out.startswith("stepsmith ")


def test_a_fault_is_one_line_that_asks_to_report_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(COMMANDS, "schema", replace(COMMANDS["schema"], module="cli.nowhere"))

    ended = call("schema")

    assert (ended.code, ended.out) == (3, "")
    assert ended.err == (
        "stepsmith: this is a fault of Stepsmith (ModuleNotFoundError: No module named "
        "'cli.nowhere'); --debug shows where it comes from. Please report it with the workflow "
        "file\n"
    )


def test_debug_shows_where_a_fault_comes_from(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(COMMANDS, "schema", replace(COMMANDS["schema"], module="cli.nowhere"))

    ended = call("--debug", "schema")

    assert ended.code == 3
    assert ended.err.startswith("Traceback (most recent call last):")


def test_a_reader_that_leaves_early_is_no_fault():
    """`stepsmith schema | head -1` ends without a word."""
    program = "import cli.main; cli.main.entry()"
    with subprocess.Popen(
        [sys.executable, "-c", program, "schema"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        process.wait()

    assert (process.returncode, said) == (0, b"")


def shell(redirected: str, *words: str) -> subprocess.CompletedProcess[str]:
    program = f"{sys.executable} -c 'import cli.main; cli.main.entry()' {' '.join(words)}"
    return subprocess.run(
        ["bash", "-c", f"{program} {redirected}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("redirected", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["--version", "schema", "explain cycle"])
def test_a_stream_that_is_closed_is_no_fault(redirected, command):
    done = shell(redirected, command)
    assert (done.returncode, done.stderr) == (0, "")
    assert (done.stdout == "") == (">&-" in redirected.replace("2>&-", ""))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("command", ["--version", "schema"], ids=["short", "long"])
def test_output_that_finds_no_room_is_said_and_is_no_fault(command, buffered, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if buffered else "1")
    done = shell("> /dev/full", command)
    assert (done.returncode, done.stderr) == (
        2,
        "stepsmith: nothing more can be written: No space left on device\n",
    )


def test_help_loads_nothing_that_takes_time():
    """Help is there at once: no YAML, no pydantic, no botocore, not even argparse."""
    program = (
        "import sys, io; from cli.main import main; main(['--help'], io.StringIO(), sys.stderr, "
        "sys.stdin); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )

    loaded = set(done.stdout.split())
    assert loaded.isdisjoint({"yaml", "pydantic", "botocore", "argparse", "compiler", "local"})


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("colour", "environ", "stream", "coloured"),
    [
        ("auto", {}, Terminal(), True),
        ("auto", {}, io.StringIO(), False),
        ("auto", {"NO_COLOR": "1"}, Terminal(), False),
        ("auto", {"NO_COLOR": ""}, Terminal(), True),
        ("always", {"NO_COLOR": "1"}, io.StringIO(), True),
        ("never", {}, Terminal(), False),
    ],
)
def test_colour_is_for_terminals_and_for_those_who_ask(colour, environ, stream, coloured):
    console = Console(stream, stream, io.StringIO(), environ, colour)

    assert console.colours(stream) is coloured


def test_color_can_be_asked_for_anywhere_in_the_call(tmp_path: Path):
    file = write(tmp_path / "hello.yaml", HELLO)

    assert "\x1b[" in call("validate", file, "--color", "always").out
    assert "\x1b[" in call("--color=always", "validate", file).out
    assert "\x1b[" not in call("validate", file).out


def test_ctrl_c_stops_with_the_shell_s_code(monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.main._carry_out", interrupted)
    out, err = io.StringIO(), io.StringIO()

    assert main(["schema"], out, err, io.StringIO(), os.environ) == 130
    assert err.getvalue() == "stopped\n"
