"""Texts that name what there is to read without being expressions."""

from __future__ import annotations

import pytest

from tests.compiler.check.checked import checked

FLOW = """
name: Unmarked
inputs: {{who: string, n: integer}}
outputs: {{told: {{value: {output}}}}}
steps:
  - id: tell
    run: 'echo ${{{{ inputs.who }}}} ${{{{ inputs.n }}}}; {script}'
    env: {{WHO: {env}}}
    outputs: {{told: null}}
  - id: ask
    type: manual
    title: {title}
    assignees: [ann@example.com]
  - id: call
    type: publish
    event: app.built
    payload: {{all: [{body}]}}
"""
PLAIN = {"output": "x", "script": ":", "env": "x", "title": "x", "body": "x"}


def found(**texts: str):
    return checked(FLOW.format(**PLAIN | texts))


@pytest.mark.parametrize("place", ["output", "env", "title", "body"])
@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("inputs.who", 'write "${{ inputs.who }}"'),
        ("steps.tell.outputs.told", 'write "${{ steps.tell.outputs.told }}"'),
        ('"{{ inputs.who }}"', "write ${{ inputs.who }}"),
        ('"for {{steps.tell.status}}!"', "write ${{ steps.tell.status }}"),
        ('"${inputs.who}"', "write ${{ inputs.who }}"),
    ],
)
def test_a_path_that_is_no_expression_is_warned_of_in_every_value(place, text, help_):
    told = found(**{place: text})
    assert (told.codes, told.helps) == (["unmarked-expression"], [help_])


def test_in_a_script_only_braces_are_warned_of():
    assert found(script="echo {{ inputs.who }} inputs.n").codes == ["unmarked-expression"]
    assert found(script="echo inputs.who; cat inputs.n").codes == []


@pytest.mark.parametrize(
    "text",
    [
        "inputs.csv",  # a file
        "steps.unknown.outputs.x",
        "steps.tell",
        "github.com",
        '"{{ .State.Status }} {{ item }}"',
        '"$inputs.who"',
        '"read inputs.who"',
        '"${{ inputs.who }}"',
    ],
)
def test_what_nothing_is_called_and_other_tools_braces_stay_what_they_are(text):
    assert found(env=text, body=text).codes == []
