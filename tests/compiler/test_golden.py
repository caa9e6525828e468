"""What the compiler makes of whole files, compared with what was read and found right.

`pytest tests/compiler/test_golden.py --update-golden` writes the golden files anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.catalog import CATALOG
from compiler.pipeline import Compilation
from tests.golden.project import ROOT, compiled, shown, workflows

GOLDEN = Path(__file__).parents[1] / "golden"
REJECTED = sorted(path for path in (GOLDEN / "reject").iterdir() if path.suffix != ".txt")
SHIPPED = workflows(ROOT / "workflows")

# What no file of a page or two can show; each has a test of its own.
ELSEWHERE: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def project() -> dict[str, Compilation]:
    """Return the shipped workflows by their file names, compiled together."""
    return {Path(one.source.name).stem: one for one in compiled(SHIPPED, ROOT)}


def compare(golden: Path, text: str, *, update: bool) -> None:
    """Compare a text with its golden file, or write the file."""
    if update:
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def rejected(case: Path) -> list[Compilation]:
    """Compile a file with mistakes, or all files of a folder together."""
    return compiled(workflows(case), case) if case.is_dir() else compiled([case], case.parent)


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED])
def test_a_shipped_workflow_compiles_without_a_word(name: str, project: dict[str, Compilation]):
    assert shown([project[name]]) == ""
    assert project[name].ok


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED])
def test_a_shipped_workflow_becomes_the_machine_that_was_reviewed(
    name: str, project: dict[str, Compilation], update_golden: bool
):
    first, *others = project[name].machines
    compare(GOLDEN / "accept" / f"{name}.asl.json", first.pretty(), update=update_golden)
    for machine in others:
        suffix = machine.id.removeprefix(first.id).strip("-")
        golden = GOLDEN / "accept" / f"{name}.{suffix}.asl.json"
        compare(golden, machine.pretty(), update=update_golden)


def test_no_golden_machine_is_left_over(project: dict[str, Compilation]):
    expected = sum(len(one.machines) for one in project.values())
    assert len(list((GOLDEN / "accept").iterdir())) == expected


@pytest.mark.parametrize("case", REJECTED, ids=lambda case: case.stem)
def test_every_mistake_of_a_file_is_told_once(case: Path, update_golden: bool):
    compare(case.with_suffix(".txt"), shown(rejected(case)), update=update_golden)


def test_every_code_occurs_in_some_file():
    found = {one.code for case in REJECTED for file in rejected(case) for one in file.diagnostics}
    assert sorted(set(CATALOG) - found - ELSEWHERE) == []
    assert sorted(found - set(CATALOG)) == []


def test_no_text_about_mistakes_is_left_over():
    texts = {path.stem for path in (GOLDEN / "reject").glob("*.txt")}
    assert texts == {case.stem for case in REJECTED}
