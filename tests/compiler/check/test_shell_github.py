"""What scripts expect of the runner of GitHub Actions."""

from __future__ import annotations

import re
import subprocess

import pytest

from compiler.check.shell import of_github, said_to_github
from compiler.check.shell.github import VARIABLES
from tests.compiler.check.checked import checked


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("f() { echo '::set-output name=x::1'; }; f", "::set-output::"),
        ("printf '::add-path::/x\\n'; echo ::save-state name=a::b", "::add-path:: ::save-state::"),
        # What only shapes a log, and plain text.
        ("echo ::group::a; echo '::error file=x::b'; echo a::set-output::b", ""),
        ("grep ::set-output:: .github/workflows/*.yml", ""),
    ],
)
def test_a_command_is_seen_where_it_is_printed(script: str, expected: str):
    assert [said.name for said in said_to_github(script)] == expected.split()


READ = [
    ('echo "A=1" >> "$GITHUB_ENV"', "GITHUB_ENV"),
    ("echo a >/dev/null; echo /x >>$GITHUB_PATH; cat ${GITHUB_ENV}", "GITHUB_PATH"),
    ("{ echo a; echo b; } >> $GITHUB_STATE", "GITHUB_STATE"),
    ("x=$(echo a | tee -a $GITHUB_STEP_SUMMARY)", "GITHUB_STEP_SUMMARY"),
    ('if true; then cat <<EOF >> "${GITHUB_ENV}"\na=1\nEOF\nfi', "GITHUB_ENV"),
    ('echo "tag-$GITHUB_SHA" $GITHUB_SHA', "GITHUB_SHA"),
    ("echo ${GITHUB_SHA:0:7} # $GITHUB_REF", "GITHUB_SHA"),
    ('v=${GITHUB_REF#refs/tags/}; echo "$v"', "GITHUB_REF"),
    ("cat <<EOF\n$GITHUB_REF_NAME\nEOF", "GITHUB_REF_NAME"),
    ("cat <<< $GITHUB_REF_NAME", "GITHUB_REF_NAME"),
    ('cd "${GITHUB_WORKSPACE:?}"', "GITHUB_WORKSPACE"),
    ("echo `echo $RUNNER_TEMP`", "RUNNER_TEMP"),
    ("echo $((1 + $GITHUB_RUN_NUMBER)) ${#GITHUB_REF}", "GITHUB_RUN_NUMBER"),
    ("case $RUNNER_OS in Linux) echo a ;; esac", "RUNNER_OS"),
    ("f() { echo $GITHUB_ACTOR; }; f", "GITHUB_ACTOR"),
    ("for x in a $GITHUB_JOB; do echo $x; done", "GITHUB_JOB"),
    ("[[ $GITHUB_EVENT_NAME == push ]]", "GITHUB_EVENT_NAME"),
    ("a=(1 $GITHUB_SHA)", "GITHUB_SHA"),
    ("echo ${X:-$GITHUB_SHA}", "GITHUB_SHA"),
    # What sets it for a program alone, or from itself.
    ("GITHUB_TOKEN=$GITHUB_TOKEN env", "GITHUB_TOKEN"),
    ("export GITHUB_TOKEN=$GITHUB_TOKEN", "GITHUB_TOKEN"),
    ("GITHUB_SHA=x echo $GITHUB_SHA", "GITHUB_SHA"),
]
QUIET = [
    # What is in its place here, and what no shell reads.
    "echo a=1 >> $GITHUB_OUTPUT; echo $CI",
    "echo '$GITHUB_ENV'; echo x > '/dev/null'  # >> $GITHUB_ENV",
    "cat <<'EOF'\n$GITHUB_SHA\nEOF",
    'echo "\\$GITHUB_SHA" \\$GITHUB_REF',
    "echo GITHUB_SHA MY_$X$Y; MY_GITHUB_SHA=1; echo $MY_GITHUB_SHA",
    # What the script sets itself.
    'GITHUB_ENV=$(mktemp); echo a=1 >> "$GITHUB_ENV"',
    "export GITHUB_SHA=x; echo $GITHUB_SHA",
    'GITHUB_REF="${GITHUB_REF:-main}"; echo $GITHUB_REF',
    ": ${GITHUB_REF:=main}; echo $GITHUB_REF",
    ": ${GITHUB_REF=main}; echo $GITHUB_REF",
    "read -r GITHUB_SHA GITHUB_REF <<< 'a b'; echo $GITHUB_SHA $GITHUB_REF",
    "for GITHUB_REF in a b; do echo $GITHUB_REF; done",
    "printf -v RUNNER_TEMP %s x; echo $RUNNER_TEMP",
    "f() { local RUNNER_OS=x; echo $RUNNER_OS; }; f",
    # What it asks for.
    'echo a=1 >> "${GITHUB_ENV:-/dev/null}"',
    "echo ${GITHUB_SHA-none} ${GITHUB_REF+there} ${GITHUB_REF:+there}",
    'if [ -n "${GITHUB_ENV:-}" ]; then echo a=1 >> "$GITHUB_ENV"; fi',
    "if [[ -v GITHUB_SHA ]]; then echo $GITHUB_SHA; fi",
    "if test -v GITHUB_SHA; then echo $GITHUB_SHA; fi",
    'if [ "${GITHUB_ACTIONS:-}" = true ]; then echo $GITHUB_SHA >> $GITHUB_ENV; fi',
    # What may be set by others, or need not be.
    "set +u; echo $GITHUB_SHA",
    "set +o nounset; echo $GITHUB_SHA",
    "set +eu; echo $GITHUB_SHA",
    "echo GITHUB_SHA=a > x; . ./x; echo $GITHUB_SHA",
    "eval GITHUB_SHA=a; echo $GITHUB_SHA",
    "export $(echo GITHUB_SHA=a); echo $GITHUB_SHA",
]


@pytest.mark.parametrize(("script", "expected"), READ)
def test_a_variable_that_nobody_sets_is_seen_where_it_is_read(script: str, expected: str):
    assert of_github(script)[0].name == expected


@pytest.mark.parametrize("script", QUIET)
def test_what_a_script_sets_or_asks_for_is_its_own(script: str):
    assert of_github(script) == ()


@pytest.mark.parametrize("script", [*(script for script, _ in READ), *QUIET])
def test_bash_ends_a_script_where_one_is_seen(script: str, tmp_path):
    """As scripts are run, in an environment without one of GitHub's variables."""
    (tmp_path / "outputs").touch()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "CI": "true", "GITHUB_OUTPUT": "outputs", "X": "", "Y": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    is_unset = re.search(r"unbound variable|parameter null or not set", done.stderr) is not None
    assert is_unset is bool(of_github(script)), done.stderr


def test_each_is_named_once_in_a_script_in_order():
    script = "echo $GITHUB_REF; echo $GITHUB_SHA $GITHUB_REF >> $GITHUB_ENV"

    assert [one.name for one in of_github(script)] == ["GITHUB_REF", "GITHUB_SHA", "GITHUB_ENV"]


def test_it_has_its_place():
    """Characters of the script as written, expressions included, inside of quotes and backticks."""
    script = 'echo "${{ inputs.a }}" `echo "${{ inputs.b }} ${GITHUB_REF%x}"` >> "$GITHUB_ENV"'

    found = [script[one.start : one.end] for one in of_github(script)]

    assert found == ["${GITHUB_REF%x}", "$GITHUB_ENV"]


def test_a_variable_of_that_name_that_the_step_sets_is_its_own():
    found = checked(
        "name: Own\n"
        "env: {GITHUB_ENV: /tmp/variables}\n"
        "steps:\n"
        "  - id: build\n"
        "    env: {GITHUB_SHA: x}\n"
        '    run: "echo A=$GITHUB_SHA >> $GITHUB_ENV"\n'
    )

    assert found.codes == []


@pytest.mark.parametrize("name", VARIABLES)
def test_what_is_to_be_written_instead_compiles(name: str):
    """Each `env` that is advised, on a step that reads the variable."""
    advice = VARIABLES[name]
    advised = re.search(r"`(env: \{.+?\"\})`", advice)
    if advised is None:
        assert "env:" not in advice
        return
    read = "EVENT" if "EVENT:" in advised[1] else advised[1].partition("{")[2].partition(":")[0]

    found = checked(
        "name: Advised\n"
        "trigger: {type: git-push, repository: github.com/org/app}\n"
        "steps:\n"
        "  - id: read\n"
        f"    {advised[1]}\n"
        f"    run: echo ${read}\n"
    )

    assert found.codes == []
