"""What scripts say to the runner of GitHub Actions."""

from __future__ import annotations

import pytest

from compiler.check.shell import said_to_github
from tests.compiler.check.checked import checked


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('echo "A=1" >> "$GITHUB_ENV"', "$GITHUB_ENV"),
        ("echo /x >>$GITHUB_PATH; echo a > ${GITHUB_ENV}", "$GITHUB_PATH $GITHUB_ENV"),
        ("{ echo a; echo b; } >> $GITHUB_STATE", "$GITHUB_STATE"),
        ("x=$(make | tee -a $GITHUB_STEP_SUMMARY)", "$GITHUB_STEP_SUMMARY"),
        ('if x; then cat <<EOF >> "${GITHUB_ENV}"\na=1\nEOF\nfi', "$GITHUB_ENV"),
        ("f() { echo '::set-output name=x::1'; }; f", "::set-output::"),
        ("printf '::add-path::/x\\n'; echo ::save-state name=a::b", "::add-path:: ::save-state::"),
        ("echo ${{ inputs.x }} >> $GITHUB_ENV", "$GITHUB_ENV"),
        # What is in its place here, what asks first, what only shapes a log, and plain text.
        ("echo a=1 >> $GITHUB_OUTPUT", ""),
        ('echo a=1 >> "${GITHUB_ENV:-/dev/null}"; cat < $GITHUB_ENV', ""),
        ("echo ::group::a; echo '::error file=x::b'; echo a::set-output::b", ""),
        ("echo '$GITHUB_ENV'; echo x > '$GITHUB_ENV'  # >> $GITHUB_ENV", ""),
        ("grep ::set-output:: .github/workflows/*.yml", ""),
    ],
)
def test_it_is_seen_where_it_is_said(script: str, expected: str):
    """Files that are written to, and the commands that are printed."""
    assert [said.name for said in said_to_github(script)] == expected.split()


def test_it_has_its_place():
    """Characters of the script as written, expressions included."""
    script = 'echo "${{ inputs.a }}" >> "$GITHUB_ENV"'

    (said,) = said_to_github(script)

    assert script[said.start : said.end] == '"$GITHUB_ENV"'


def test_a_variable_of_that_name_that_the_step_sets_is_its_own():
    found = checked(
        "name: Own\n"
        "env: {GITHUB_ENV: /tmp/variables}\n"
        "steps:\n"
        '  - {id: build, run: "echo A=1 >> $GITHUB_ENV"}\n'
    )

    assert found.codes == []
