"""What the compiler makes of whole files, compared with what was read and found right.

`pytest tests/compiler/test_golden.py --update-golden` writes the golden files anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from cli.main import main
from compiler.catalog import CATALOG
from compiler.pipeline import Compilation
from tests.asl_player import check
from tests.golden.project import ROOT, compiled, said, workflows

ACCEPT = Path(__file__).parents[1] / "golden" / "accept"
REJECT = ACCEPT.with_name("reject")
REJECTED = [path for path in sorted(REJECT.iterdir()) if path.is_dir() or path in workflows(REJECT)]
SHIPPED = workflows(ROOT / "workflows")

TOO_LARGE = {"definition-too-large"}
"""What no file of a page can show; see tests/compiler/plan."""


@pytest.fixture(scope="module")
def project() -> dict[str, Compilation]:
    """Return the shipped workflows by the names of their files, compiled together."""
    return {Path(one.source.name).stem: one for one in compiled(SHIPPED)}


def compare(golden: Path, text: str, *, update: bool) -> None:
    """Compare a text with its golden file, or write the file."""
    if update:
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED])
def test_a_shipped_workflow_compiles_without_a_word(name: str, project: dict[str, Compilation]):
    assert said(project[name]) == []
    assert project[name].ok


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED])
def test_a_shipped_workflow_becomes_the_machine_that_was_reviewed(
    name: str, project: dict[str, Compilation], update_golden: bool
):
    first, *others = project[name].machines
    compare(ACCEPT / f"{name}.asl.json", first.pretty(), update=update_golden)
    for machine in others:
        suffix = machine.id.removeprefix(first.id).strip("-")
        compare(ACCEPT / f"{name}.{suffix}.asl.json", machine.pretty(), update=update_golden)


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED])
def test_a_golden_machine_keeps_the_rules_of_step_functions(
    name: str, project: dict[str, Compilation]
):
    for machine in project[name].machines:
        assert check(machine.definition) == []


def test_no_golden_machine_is_left_over(project: dict[str, Compilation]):
    expected = sum(len(one.machines) for one in project.values())
    assert len(list(ACCEPT.iterdir())) == expected


@pytest.mark.parametrize("case", REJECTED, ids=lambda case: case.stem)
def test_every_mistake_is_told_once_and_says_what_to_write(
    case: Path,
    update_golden: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    """A folder is a project of its own, whose workflows are checked against each other."""
    monkeypatch.chdir(case if case.is_dir() else case.parent)
    paths = [] if case.is_dir() else [case.name]
    code = main(["validate", *paths], sys.stdout, sys.stderr, sys.stdin)
    shown = capsys.readouterr()
    assert shown.err == ""
    assert code == (1 if "error[" in shown.out else 0)
    compare(case.with_suffix(".txt"), shown.out, update=update_golden)


def test_every_code_occurs_in_some_file():
    text = "".join(path.read_text("utf-8") for path in REJECT.glob("*.txt"))
    found = set(re.findall(r"^(?:error|warning)\[([a-z-]+)\]", text, re.MULTILINE))
    assert found | TOO_LARGE == set(CATALOG)


def test_no_text_about_mistakes_is_left_over():
    assert {path.stem for path in REJECT.glob("*.txt")} == {case.stem for case in REJECTED}
