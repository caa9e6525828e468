"""`stepsmith build`: what a deployment is packed as."""

from __future__ import annotations

from cdk.packaging import libraries
from tests.cli.calling import HELLO, call, write


def test_sizes_are_listed(tmp_path, monkeypatch):
    """With the libraries of this Python in the place of those that would be fetched."""
    write(tmp_path / "stepsmith.yaml", "stages: {dev: {}}\n")
    write(tmp_path / "workflows" / "hello.yaml", HELLO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(libraries, "fetch", lambda _wanted, _folder: libraries.installed())

    ended = call("build")

    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == [
        *("api", "intake", "latches", "records", "stored", "tasks", "wake", "action-run"),
    ]
    assert all(line.endswith("unpacked") for line in lines[:-1])
    assert lines[-1].startswith("8 archives, ")
    assert lines[-1].endswith("for stage dev, Python 3.13 on arm64")


def test_nothing_is_fetched_offline(tmp_path, monkeypatch):
    write(tmp_path / "stepsmith.yaml", "stages: {dev: {}}\n")
    write(tmp_path / "workflows" / "hello.yaml", HELLO)
    monkeypatch.chdir(tmp_path)

    ended = call("build", "--offline")

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "stepsmith build: libraries are not there, or not in the versions asked for: of functions\n"
        "fetch them with `stepsmith build --stage dev`\n"
    )


def test_mistakes_are_shown(tmp_path, monkeypatch):
    write(tmp_path / "stepsmith.yaml", "stages: {dev: {}}\n")
    write(tmp_path / "workflows" / "hello.yaml", HELLO + "colour: red\n")
    monkeypatch.chdir(tmp_path)

    ended = call("build")

    assert (ended.code, ended.out) == (1, "")
    assert "error[unknown-key]" in ended.err
