"""What the README shows is what the compiler, the commands and the demo give."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.demo.__main__ import main as demo
from tests.cli.calling import call

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str, nth: int = 0) -> str:
    """Return a fenced block of the README."""
    found: list[str] = re.findall(rf"(?ms)^```{language}\n(.*?)^```$", README)
    return found[nth]


def is_part(part: object, whole: object) -> bool:
    """Whether all that `part` says is so in `whole`; a list may leave items out."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and is_part(value, whole[key]) for key, value in part.items()
        )
    if isinstance(part, list):
        rest: Iterator[object] = iter(whole if isinstance(whole, list) else ())
        return all(any(is_part(item, other) for other in rest) for item in part)
    return part == whole


def test_a_part_that_differs_is_noticed():
    """The comparison below can fail."""
    assert is_part({"a": [2, {"b": 1}]}, {"a": [1, 2, {"b": 1, "c": 3}], "d": 4})
    assert not is_part({"a": [2, 1]}, {"a": [1, 2]})
    assert not is_part({"a": {"b": 1}}, {"a": {"b": 2}})


def test_the_workflow_becomes_the_machine_shown():
    """The abridged machine is part of the compiled one."""
    printed = call("compile", "-", stdin=block("yaml"))

    assert is_part(json.loads(block("json")), json.loads(printed.out))


def test_the_mistakes_are_reported_as_shown(tmp_path, monkeypatch):
    """The broken workflow gives exactly the text shown."""
    (tmp_path / "release.yaml").write_text(block("yaml", 1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert call("validate", "release.yaml").out == block("text")


@pytest.mark.slow
def test_the_demo_prints_what_is_shown(capfd):
    """Times, commits, a temporary folder and the width of columns may differ."""
    assert demo([]) == 0

    printed = [alike(line) for line in capfd.readouterr().out.splitlines()]
    shown = [alike(line) for line in block("console").splitlines()[1:]]
    assert is_part([line for line in shown if line != "..."], printed)


def alike(line: str) -> str:
    """Return a line without what differs from run to run."""
    line = re.sub(r"[\d.]+ s of", "0 s of", " ".join(line.split()))
    line = re.sub(r"(commit|revision)=[\w.]+", r"\1=0", line)
    line = re.sub(r"decided_at=.*", "...", line)
    return re.sub(r"url=file:///.*", "url=file:///", line)


def test_the_picture_is_drawn_from_the_workflow():
    """After a change: stepsmith graph workflows/deploy_application.yaml > docs/images/..."""
    picture = ROOT / "docs" / "images" / "deploy_application.svg"

    drawn = call("graph", str(ROOT / "workflows" / "deploy_application.yaml"))

    assert drawn.out == picture.read_text(encoding="utf-8")
