"""`stepsmith run --secret` and `--until`."""

from __future__ import annotations

import json

import pytest

from tests.cli.calling import call, write

READER = """
    name: Reader
    steps:
      - id: read
        env: {TOKEN: "${{ secrets.TOKEN }}"}
        run: |
          echo "said $TOKEN"
          echo "given=$TOKEN" >> "$GITHUB_OUTPUT"
          echo "on the way to $TOKEN" >&2
          [ -z "$FAIL" ]
        outputs: {given: none}
"""
SECRET = 'hush "hush" ü'
TOKEN = {"TOKEN": SECRET}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the workflow that reads a secret, which the calls of the test are made in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIL", "")
    write(tmp_path / "reader.yaml", READER)
    return tmp_path


def test_a_secret_reaches_its_step_and_is_shown_nowhere(folder):
    """The step's output is the secret: the mask stands in its place."""
    ended = call("run", "reader.yaml", "--secret", "TOKEN", "--keep", "kept", environ=TOKEN)

    assert ended.code == 0
    assert "  read  succeeded                     given=***\n" in ended.out
    assert SECRET not in ended.out + ended.err
    kept = [path.read_bytes() for path in (folder / "kept").rglob("*") if path.is_file()]
    assert [file for file in kept if SECRET.encode() in file] == []
    assert any(b"said ***" in file for file in kept)


@pytest.mark.usefixtures("folder")
def test_a_secret_is_not_in_what_is_shown_of_a_failure(monkeypatch):
    monkeypatch.setenv("FAIL", "yes")

    ended = call("run", "reader.yaml", "--secret", "TOKEN", environ=TOKEN)

    assert ended.code == 1
    assert "on the way to ***" in ended.out
    assert "on the way to ***" in ended.err
    assert "hush" not in ended.out + ended.err


@pytest.mark.usefixtures("folder")
def test_a_secret_is_not_in_the_record():
    ended = call("run", "reader.yaml", "--secret", "TOKEN", "--format", "json", environ=TOKEN)

    assert json.loads(ended.out)["steps"][0]["outputs"] == {"given": "***"}
    assert "hush" not in ended.out + ended.err


def test_a_secret_that_came_by_another_way_is_not_shown_either(folder):
    """An input with the same value: no function knows that it is one."""
    write(
        folder / "echo.yaml",
        """
        name: Echo
        inputs: {word: string}
        outputs: {word: {value: "${{ steps.say.outputs.word }}"}}
        steps:
          - id: say
            run: echo "word="${{ inputs.word }} >> "$GITHUB_OUTPUT"
            outputs: {word: none}
        """,
    )
    argv = ["run", "echo.yaml", "--secret", "TOKEN", "--input", f"word={SECRET}"]

    text, record = call(*argv, environ=TOKEN), call(*argv, "--format", "json", environ=TOKEN)

    assert text.out.endswith('outputs: {"word": "***"}\n')
    assert json.loads(record.out)["outputs"] == {"word": "***"}
    assert "hush" not in text.out + text.err + record.out + record.err


def test_a_script_sees_a_secret_only_where_the_workflow_passes_it_on(folder, monkeypatch):
    """It is in the environment of the command, and not in the script's."""
    monkeypatch.setenv("TOKEN", SECRET)
    write(
        folder / "two.yaml",
        """
        name: Two
        steps:
          - {id: read, env: {GIVEN: "${{ secrets.TOKEN }}"}, run: 'test -n "$GIVEN"'}
          - {id: look, run: 'test -z "${TOKEN:-}"'}
        """,
    )

    assert call("run", "two.yaml", "--secret", "TOKEN", environ=TOKEN).code == 0


def test_a_secret_is_found_in_the_project_s_file(folder):
    write(folder / ".secrets", "# mine\nTOKEN=from the file\n")

    ended = call("run", "reader.yaml", "--secret", "TOKEN")

    assert ended.code == 0
    assert "from the file" not in ended.out + ended.err


@pytest.mark.parametrize("environ", [{}, {"TOKEN": ""}])
def test_a_secret_without_a_value_is_named(folder, environ):
    ended = call("run", "reader.yaml", "--secret", "TOKEN", "--secret", "OTHER", environ=environ)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "stepsmith run: no value for the secret 'TOKEN', 'OTHER'\n"
        f"set it in the environment, or write NAME=value to {folder / '.secrets'}\n"
    )


@pytest.mark.usefixtures("folder")
def test_a_secret_that_is_not_given_is_told_before_its_step_fails():
    ended = call("run", "reader.yaml", environ=TOKEN)

    assert ended.code == 1
    assert ended.err.startswith(
        "note: 'read' reads the secret 'TOKEN': --secret TOKEN gives it\n▸ read  started\n"
    )
    assert "read: ValidationError: there is no secret 'TOKEN' in this stage\n" in ended.out


@pytest.mark.usefixtures("folder")
def test_a_case_is_played_without_these_options():
    for option in ("--secret", "--until"):
        ended = call("run", "reader.yaml", "--scenario", "reader.test.yaml", option, "read")
        assert ended.code == 2
        assert ended.err.startswith(f"stepsmith run: {option} cannot be given with --scenario: ")


TARGETS = """
    name: Targets
    outputs:
      from_d: {value: "${{ steps.d.outputs.x }}"}
      from_e: {value: "${{ steps.e.outputs.x }}"}
    steps:
      - {id: a, depends_on: [], run: 'true'}
      - {id: b, depends_on: [a], run: 'true'}
      - {id: c, depends_on: [a], run: 'true'}
      - {id: d, depends_on: [b, c], run: 'true', outputs: {x: from d}}
      - {id: e, depends_on: [c], run: 'true', outputs: {x: from e}}
    on_failure: {run: 'false'}
"""


def test_only_up_to_a_step_runs_it_and_what_it_depends_on(folder):
    write(folder / "targets.yaml", TARGETS)

    ended = call("run", "targets.yaml", "--until", "e")

    assert ended.code == 0
    assert "  b  not carried out\n  d  not carried out\n" in ended.out
    assert ended.out.endswith('outputs: {"from_e": "from e"}\n')
    assert [line for line in ended.err.splitlines() if "started" in line] == [
        "▸ a  started",
        "▸ c  started",
        "▸ e  started",
    ]


def test_the_record_names_the_steps_that_were_left_out(folder):
    write(folder / "targets.yaml", TARGETS)

    record = json.loads(call("run", "targets.yaml", "--until", "b", "--format", "json").out)

    assert [step["step_id"] for step in record["steps"]] == ["a", "b"]
    assert record["not_carried_out"] == ["c", "d", "e"]
    assert record["outputs"] == {}


def test_an_unknown_step_is_answered_with_the_nearest(folder):
    write(
        folder / "targets.yaml",
        TARGETS.replace("id: b", "id: every-one").replace("[b", "[every-one"),
    )

    ended = call("run", "targets.yaml", "--until", "every-on")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "stepsmith run: there is no step 'every-on' in the workflow\ndid you mean 'every-one'?\n"
    )


def test_a_step_is_named_with_hyphens_or_underscores(folder):
    """They are alike in ids."""
    write(folder / "targets.yaml", TARGETS.replace("id: b", "id: b-1").replace("[b", "[b-1"))

    ended = call("run", "targets.yaml", "--until", "b_1")

    assert ended.code == 0
    assert "  b-1  succeeded\n" in ended.out


@pytest.mark.parametrize("region", ["eu-central-1", "ap-southeast-2"])
def test_a_secret_is_found_whatever_region_the_shell_names(folder, monkeypatch, region):
    """A local run's Secrets Manager is its own."""
    assert (folder / "reader.yaml").is_file()
    monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    monkeypatch.setenv("AWS_REGION", region)

    assert call("run", "reader.yaml", "--secret", "TOKEN", environ=TOKEN).code == 0


FORM = """
name: Form
steps:
  - id: review
    type: manual
    title: Go?
    assignees: [a@example.com]
    form: {type: object, properties: {ticket: {type: string}}, required: [REQUIRED]}
"""


def test_a_form_that_no_option_fills_in_is_told_beforehand(tmp_path, monkeypatch):
    """The refusal alone would not say how a form is given."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "form.yaml", FORM.replace("REQUIRED", "ticket"))

    ended = call("run", "form.yaml", "--decide", "review=approved")

    assert ended.code == 1
    assert ended.err.startswith(
        "note: --decide review=approved is refused: the form of 'review' is not filled in "
        "('ticket' is a required property). A decision of a scenario has a `form`; with --keep DIR "
        "`stepsmith approve review --form NAME=VALUE --keep DIR` does\n"
    )
    assert "note" not in call("run", "form.yaml", "--decide", "review=rejected").err


def test_a_form_that_may_stay_empty_is_no_matter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "form.yaml", FORM.replace("REQUIRED", ""))

    ended = call("run", "form.yaml", "--decide", "review=approved")

    assert (ended.code, "note" in ended.err) == (0, False)
