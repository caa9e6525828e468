"""A project's own actions, carried out in runs on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import call, write

ACTION = '''
    from __future__ import annotations

    from dataclasses import dataclass

    from pydantic import BaseModel

    from functions.domain.action import Action


    @dataclass
    class Greeting:
        word: str


    class Refused(Exception):
        """Nobody is greeted."""


    class Inputs(BaseModel):
        name: str
        door: str = "open"


    class Outputs(BaseModel):
        greeting: str
        attempt: int


    def run(inputs, context):
        if inputs.name == "nobody" and context.attempt == 1:
            raise Refused(f"the {inputs.door} is shut")
        greeting = Greeting("Hello")
        return Outputs(greeting=f"{greeting.word}, {inputs.name}", attempt=context.attempt)


    ACTION = Action(
        "greet", Inputs, Outputs, run, repeatable=True, error_types=(Refused,)
    )
'''
WRONG = "name: W\nsteps:\n  - id: greet\n    action: greet\n    inputs: {nmae: Ada}\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with an action of its own, which the calls of the test are made in."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", "stages: {local: {}}\n")
    write(tmp_path / "actions/greet.py", ACTION)
    return tmp_path


def ran(name: str, more: str = "", *options: str):
    """Run a workflow of one step that calls the action; return its code and the step's record."""
    write(
        Path("workflows/w.yaml"),
        f"name: W\nsteps:\n  - id: greet\n    action: greet\n    inputs: {{name: {name}}}\n{more}",
    )
    ended = call("run", "workflows/w.yaml", "--format", "json", *options)
    return ended.code, json.loads(ended.out)["steps"][0]


@pytest.mark.usefixtures("project")
def test_a_step_gets_what_the_action_gives():
    code, step = ran("Ada")

    assert (code, step["status"]) == (0, "succeeded")
    assert step["outputs"] == {"greeting": "Hello, Ada", "attempt": 1}


@pytest.mark.usefixtures("project")
def test_an_error_of_its_own_fails_the_step_under_its_name():
    code, step = ran("nobody")

    assert (code, step["status"]) == (1, "failed")
    assert step["error"] == {"type": "Refused", "message": "the open is shut"}


@pytest.mark.usefixtures("project")
def test_an_error_of_its_own_can_be_retried():
    retry = "    retry: {count: 2, delay: 1h, conditions: [{error_type: Refused}]}\n"

    code, step = ran("nobody", retry)

    assert (code, step["status"], step["attempt"]) == (0, "succeeded", 2)
    assert step["outputs"]["attempt"] == 2


def test_a_scenario_carries_it_out_too(project):
    ran("Ada")
    write(
        project / "workflows/w.test.yaml",
        """
        workflow: w.yaml
        cases:
          - name: it greets
            expect: {steps: {greet: {outputs: {greeting: "Hello, Ada"}}}}
        """,
    )

    assert call("test").code == 0


def test_inputs_are_checked_when_compiling(project):
    ended = call("run", write(project / "workflows/w.yaml", WRONG))

    assert (ended.code, ended.out) == (1, "")
    assert "nmae" in ended.err


def test_two_files_cannot_hold_an_action_of_one_name(project):
    write(project / "actions/greet_too.py", ACTION)

    ended = call("validate", write(project / "workflows/w.yaml", WRONG))

    assert ended.code == 1
    assert ended.err == (
        f"stepsmith validate: {project}/actions/greet_too.py: there is another action 'greet'\n"
    )


def test_no_file_of_the_project_is_run_where_no_step_needs_one(project):
    """Its actions are read only when a name is asked for that is not built in."""
    write(project / "actions/broken.py", "raise RuntimeError\n")
    plain = write(project / "workflows/p.yaml", "name: P\nsteps: [{id: a, run: 'true'}]\n")

    assert call("run", plain).code == 0
