"""A workflow for a run on this machine: with all that it calls, or refused with its mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.here.secrets import secrets_here
from cli.project.compile_file import Refused, compile_path
from tests.cli.calling import HELLO, write


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


def test_a_workflow_comes_with_those_it_calls_directly_or_not():
    write(Path("stepsmith.yaml"), "")
    write(Path("workflows/leaf.yaml"), HELLO)
    call = (
        "name: {}\nsteps: [{{id: c, type: subworkflow, workflow: {}}}]\non_failure: {{run: echo}}\n"
    )
    write(Path("workflows/middle.yaml"), call.format("Middle", "hello"))
    top = write(Path("workflows/top.yaml"), call.format("Top", "middle"))

    program = compile_path(top)

    assert program.workflow == "top"
    assert set(program.machines) == {"top", "top--close", "middle", "middle--close", "hello"}
    assert program.lines == {"c": 2}


def test_a_version_that_a_step_names_is_found_under_that_name():
    write(Path("stepsmith.yaml"), "")
    write(Path("workflows/one.yaml"), f"version: '1'\n{HELLO}")
    write(Path("workflows/two.yaml"), f"version: '2'\n{HELLO}")
    step = "steps: [{id: c, type: subworkflow, workflow: hello@1}]\n"

    program = compile_path(write(Path("workflows/top.yaml"), step))

    assert set(program.machines) == {"top", "hello@1"}


def test_a_mistake_anywhere_refuses_the_run():
    write(Path("stepsmith.yaml"), "")
    write(Path("workflows/child.yaml"), HELLO + "    conditon: true\n")
    step = "steps: [{id: c, type: subworkflow, workflow: hello}]\n"
    top = write(Path("workflows/top.yaml"), step)

    with pytest.raises(Refused) as refused:
        compile_path(top)

    assert "--> workflows/child.yaml:5:5" in str(refused.value)
    assert {found.source.name for found in refused.value.diagnostics} == {"workflows/child.yaml"}


def test_secrets_come_from_the_environment_and_else_from_the_project():
    write(Path(".secrets"), "# NOT=this\nTOKEN = from=file \nBOTH=file\n\nnothing\n")

    found = secrets_here(Path(), {"BOTH": "environment", "HOME": "/"})

    assert found == {"TOKEN": "from=file", "BOTH": "environment", "HOME": "/"}


def test_no_file_of_secrets_is_no_mistake():
    assert secrets_here(Path(), {"A": "b"}) == {"A": "b"}
