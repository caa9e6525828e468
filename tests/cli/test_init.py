"""`stepsmith init`: a project that works at once, and an action whose test passes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.project.actions import load
from functions.domain.errors import ValidationError
from local.trial import call as call_action
from tests.cli.calling import call


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A new project, which the calls of the test are made in."""
    monkeypatch.chdir(tmp_path)
    assert call("init", "greetings").code == 0
    monkeypatch.chdir(tmp_path / "greetings")
    return tmp_path / "greetings"


def test_the_files_of_a_project_are_listed_with_what_to_try_next(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    ended = call("init", "my greetings")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "made my greetings/stepsmith.yaml\n"
        "made my greetings/app.py\n"
        "made my greetings/cdk.json\n"
        "made my greetings/workflows/hello.yaml\n"
        "made my greetings/workflows/hello.test.yaml\n"
        "made my greetings/.gitignore\n"
        "\n"
        "try next:\n"
        "  cd 'my greetings'\n"
        "  stepsmith test\n"
        "  stepsmith run workflows/hello.yaml --decide approve=approved --input name=Ada\n"
        "  stepsmith init --action greet\n"
        "\n"
        "to deploy into an account, with stepsmith[deploy] installed:\n"
        "  stepsmith build\n"
        "  npx cdk bootstrap\n"
        "  npx cdk deploy -c stage=dev\n"
    )
    made = (path for path in tmp_path.rglob("*") if path.is_file())
    assert sorted(str(path.relative_to(tmp_path)) for path in made) == [
        "my greetings/.gitignore",
        "my greetings/app.py",
        "my greetings/cdk.json",
        "my greetings/stepsmith.yaml",
        "my greetings/workflows/hello.test.yaml",
        "my greetings/workflows/hello.yaml",
    ]


def test_a_project_is_made_in_the_folder_itself(tmp_path, monkeypatch):
    """Nobody is told to go where they are."""
    monkeypatch.chdir(tmp_path)

    ended = call("init", ".")

    assert "made workflows/hello.yaml\n" in ended.out
    assert "  cd " not in ended.out
    assert (tmp_path / "stepsmith.yaml").is_file()


@pytest.mark.usefixtures("project")
def test_a_new_project_is_without_a_mistake():
    ended = call("validate")

    assert (ended.code, ended.out) == (0, "workflows/hello.yaml: no mistakes\n")


@pytest.mark.usefixtures("project")
def test_the_scenarios_of_a_new_project_pass():
    ended = call("test")

    assert ended.code == 0
    assert "3 passed" in ended.out


@pytest.mark.usefixtures("project")
def test_the_workflow_of_a_new_project_runs_as_the_command_proposes():
    ended = call(
        "run", "workflows/hello.yaml", "--decide", "approve=approved", "--input", "name=Ada"
    )

    assert ended.code == 0
    assert ended.out.endswith('outputs: {"sent": "Hello, Ada"}\n')


@pytest.mark.parametrize("there", ["stepsmith.yaml", "workflows/hello.test.yaml", ".gitignore"])
def test_a_file_that_is_there_is_left_as_it_is_and_no_other_is_written(tmp_path, there):
    path = tmp_path / there
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")

    ended = call("init", tmp_path)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"stepsmith init: '{path}' is there already, and is left as it is\n"
    assert path.read_text() == "mine"
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]


def test_a_project_cannot_be_made_in_a_file(tmp_path):
    (tmp_path / "greetings").write_text("")

    ended = call("init", tmp_path / "greetings")

    assert ended.code == 2
    assert ended.err.startswith(
        f"stepsmith init: '{tmp_path}/greetings/stepsmith.yaml' cannot be written: "
    )


@pytest.mark.parametrize("there", [[], [".git"]])
def test_an_empty_folder_becomes_a_project_without_being_named(tmp_path, monkeypatch, there):
    """A repository that was made a moment ago is empty, too."""
    monkeypatch.chdir(tmp_path)
    for name in there:
        (tmp_path / name).mkdir()

    ended = call("init")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("made stepsmith.yaml\n")
    assert "  cd " not in ended.out


@pytest.mark.parametrize("there", ["README.md", "stepsmith.yaml", ".gitignore"])
def test_a_folder_with_files_is_asked_for(tmp_path, monkeypatch, there):
    monkeypatch.chdir(tmp_path)
    (tmp_path / there).write_text("")

    ended = call("init")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "stepsmith init: this folder is not empty: say whether the project is made in it\n"
        "`stepsmith init .` makes it here, and overwrites nothing\n"
        "`stepsmith init DIR` makes it in a folder of its own\n"
        "`stepsmith init --action NAME` makes an action for a project\n"
    )
    assert [*tmp_path.iterdir()] == [tmp_path / there]


def test_a_call_makes_a_project_or_an_action():
    ended = call("init", "greetings", "--action", "greet")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "stepsmith init: a folder is for a new project, "
        "an action comes into the project of this folder\n"
        "stepsmith init DIR\n"
        "stepsmith init --action NAME\n"
    )


def test_where_there_is_no_pytest_the_way_to_it_is_said(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert call("init", "--action", "greet").out.endswith(
        "try next:\n  python -m pip install pytest\n  python -m pytest tests\n"
    )


def test_an_action_is_made_with_its_test_in_the_project_around(project, monkeypatch):
    monkeypatch.chdir(project / "workflows")

    ended = call("init", "--action", "say-hello")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "made ../actions/say_hello.py\n"
        "made ../tests/test_say_hello.py\n"
        "\n"
        "A step calls it with `action: say-hello`, in runs on this machine.\n"
        "\n"
        "try next:\n"
        "  python -m pytest ../tests\n"
    )
    assert load(project / "actions/say_hello.py").name == "say-hello"
    assert call("init", "--action", "say-hello").err == (
        "stepsmith init: '../actions/say_hello.py' is there already, and is left as it is\n"
    )


@pytest.mark.slow
def test_the_test_of_a_new_action_passes_and_can_fail(project):
    call("init", "--action", "say-hello")
    pytest_here = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]

    passed = subprocess.run(pytest_here, capture_output=True, text=True, check=False)
    action = project / "actions/say_hello.py"
    action.write_text(action.read_text().replace("Hello", "Goodbye"))
    failed = subprocess.run(pytest_here, capture_output=True, text=True, check=False)

    assert (passed.returncode, passed.stdout.splitlines()[-1][:8]) == (0, "2 passed")
    assert (failed.returncode, failed.stdout.splitlines()[-1][:18]) == (1, "1 failed, 1 passed")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Greet", "'Greet' is no name of an action"),
        ("say hello", "'say hello' is no name of an action"),
        ("../greet", "'../greet' is no name of an action"),
        ("say_hello", "'say_hello' is no name of an action"),
        ("greet-", "'greet-' is no name of an action"),
        ("a" * 41, "is no name of an action"),
        ("", "'' is no name of an action"),
        ("test-drive", "'test-drive' would be taken for a test"),
        ("run-tests", "there is an action 'run-tests' already: it comes with Stepsmith"),
    ],
)
def test_a_name_that_no_action_can_have_is_refused(project, name, says):
    ended = call("init", "--action", name)

    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert not (project / "actions").exists()


def test_an_action_needs_a_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    ended = call("init", "--action", "greet")

    assert ended.code == 2
    assert ended.err == (
        "stepsmith init: this folder is in no project: there is no stepsmith.yaml here or above\n"
        "stepsmith init DIR makes a project\n"
    )


def test_an_action_called_by_itself_has_a_workspace_and_a_clock_that_jumps(tmp_path):
    """Tests of a project's own actions wait for nothing."""
    path = tmp_path / "rest.py"
    path.write_text(
        "from pydantic import BaseModel\n"
        "from functions.domain.action import Action\n"
        "class Inputs(BaseModel):\n    hours: int\n"
        "class Outputs(BaseModel):\n    left: float\n    word: str\n"
        "def run(inputs, context):\n"
        "    context.sleep(inputs.hours)\n"
        "    word = (context.workspace / 'word').read_text() + context.env['MARK']\n"
        "    return Outputs(left=context.seconds_left(), word=word)\n"
        "ACTION = Action('rest', Inputs, Outputs, run)\n"
    )
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace/word").write_text("left by build")

    action = load(path)

    given = call_action(action, {"hours": 50}, tmp_path, {"MARK": "!"})
    assert given == {"left": 10.0, "word": "left by build!"}
    with pytest.raises(ValidationError, match="/inputs/hours"):
        call_action(action, {"hours": "many"}, tmp_path)
