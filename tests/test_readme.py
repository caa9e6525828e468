"""What the README shows is what the compiler, the commands and the demo give."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.demo.__main__ import main as demo
from tests.architecture.project import files
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


# --- make ----------------------------------------------------------------------------------------


_MAKE_S = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
"""By which a make called inside `make test` would know that it is inside another."""


def said_by_make(*words: str) -> str:
    """Return what a call of make prints."""
    own = {name: value for name, value in os.environ.items() if name not in _MAKE_S}
    done = subprocess.run(
        ["make", *words], cwd=ROOT, env=own, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_make_demo_runs_what_was_run_above():
    """Nothing but the demo itself, once its environment is there."""
    assert said_by_make("-n", "demo").splitlines()[-1] == ".venv/bin/python -m local.demo"
    assert block("console").startswith("$ make demo\n")


def test_make_help_lists_every_command_that_the_documents_name():
    listed = re.findall(r"^  make (\w+) +\S", said_by_make("help"), re.MULTILINE)
    named = set(re.findall(r"(?:`|\$ )make (\w+)", README))

    assert named <= set(listed)
    assert {"demo", "test", "help", "deploy"} <= named


def test_make_deploy_builds_looks_at_the_bootstrap_and_deploys_one_stage():
    """In this order, as the README has it; nothing of it is carried out here."""
    commands = said_by_make("-n", "deploy", "STAGE=dev")
    order = ("stepsmith build --stage dev", "-m cli.bootstrap dev", "npx cdk deploy -c stage=dev")

    assert "make deploy STAGE=dev" in README
    places = [commands.index(one) for one in order]
    assert places == sorted(places)


def test_a_deployment_needs_no_docker():
    """No line that is carried out calls it."""
    assert "docker" not in said_by_make("-n", "deploy", "STAGE=dev").lower()
    assert "(no Docker)" in README


def test_every_folder_of_the_map_is_there_and_each_that_is_there_is_on_it():
    table = README[README.index("## Map of the repository") :]
    mapped = {name for row in table.splitlines() for name in re.findall(r"`(\w+)/`", row)}
    inside = [path.relative_to(ROOT).parts for path in files()]
    there = {parts[0] for parts in inside if len(parts) > 1 and not parts[0].startswith(".")}

    assert mapped == there
