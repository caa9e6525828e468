"""The `run` action: secrets show nowhere in what is kept of a script's talk."""

from __future__ import annotations

from functions.actions.run import ACTION
from functions.domain.masking import Masks
from tests.functions.actions.kit import context


def test_what_a_script_said_is_kept_with_its_secrets_masked(tmp_path):
    here = context(tmp_path, env={"TOKEN": "hunter2\nline two"}, masks=Masks(["hunter2\nline two"]))
    script = 'echo "it is $TOKEN"; echo "$TOKEN" >&2; echo "a=${TOKEN:0:3}" >> $GITHUB_OUTPUT'
    assert ACTION.call({"script": script}, here) == {"a": "hun"}
    kept = {path.name: path.read_text() for path in (tmp_path / "logs").iterdir()}
    assert kept == {"attempt-1.stdout": "it is ***\n***\n", "attempt-1.stderr": "***\n***\n"}
