"""Secrets reach whatever step names them in runs on this machine, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from local.stage.setting import Setting
from tests.cli.calling import Ended, call, write
from tests.local.stages import staged

SECRET = "hunter2-is-long"
READS = 'TOKEN: "${{ secrets.DEPLOY_TOKEN }}"'
NOTES = 'echo "{} $TOKEN/${{DEPLOY_TOKEN:-none}}" >> "$SEEN"; echo "said $TOKEN"'


def script(name: str, *, more: str = "") -> str:
    """Return a step that notes what it finds under both names, where `SEEN` says."""
    return f"""
  - id: {name}
    env: {{{READS}}}
    run: |
      {NOTES.format(name)}
      echo "token=$TOKEN" >> "$GITHUB_OUTPUT"
    outputs: {{token: "${{{{ steps.{name}.outputs.token }}}}"}}
    {more}"""


def action(name: str, called: str, *, more: str = "") -> str:
    return f"""
  - id: {name}
    action: {called}
    env: {{{READS}}}
    inputs:
      command: |
        {NOTES.format(name)}
        mkdir -p dist; echo x > dist/x
    {more}"""


LOOKS = """
  - {id: look, run: 'echo "look ${DEPLOY_TOKEN:-none}" >> "$SEEN"'}"""
BUILD = "runner: codebuild"
FORMS = {
    "on Lambda": script("a"),
    "on CodeBuild": script("a", more=BUILD),
    "by the programs it calls": script("a").replace("      echo", "      git --version; echo", 1),
    "as an expression": """
  - id: a
    runner: codebuild
    run: echo "a "${{ secrets.DEPLOY_TOKEN }}/none >> "$SEEN" """,
    "as a part of a text": script("a", more=BUILD)
    .replace("${{ secrets", "t-${{ secrets")
    .replace('"a $TOKEN', '"a ${TOKEN#t-}'),
    "tests": action("a", "run-tests"),
    "tests on Lambda": action("a", "run-tests", more="runner: lambda"),
    "a build": action("a", "build-artifact"),
    "items": script("a", more=f"{BUILD}\n    for_each: [1]"),
    "attempts": script("a", more=f"{BUILD}\n    retry: {{count: 2}}"),
}
AFTER_FAILURE = {
    "an undo": f"""
  - id: do
    run: echo done
    compensate:
      id: a
      {BUILD}
      env: {{{READS}}}
      run: |
        {NOTES.format("a")}
  - {{id: fail, run: 'exit 1'}}
""",
    "a handler": f"""
  - {{id: fail, run: 'exit 1'}}
on_failure:{script("a", more=BUILD)}
""",
}


def workflow(steps: str) -> str:
    return f"name: Reader\nsteps:{LOOKS}{steps}\n"


@pytest.fixture
def seen(tmp_path, monkeypatch) -> Path:
    """Where scripts note what they find; the caller has the secret in its environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEPLOY_TOKEN", SECRET)
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    write(tmp_path / "stepsmith.yaml", "stages: {local: {}}\n")
    return tmp_path / "seen"


def run(*options: str) -> Ended:
    argv = ("run", "workflows/w.yaml", "--secret", "DEPLOY_TOKEN", *options)
    return call(*argv, environ={"DEPLOY_TOKEN": SECRET})


def found(seen: Path) -> set[str]:
    return set(seen.read_text(encoding="utf-8").splitlines())


EXPECTED = {f"a {SECRET}/none", "look none"}


@pytest.mark.parametrize("form", FORMS)
def test_a_run_hands_a_secret_to_the_step_that_names_it(seen, form):
    write(seen.parent / "workflows/w.yaml", workflow(FORMS[form]))

    ended = run()

    assert ended.code == 0, ended.out
    assert found(seen) == EXPECTED
    assert SECRET not in ended.out + ended.err


@pytest.mark.parametrize("form", AFTER_FAILURE)
@pytest.mark.parametrize("options", [(), ("--keep", "kept")])
def test_what_comes_after_a_failure_finds_it(seen, form, options):
    write(seen.parent / "workflows/w.yaml", workflow(AFTER_FAILURE[form]))

    ended = run(*options)

    assert found(seen) == EXPECTED, ended.out
    assert SECRET not in ended.out + ended.err


@pytest.mark.parametrize("more", ["", BUILD])
@pytest.mark.parametrize("options", [(), ("--keep", "kept")])
def test_a_child_finds_it_and_what_is_kept_does_not_show_it(seen, more, options):
    folder = seen.parent
    write(
        folder / "workflows/w.yaml", workflow("\n  - {id: c, type: subworkflow, workflow: child}")
    )
    write(folder / "workflows/child.yaml", f"name: child\nsteps:{script('a', more=more)}\n")

    ended = run(*options)

    assert ended.code == 0, ended.out
    assert found(seen) == EXPECTED
    kept = [path for path in folder.rglob("kept/**/*") if path.is_file()]
    assert [path for path in kept if SECRET.encode() in path.read_bytes()] == []
    assert bool(kept) is bool(options)


@pytest.mark.parametrize("more", ["", BUILD])
def test_a_case_finds_it_in_the_file_of_secrets(seen, monkeypatch, more):
    monkeypatch.delenv("DEPLOY_TOKEN")
    folder = seen.parent
    write(folder / ".secrets", f"DEPLOY_TOKEN={SECRET}\n")
    write(folder / "workflows/w.yaml", workflow(script("a", more=more)))
    write(
        folder / "workflows/w.test.yaml",
        """
        workflow: w.yaml
        cases:
          - name: it runs
            expect: {status: succeeded}
        """,
    )

    ended = call("test")

    assert ended.code == 0, ended.out + ended.err
    assert found(seen) == EXPECTED
    assert SECRET not in ended.out + ended.err


@pytest.mark.parametrize("more", ["", BUILD])
def test_a_stage_finds_it(seen, more):
    folder = seen.parent
    setting = Setting(source=folder, secrets={"DEPLOY_TOKEN": SECRET}, keep=folder / "kept")
    with staged(folder, setting, w=workflow(script("a", more=more))) as bob:
        record = bob.record(bob.run("reader"))

    assert record["status"] == "succeeded"
    assert found(seen) == EXPECTED
    assert SECRET not in str(record)


@pytest.mark.parametrize("options", [(), ("--keep", "kept"), ("--until", "look")])
def test_what_is_given_and_not_read_is_in_no_environment(seen, options):
    steps = script("a") if "--until" in options else ""
    write(seen.parent / "workflows/w.yaml", workflow(steps))

    assert run(*options).code == 0
    assert found(seen) == {"look none"}
