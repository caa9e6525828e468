"""Commands of actions: whoever starts a run chooses values, never what is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.local.runs import compiled, played, steps_of

TEXT = """
    name: Built
    inputs: {target: string}
    steps:
      - id: build
        action: build-artifact
        inputs:
          command: |
            printf %s ${{ inputs.target }} > made
            printf %s "<${{ inputs.target }}>" >> made
            printf %s '<${{ inputs.target }}>' >> made
            test ! -e pwned
          artifact: made
      - {id: look, run: cat made}
"""


@pytest.mark.parametrize(
    "value",
    ["all", "a; touch pwned", "$(touch pwned)", "`touch pwned`", "' ; touch pwned #",
     '" ; touch pwned #', "a\ntouch pwned", "-n", "*", "${{ inputs.target }}", "ünï ☃"],
)  # fmt: skip
def test_a_value_reaches_the_command_as_it_is_and_nothing_of_it_is_run(value: str, tmp_path: Path):
    _, record = played(compiled(TEXT), {}, inputs={"target": value}, keep=tmp_path / "kept")

    assert steps_of(record)["build"]["status"] == "succeeded"
    (log,) = (tmp_path / "kept/logs").rglob("look*/*.stdout")
    assert log.read_text().rstrip("\n") == f"{value}<{value}><{value}>"
