"""`stepsmith validate` on files, folders, projects and standard input."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path
from textwrap import dedent

import pytest

from cli.commands.validate import watch
from cli.console import Console
from tests.cli.calling import HELLO, call, write

WRONG = """\
    name: Wrong
    steps:
      - id: hello
        run: echo hello
        conditon: always()
    """


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


def test_a_good_file_is_told_so_on_standard_output():
    write(Path("hello.yaml"), HELLO)

    ended = call("validate", "hello.yaml")

    assert (ended.code, ended.out, ended.err) == (0, "hello.yaml: no mistakes\n", "")


def test_a_mistake_is_the_product_and_ends_with_1():
    write(Path("wrong.yaml"), WRONG)

    ended = call("validate", "wrong.yaml")

    assert (ended.code, ended.err) == (1, "")
    first, rest = ended.out.split("\n", 1)
    assert first.startswith("error[unknown-key]: `conditon` is not a key of ")
    assert rest == dedent("""\
         --> wrong.yaml:5:5
          |
        5 |     conditon: always()
          |     ^^^^^^^^
          = help: did you mean `condition`?
          = see: stepsmith explain unknown-key

        wrong.yaml: 1 error
        """)


def test_standard_input_is_read_for_a_dash():
    ended = call("validate", "-", stdin=dedent(WRONG))

    assert ended.code == 1
    assert " --> <stdin>:5:5\n" in ended.out
    assert ended.out.endswith("<stdin>: 1 error\n")


def test_a_folder_is_searched_for_workflows_and_scenarios_are_none():
    write(Path("flows/a.yaml"), HELLO)
    write(Path("flows/deep/b.yml"), HELLO)
    write(Path("flows/a.test.yaml"), "cases: []\n")
    write(Path("flows/.git/c.yaml"), "no: workflow\n")

    ended = call("validate", "flows", "--format", "json")

    assert json.loads(ended.out)["files"] == ["flows/a.yaml", "flows/deep/b.yml"]


SCENARIOS = "workflow: hello.yaml\ncases:\n  - name: it runs\n"


def test_scenarios_that_a_shell_s_pattern_matches_are_left_out_as_of_a_folder():
    write(Path("hello.yaml"), HELLO)
    write(Path("hello.test.yaml"), SCENARIOS)

    assert call("validate", "hello.test.yaml", "hello.yaml").out == "hello.yaml: no mistakes\n"
    alone = call("validate", "hello.test.yaml")

    assert alone.code == 1
    assert "= help: run it with `stepsmith test hello.test.yaml`\n" in alone.out
    write(Path("cases.yaml"), SCENARIOS)
    assert "= help: name it *.test.yaml, and run it" in call("validate", "cases.yaml").out


@pytest.mark.parametrize("word", ["hello", "hello.yaml", "old/hello.yaml"])
@pytest.mark.parametrize("command", ["validate", "compile", "plan", "graph"])
def test_a_workflow_of_the_project_is_found_for_who_leaves_out_its_folder(word, command):
    write(Path("stepsmith.yaml"), "stages: {local: {}}\n")
    write(Path("workflows/hello.yaml"), HELLO)

    ended = call(command, word)

    assert ended.code == 2
    assert f"there is no file '{word}'\ndid you mean 'workflows/hello.yaml'?" in ended.err


def test_without_a_path_the_project_s_workflows_are_checked(monkeypatch: pytest.MonkeyPatch):
    write(Path("stepsmith.yaml"), "stages: {}\n")
    write(Path("workflows/hello.yaml"), HELLO)
    Path("deep/down").mkdir(parents=True)
    monkeypatch.chdir("deep/down")

    ended = call("validate")

    assert ended.code == 0
    assert ended.out.endswith("hello.yaml: no mistakes\n")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "there is no stepsmith.yaml here or above\nname a workflow file or a folder"),
        (["nowhere.yaml"], "there is no file 'nowhere.yaml'"),
        (["helo.yaml"], "there is no file 'helo.yaml'\ndid you mean 'hello.yaml'?"),
        (["empty"], "the folder 'empty' holds no workflow"),
        (["hello.yaml", "--stage", "prod"], "there is no stage 'prod'\nthe stages: 'local'"),
        (["-", "--watch"], "standard input cannot be watched"),
    ],
)
def test_what_is_not_there_is_a_wrong_call(argv: list[str], says: str):
    write(Path("hello.yaml"), HELLO)
    Path("empty").mkdir()

    ended = call("validate", *argv)

    assert (ended.code, ended.out, ended.err) == (2, "", f"stepsmith validate: {says}\n")


def test_mistakes_in_the_settings_are_reported_once():
    write(Path("stepsmith.yaml"), "stages: {prod: {regoin: eu-west-1}}\n")
    write(Path("workflows/a.yaml"), HELLO)
    write(Path("workflows/b.yaml"), HELLO.replace("Hello", "Other"))

    ended = call("validate")

    assert ended.code == 1
    assert ended.out.count("error[unknown-key]") == 1
    assert " --> stepsmith.yaml:1:17\n" in ended.out


def test_the_variables_are_those_of_the_stage():
    write(Path("stepsmith.yaml"), "stages: {dev: {vars: {a: x}}, prod: {vars: {a: y}}}\n")
    write(Path("flow.yaml"), HELLO.replace("echo hello", "echo ${{ vars.a }}"))

    assert call("validate", "flow.yaml", "--stage", "dev").code == 0
    write(Path("flow.yaml"), HELLO.replace("echo hello", "echo ${{ vars.b }}"))
    assert "vars" in call("validate", "flow.yaml", "--stage", "dev").out


def test_a_workflow_of_the_project_can_be_called_and_its_contract_is_kept():
    write(Path("stepsmith.yaml"), "")
    write(Path("workflows/child.yaml"), "inputs: {size: number}\n" + HELLO)
    calls = "steps: [{{id: c, type: subworkflow, workflow: {}, inputs: {{size: {}}}}}]\n"
    write(Path("workflows/right.yaml"), calls.format("hello", 3))
    write(Path("workflows/wrong.yaml"), calls.format("hello", "large"))

    assert call("validate", "workflows/right.yaml").code == 0
    assert "size" in call("validate", "workflows/wrong.yaml").out


def test_a_file_outside_a_project_finds_the_files_it_points_to():
    write(Path("parts/child.yaml"), HELLO)
    write(Path("flow.yaml"), "jobs: {call: {uses: ./parts/child.yaml}}\n")
    write(Path("lost.yaml"), "jobs: {call: {uses: ./parts/chlid.yaml}}\n")

    assert call("validate", "flow.yaml").code == 0
    assert "error[unknown-workflow]" in call("validate", "lost.yaml").out


def test_an_action_of_the_project_is_known_by_its_file():
    write(Path("stepsmith.yaml"), "")
    write(
        Path("actions/greet.py"),
        """\
        from pydantic import BaseModel
        from functions.domain.action import Action

        class Inputs(BaseModel):
            name: str

        class Outputs(BaseModel):
            text: str

        def run(inputs, context):
            return Outputs(text=f"hello {inputs.name}")

        ACTION = Action(name="greet", inputs=Inputs, outputs=Outputs, run=run)
        """,
    )
    write(Path("right.yaml"), "steps: [{id: a, action: greet, inputs: {name: x}}]\n")
    write(Path("wrong.yaml"), "steps: [{id: a, action: greet, inputs: {name: x, nam: x}}]\n")

    assert call("validate", "right.yaml").out == "right.yaml: no mistakes\n"
    assert "'nam'" in call("validate", "wrong.yaml").out


def test_an_action_that_cannot_be_read_is_named():
    write(Path("stepsmith.yaml"), "")
    write(Path("actions/greet.py"), "import nowhere_to_be_found\n")
    write(Path("flow.yaml"), "steps: [{id: a, action: greet}]\n")

    ended = call("validate", "flow.yaml")

    assert ended.code == 1
    assert "greet.py: ModuleNotFoundError: No module named 'nowhere_to_be_found'" in ended.err


def test_an_aws_call_is_checked_against_the_service_s_own_model():
    step = "steps: [{{id: a, action: 'aws:dynamodb:{}', inputs: {{TableName: t, Item: {{}}}}}}]\n"
    write(Path("right.yaml"), step.format("putItem"))
    write(Path("wrong.yaml"), step.format("putItm"))

    assert call("validate", "right.yaml").code == 0
    assert "did you mean 'aws:dynamodb:putItem'?" in call("validate", "wrong.yaml").out


def test_github_gets_its_commands():
    write(Path("wrong.yaml"), WRONG)

    ended = call("validate", "wrong.yaml", "--format", "github")

    assert ended.code == 1
    assert ended.out.startswith("::error file=wrong.yaml,line=5,col=5,endColumn=13,title=")


class Watched:
    """Edits a file, one text after the other, whenever `watch` lets time pass."""

    def __init__(self, path: Path, texts: list[str]) -> None:
        self._path = path
        self._texts = iter(texts)

    def __call__(self) -> None:
        text = next(self._texts, None)
        if text is None:
            raise KeyboardInterrupt
        if text:
            write(self._path, text)


def test_watch_checks_again_only_when_something_changed():
    path = write(Path("flow.yaml"), WRONG)
    out = io.StringIO()
    arguments = argparse.Namespace(paths=["flow.yaml"], format="text", stage=None)

    code = watch(
        arguments,
        Console(out, io.StringIO(), io.StringIO(), {}),
        Watched(path, ["", HELLO, "", ""]),
    )

    last = [line for line in out.getvalue().split("\n") if line.startswith("flow.yaml: ")]
    assert (code, last) == (0, ["flow.yaml: 1 error", "flow.yaml: no mistakes"])


def test_watch_sees_the_files_that_a_workflow_stands_beside():
    write(Path("stepsmith.yaml"), "")
    flow = write(Path("workflows/flow.yaml"), HELLO)
    settings = "stages: {prod: {regoin: x}}\n"
    out = io.StringIO()
    arguments = argparse.Namespace(paths=[str(flow)], format="text", stage=None)

    code = watch(
        arguments,
        Console(out, io.StringIO(), io.StringIO(), {}),
        Watched(Path("stepsmith.yaml"), [settings]),
    )

    assert code == 1
