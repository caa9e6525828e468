"""Every code of the check, shown by a file that gives it and by the same file mended."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compiler.check import StageSettings, WorkflowContract
from compiler.codes import Code
from compiler.codes.check import CODES
from tests.compiler.check.checked import PROJECT, Checked, checked

CALLER = WorkflowContract("calls-caller", None, "workflows/calls.yaml", children=("caller",))
ITSELF = WorkflowContract("caller", None, "workflows/this.yaml", children=("calls-caller",))
WORKFLOWS = {**PROJECT.workflows, "calls-caller": (CALLER,), "caller": (ITSELF,)}


LACKING: dict[str, StageSettings] = {
    "pause-asks-nobody": replace(PROJECT.stage, approvers=()),
    "var-not-in-stage": replace(PROJECT.stage, vars={}),
}
"""Codes whose example is wrong in a stage that lacks something."""


def example(text: str, code: Code) -> Checked:
    """Check an example of a code."""
    stage = LACKING.get(code.slug, PROJECT.stage)
    return checked(text, replace(PROJECT, workflows=WORKFLOWS, stage=stage))


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.slug)
def test_the_wrong_file_gives_its_code_alone(code: Code):
    """One mistake, one finding: nothing that merely follows from it."""
    assert example(code.wrong, code).codes == [code.slug]


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.slug)
def test_the_right_file_gives_nothing(code: Code):
    """What the help says to write instead is accepted."""
    checked_right = example(code.right, code)
    assert checked_right.found == []
    assert checked_right.program is not None


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.slug)
def test_each_says_what_to_write_instead(code: Code):
    """No finding without a help; no message ends in a full stop or names a Python type."""
    for found in example(code.wrong, code).diagnostics:
        assert found.help
        assert not found.message.endswith(".")
        assert not {"None", "str", "dict", "NoneType"} & set(found.message.split())
