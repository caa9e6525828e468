"""Inputs of actions that are scripts (`format: shell`): no value becomes their text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compiler.check.program import Action, Computed, Constant, Fields, Secret
from tests.compiler.check.checked import CATALOGUE, PROJECT, TEXT, Checked, checked, schema

SHELL = {"type": "string", "format": "shell"}
BUILD = replace(
    CATALOGUE["build-artifact"], inputs=schema({}, command=SHELL, after=SHELL, artifact=TEXT)
)
AROUND = replace(PROJECT, catalogue={**CATALOGUE, "build-artifact": BUILD})


def build(inputs: str, more: str = "") -> Checked:
    """Check a workflow with a step that builds."""
    step = f"{{id: a, action: build-artifact, inputs: {inputs}{more}}}"
    return checked(f"name: Built\ninputs: {{target: string}}\nsteps:\n  - {step}\n", AROUND)


def action(found: Checked) -> tuple[dict[str, object], dict[str, object]]:
    """Return the inputs of the step, and the variables that its scripts read."""
    assert found.codes == []
    assert found.program is not None
    kind = found.program.steps[0].kind
    assert isinstance(kind, Action)
    if isinstance(kind.inputs, Constant):
        assert isinstance(kind.inputs.value, dict)
        return dict(kind.inputs.value), dict(kind.variables)
    assert isinstance(kind.inputs, Fields)
    return dict(kind.inputs.items), dict(kind.variables)


def test_an_expression_becomes_a_variable_and_the_script_reads_it():
    inputs, variables = action(build("{command: 'make ${{ inputs.target }}'}"))

    assert inputs == {"command": 'make ${SS_TARGET:+"$SS_TARGET"}'}
    assert list(variables) == ["SS_TARGET"]
    assert isinstance(variables["SS_TARGET"], Computed)


def test_a_script_without_expressions_and_inputs_of_other_kinds_stay():
    inputs, variables = action(build("{command: make all, artifact: '${{ inputs.target }}'}"))

    assert inputs["command"] == Constant("make all")
    assert isinstance(inputs["artifact"], Computed)
    assert variables == {}


def test_a_secret_may_stand_beside_an_expression():
    """They are variables of their own; a text that held both would be refused."""
    _, variables = action(build("{command: 'a ${{ secrets.TOKEN }} ${{ inputs.target }}'}"))

    assert [type(value) for value in variables.values()] == [Secret, Computed]


def test_two_scripts_of_one_step_share_no_variable():
    inputs, variables = action(
        build("{command: 'make ${{ inputs.target }}', after: 'echo ${{ run.id }}'}")
    )

    assert len(variables) == 2
    assert all(name in str(inputs) for name in variables)


def test_a_variable_of_the_step_s_own_keeps_its_name():
    _, variables = action(
        build("{command: 'make ${{ inputs.target }}'}", ", env: {SS_TARGET: mine}")
    )

    assert "SS_TARGET" not in variables
    assert len(variables) == 1


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("make ${{ inputs.nothing }}", "unknown-member"),
        ("make '", "run-script-syntax"),
        ("cat <<'E'\\n${{ inputs.target }}\\nE", "run-quoted-heredoc"),
    ],
)
def test_what_a_script_of_run_may_not_say_these_may_not_either(command: str, code: str):
    found = build(f'{{command: "{command}", artifact: "${{{{ inputs.target }}}}"}}')

    assert found.codes == [code]


@pytest.mark.parametrize(
    ("inputs", "codes"),
    [
        ("{command: 'echo $GITHUB_REF'}", ["github-only"]),
        ("{command: 'echo $GITHUB_REF', options: {github_ref: x}}", []),
        ("{command: 'echo ::add-path::/x'}", ["github-command"]),
    ],
)
def test_it_finds_what_a_script_of_a_step_finds_and_its_options(inputs: str, codes: list[str]):
    takes = schema({}, command=SHELL, options={"type": "object"})
    around = replace(AROUND, catalogue={"build-artifact": replace(BUILD, inputs=takes)})
    step = f"{{id: a, action: build-artifact, inputs: {inputs}}}"

    assert checked(f"name: Built\nsteps:\n  - {step}\n", around).codes == codes
