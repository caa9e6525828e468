"""Whole workflows: the articles' examples, large ones, and broken ones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.check import ActionContract, check
from compiler.codes.check import CODES
from compiler.diagnostics import Diagnostics
from compiler.document import read
from compiler.source import Source
from compiler.spec import decode
from tests.compiler.check.checked import PROJECT, checked

ARTICLES = Path(__file__).parents[1] / "spec" / "articles"
LEFT_OUT = {
    "build_app.yaml": {"output-without-value"},  # the build's contract is the catalogue's
    "deploy_from_template.yaml": {"unknown-workflow"},
    "environment_contract.yaml": {"unknown-output"},
    "pull_request.yaml": {"no-git-push"},
}
ANYTHING = ActionContract({"type": "object"}, {"type": "object"}, reads_files=True)
ACTIONS = ("build-artifact", "run-tests", "deploy-to-kubernetes", "send-transactional-email")


@pytest.mark.parametrize("file", sorted(ARTICLES.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_articles_compile_but_for_what_they_leave_out(file: Path):
    """As they are printed, with the indentation restored."""
    found = checked(file.read_text("utf-8"), catalogue=dict.fromkeys(ACTIONS, ANYTHING))
    assert set(found.codes) == LEFT_OUT.get(file.name, set())


def chain(count: int) -> str:
    """Return a workflow of steps that each read the one before."""
    steps = []
    for at in range(count):
        before = f"${{{{ steps.s{at - 1}.outputs.revision }}}}" if at else "none"
        steps.append(
            f"  - id: s{at}\n    action: deploy\n    condition: inputs.x != 'no'\n"
            f"    inputs:\n      manifest: deploy/{before}\n      region: eu-west-1\n"
            f"    retry: {{count: 2, conditions: [{{error_type: NetworkError}}]}}\n"
        )
    return "name: Chain\ninputs: {x: string}\nsteps:\n" + "".join(steps)


def calls_of_check(text: str) -> int:
    """Return how many Python functions a check calls: the work, without a clock."""
    source = Source("chain.yaml", text)
    diagnostics = Diagnostics(source)
    document = read(source, diagnostics)[0]
    workflow = decode(document, diagnostics)
    assert workflow is not None
    count = 0

    def counting(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        program = check(workflow, document, PROJECT, diagnostics)
    finally:
        sys.setprofile(before)
    assert program is not None
    return count


def test_the_work_grows_with_the_steps_and_no_faster():
    """No step is checked against all others."""
    small, large = (calls_of_check(chain(count)) for count in (50, 400))
    assert large < small * 8 * 1.1


def test_a_chain_of_thousands_of_steps_is_checked():
    """No recursion over the graph."""
    text = "name: Long\nsteps:\n" + "".join(f"  - {{id: s{at}, run: echo}}\n" for at in range(5000))
    found = checked(text)
    assert found.program is not None
    assert len(found.program.steps) == 5000


TEXTS = [file.read_text("utf-8") for file in sorted(ARTICLES.glob("*.yaml"))]
TEXTS += [code.wrong for code in CODES] + [code.right for code in CODES]
WORDS = ("steps", "outputs", "[]", "{}", "''", "${{ }}", "${{ x", "null", "3", "true", "- ", "id:")


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Draw a workflow with some lines or words lost, doubled or replaced."""
    lines = draw(st.sampled_from(TEXTS)).split("\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(("drop", "double", "word", "cut", "swap"))):
            case "drop":
                lines[at] = ""
            case "double":
                lines.insert(at, lines[at])
            case "word":
                words = lines[at].split(" ")
                words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
                lines[at] = " ".join(words)
            case "cut":
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case _:
                other = draw(st.integers(0, len(lines) - 1))
                lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


@given(mutated())
def test_a_broken_file_is_reported_not_a_fault(text: str):
    """Whatever is in a file: a Program, or findings inside of its text."""
    found = checked(text)
    assert (found.program is not None) == (
        not any(d.severity == "error" for d in found.diagnostics)
    )
    for diagnostic in found.diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(found.text)
