"""`stepsmith dev`: the API of a project, until Ctrl-C."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import resource
import signal
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from cli.commands.dev import add_arguments, serve
from cli.console import Console, Misuse
from cli.dev.talk import Talk
from cli.here import addresses
from functions.domain.task_messages import Message
from tests.cli.calling import call, write

PROJECT = "stages: {local: {approvers: [lead@example.com]}}\n"
REVIEW = """
    name: review
    steps:
      - {id: ask, type: manual, title: Fine?, assignees: [bob@example.com]}
"""
USES = 15.0
"""Seconds of a processor that `dev` may take to be up, start a run and end: about 4.

A clock on the wall would tell how busy the machine is.
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", PROJECT)
    write(tmp_path / "workflows" / "review.yaml", REVIEW)


class Dev:
    """A call of `dev` that does one thing after the other while it is up, then ends."""

    def __init__(self, *steps) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self._steps = iter(steps)

    def look(self) -> None:
        """Do the next thing; its result that is false is looked for again."""
        step = next(self._steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    def run(self, *words: str) -> int:
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        console = Console(self.out, self.err, io.StringIO(), dict(os.environ))
        words = ("--as", "alice@example.com", *words)
        return serve(parser.parse_args(words), console, self.look)


def until(holds):
    for _ in range(1000):
        if found := holds():
            return found
        time.sleep(0.01)
    raise AssertionError("it did not come")


def items(*words: str) -> list[dict]:
    ended = call(*words, "--format", "json")
    assert ended.code == 0, ended.err
    found: list[dict] = json.loads(ended.out)["items"]
    return found


def test_commands_find_it_and_what_happens_is_said():
    def start():
        sent = call("run", "review", "--on", address(), "--detach")
        assert sent.code == 0, sent.err

    def address():
        found = addresses.read(addresses.DEV)
        assert found is not None
        return found.url

    def approve():
        until(lambda: items("tasks"))
        assert items("tasks", "--on", "local") == items("tasks"), "the stage of this machine"
        assert call("approve", "ask").out == "ask: approved by bob@example.com\n"
        until(lambda: items("runs")[0]["status"] == "succeeded")

    dev = Dev(start, approve)
    assert dev.run() == 0
    assert not addresses.DEV.exists()
    said = dev.out.getvalue()
    for line in (
        r"http://127\.0\.0\.1:\d+  1 workflow, their runs and tasks",
        r"  you are alice@example\.com; be somebody else: http://127\.0\.0\.1:\d+/dev/login",
        r"\d\d:\d\d:\d\d ▸ review-\w+ started",
        r"\S+ ✉ bob@example\.com: Please decide: Fine\?  http://\S+/tasks/\w+\?t=\S+",
        r"\S+ ✓ review-\w+ succeeded",
    ):
        assert re.search(f"^{line}$", said, re.MULTILINE), line
    assert dev.err.getvalue() == ""


def test_nothing_of_a_mail_or_a_failure_steers_the_terminal():
    out, now = io.StringIO(), SimpleNamespace(now=lambda: datetime.now(UTC))
    console = SimpleNamespace(stdout=out, colours=lambda _: False)
    talk = Talk(cast("Any", console))
    talk.follow(
        cast("Any", SimpleNamespace(clock=now, engine=SimpleNamespace(listen=lambda _: None)))
    )
    talk.mail(Message("t", "bob@example.com", "\x1b[2J\u202eFine?\x07", "", "http://x"))
    talk.fault("\x9b31mno")
    assert "Fine?" in out.getvalue()
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out.getvalue())


def test_a_file_that_is_changed_is_read_again_and_one_with_mistakes_stays_as_it_was():
    def names():
        ended = call("disable", "nothing-of-that-name")
        return re.findall(r"'([a-z]+)'", ended.err.partition("there are")[2])

    def add():
        write(Path("workflows/other.yaml"), "name: other\nsteps: [{id: a, run: echo a}]\n")

    def spoil():
        assert names() == ["other", "review"]
        write(Path("workflows/review.yaml"), "name: review\nsteps: [{id: a, rnu: x}]\n")

    def see():
        assert names() == ["other", "review"]

    dev = Dev(add, lambda: None, spoil, lambda: None, see)
    assert dev.run() == 0
    assert "↻ 2 workflows\n" in dev.out.getvalue()
    assert "↻ 2 workflows, those with mistakes as they were" in dev.out.getvalue()
    assert "error[unknown-key]" in dev.err.getvalue()


def test_mistakes_at_the_start_keep_the_others_from_nothing():
    write(Path("workflows/wrong.yaml"), "name: wrong\nsteps: [{id: a, rnu: x}]\n")
    dev = Dev(lambda: None)
    assert dev.run() == 0
    assert "error[unknown-key]" in dev.err.getvalue()
    assert "1 workflow, " in dev.out.getvalue()


ASK = "{id: ask, type: manual, title: Fine?, assignees: [alice@example.com]}"
BREAK = "run: 'echo down >&2; exit 1', depends_on: []"


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (
            f"[{ASK}]",
            "ask: nobody can decide: only whoever started the run is asked, and may not; ask .*",
        ),
        (f"[{{id: a, {BREAK}}}, {{id: b, {BREAK}}}]", r"[ab]: down \(and 1 more\)"),
    ],
    ids=["as Lambda reports it", "several"],
)
def test_of_a_run_that_fails_the_step_and_its_message_are_said(steps, told):
    write(Path("workflows/bad.yaml"), f"name: bad\nsteps: {steps}\n")

    def start():
        call("run", "bad", "--on", "local", "--detach")
        until(lambda: items("runs")[0]["status"] == "failed")

    dev = Dev(start)
    assert dev.run() == 0
    said = dev.out.getvalue()
    assert re.search(f"✗ bad-\\w+ failed: {told}$", said, re.MULTILINE), said


SIGNUP = """
    name: welcome
    trigger: {type: event, event: user.signup}
    inputs: {mail: string, age: {type: integer, required: false}}
    steps: [{id: a, run: echo hello}]
"""
HOOKED = """
    name: hooked
    trigger: {type: http, secret: hook}
    inputs: {mail: string}
    steps: [{id: a, run: echo hello}]
"""


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            {"event": "user.signup", "id": "e-1", "payload": {"mail": 1, "age": "x"}},
            r"✗ event \w{12} was rejected by welcome\.welcome-event: /age: .*; /mail: .*",
        ),
        (
            {"event": "user.signpu"},
            "- no workflow listens to the event 'user.signpu'; did you mean 'user.signup'\\?",
        ),
        ({"event": "order.paid"}, "- no workflow listens to the event 'order.paid'"),
    ],
    ids=["its payload does not fit", "its name is a slip", "nobody wants it"],
)
def test_an_event_that_starts_nothing_is_said(event, told):
    write(Path("workflows/welcome.yaml"), SIGNUP)
    write(Path("event.json"), json.dumps(event))

    def send():
        assert call("events", "send", "event.json").code == 0
        until(lambda: re.search(f"^\\S+ {told}$", dev.out.getvalue(), re.MULTILINE))

    dev = Dev(send)
    assert dev.run() == 0


def test_a_webhook_that_does_not_fit_is_said_too(monkeypatch):
    monkeypatch.setenv("hook", "s")
    write(Path("workflows/hooked.yaml"), HOOKED)

    def send():
        found = addresses.read(addresses.DEV)
        assert found is not None
        headers = {"Authorization": "Bearer s", "Content-Type": "application/json"}
        sent = Request(f"{found.url}/api/webhooks/hooked.hooked-http", b"{}", headers)
        with pytest.raises(HTTPError, match="400"):
            urlopen(sent)
        assert re.search(
            r"✗ event \w{12} was rejected by hooked\.hooked-http: /mail: ", dev.out.getvalue()
        )

    dev = Dev(send)
    assert dev.run() == 0


def test_a_webhook_whose_secret_is_not_here_is_said_with_what_to_do():
    write(Path("workflows/hooked.yaml"), HOOKED)

    def send():
        found = addresses.read(addresses.DEV)
        assert found is not None
        with pytest.raises(HTTPError, match="503"):
            urlopen(Request(f"{found.url}/api/webhooks/hooked.hooked-http", b"{}"))
        told = r"! /api/webhooks/\S+: the stage has no secret 'hook'; give it in the environment or"
        assert re.search(told, dev.out.getvalue())

    dev = Dev(send)
    assert dev.run() == 0


def test_an_event_that_starts_a_run_is_not_said_to_start_none():
    write(Path("workflows/welcome.yaml"), SIGNUP)
    write(Path("event.json"), json.dumps({"event": "user.signup", "payload": {"mail": "a@b.de"}}))

    def send():
        call("events", "send", "event.json")
        until(lambda: items("runs")[:1] and items("runs")[0]["status"] == "succeeded")

    dev = Dev(send)
    assert dev.run() == 0
    assert "listens" not in dev.out.getvalue()
    assert "rejected" not in dev.out.getvalue()


def test_where_nothing_may_be_written_the_call_is_wrong_and_not_the_program():
    write(Path(".stepsmith"), "a file in the place of the folder\n")
    with pytest.raises(Misuse, match=r"\.stepsmith' cannot be written: "):
        Dev().run()


def test_what_is_kept_is_there_the_next_time():
    def start():
        found = addresses.read(addresses.DEV)
        assert found is not None
        call("run", "review", "--on", found.url, "--detach")
        until(lambda: items("tasks"))

    assert Dev(start).run("--keep", "kept") == 0
    (run,) = items("runs", "--keep", "kept")
    assert run["status"] == "cancelled", "runs end with the process that carries them"

    def see():
        assert items("runs") == [run]
        assert items("runs", "--keep", "kept") == [run], "asked of the process that works on it"

    assert Dev(see).run("--keep", "kept") == 0
    assert not Path("kept", addresses.KEPT).exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [(("nowhere",), "not a folder"), (("--source", "nowhere"), "not a folder")],
)
def test_wrong_calls_are_refused(words, told):
    with pytest.raises(Misuse, match=told):
        Dev().run(*words)
    ended = call("dev", "--as", "bob")
    assert (ended.code, "takes a mail address" in ended.err) == (2, True)


@pytest.mark.slow
def test_it_is_up_soon_and_ctrl_c_ends_it_and_its_scripts(tmp_path):
    """In a process of its own, as somebody calls it."""
    flag, nap = tmp_path / "begun", f"777.{os.getpid()}"  # no other process sleeps as long
    write(
        tmp_path / "workflows" / "slow.yaml",
        f"name: slow\nsteps: [{{id: sleep, run: 'touch {flag}; exec sleep {nap}'}}]\n",
    )
    before_it = _used_by_children()
    # A shell has what it starts in the background ignore Ctrl-C, and that is handed down.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    dev = subprocess.Popen(
        ["stepsmith", "dev", "--as", "alice@example.com"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    try:
        until(lambda: addresses.read(addresses.DEV))
        assert call("runs").code == 0
        found = addresses.read(addresses.DEV)
        assert found is not None
        assert call("run", "slow", "--on", found.url, "--detach").code == 0
        until(flag.exists)
        dev.send_signal(signal.SIGINT)
        out, err = dev.communicate(timeout=30)
    finally:
        dev.kill()
        dev.communicate()
    assert (dev.returncode, err) == (0, "")
    assert "stopping; running scripts are ended" in out
    assert _used_by_children() - before_it < USES
    assert not any(f"sleep {nap}" in one for one in _commands())


def _used_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _commands() -> list[str]:
    if not Path("/proc/self").exists():
        return []
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found
