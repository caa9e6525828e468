"""Variables in conditions: they are text, and a condition on one reads something."""

from __future__ import annotations

import pytest

from tests.compiler.check.checked import checked


def condition(text: str, env: str = "{NODE: 20}"):
    return checked(
        f"""
        name: Variables
        inputs: {{count: number}}
        env: {env}
        steps:
          - {{id: a, run: "echo ${{{{ inputs.count }}}}"}}
          - id: b
            run: echo
            condition: {text}
        """
    )


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("env.NODE == 20", "variables in `env` are text: write '20'"),
        ("20 != env.NODE", "variables in `env` are text: write '20'"),
        ("env.NODE == true", "variables in `env` are text: write 'true'"),
        ("env.NODE == inputs.count", "make it text: format('{0}', inputs.count)"),
    ],
)
def test_a_variable_is_compared_with_text(text, help_):
    found = condition(text)
    assert (found.codes, found.helps) == (["compare-types"], [help_])


def test_a_variable_made_of_an_expression_is_text_as_well():
    found = condition("env.NODE == 20", env='{NODE: "v${{ inputs.count }}"}')
    assert found.codes == ["compare-types"]


def test_a_condition_on_a_variable_reads_something():
    assert condition("env.NODE == '20'").codes == []


def test_a_condition_with_an_error_is_not_said_to_be_the_same_always():
    assert condition("1 == 'a'").codes == ["compare-types"]
    assert condition("1 == 2").codes == ["constant-condition"]
