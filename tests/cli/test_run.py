"""`stepsmith run`: exit codes, streams and what they say."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from cli.main import main as command
from local.program import Program
from protocol.status import Rule
from tests.local.machines import call, machine


class Refused(Exception):
    pass


def main(arguments: list[str]) -> int:
    """Call `stepsmith run` as the terminal does."""
    return command(["run", *arguments], sys.stdout, sys.stderr, sys.stdin)


def program(script: str) -> Program:
    """Return a workflow of a step `say`, which needs `word`, and one that is skipped."""
    say = call("say", script, "rest", outputs=["said"], env={"WORD": "{% $inputs.word %}"})
    rest = {"Type": "Pass", "Output": {"said": "{% $o_say.said %}"}, "End": True}
    definition = machine("say", {"say": say, "rest": rest})
    definition["States"]["begin"]["Assign"]["inputs"] = "{% $states.input.inputs %}"
    return Program(
        workflow="talk",
        version="1",
        machines={"talk": definition},
        rules={"say": Rule("say"), "sing": Rule("sing", ("say",), has_condition=True)},
        inputs={"properties": {"word": {"type": "string"}}, "required": ["word"]},
        lines={"say": 7},
    )


GOOD = 'echo "said=$WORD" >> "$GITHUB_OUTPUT"'
BAD = "echo one; echo 'error: out of words' >&2; exit 4"


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Compile every file to what `compiled[0]` is; raise it where it is an exception."""
    box: list[Program | Refused] = [program(GOOD)]

    def compile_path(_path, *, colour):
        assert not colour
        if isinstance(box[0], Refused):
            raise box[0]
        return box[0]

    def compile_whole(path, projects, *, colour, until):
        assert until is None
        return SimpleNamespace(
            program=compile_path(path, colour=colour),
            own=SimpleNamespace(program=None),
            called={},
            project=projects.of(path),
            left_out=(),
        )

    module = ModuleType("cli.project.compile_file")
    vars(module).update(compile_whole=compile_whole, Refused=Refused)
    monkeypatch.setitem(sys.modules, "cli.project.compile_file", module)
    return box


@pytest.fixture
def file(tmp_path) -> str:
    path = tmp_path / "talk.yaml"
    path.touch()
    return str(path)


def test_a_run_that_succeeds_exits_0_and_prints_its_steps(file, capsys):
    assert main([file, "--input", "word=two words"]) == 0
    out, err = capsys.readouterr()
    assert "talk succeeded in " in out
    assert "said=two words" in out
    assert "sing  skipped (condition)" in out
    assert "✓ say   succeeded" in err
    assert "\x1b" not in out + err


def test_a_run_that_fails_exits_1_with_the_error_and_the_step_s_line(file, compiled, capsys):
    compiled[0] = program(BAD)
    assert main([file, "--input", "word=x"]) == 1
    out, err = capsys.readouterr()
    assert "say: ScriptFailed: error: out of words" in out
    assert "talk.yaml:7" in out
    assert "| exit code 4" in out
    assert "✗ say   failed" in err


def test_the_record_as_json_is_all_there_is_on_stdout(file, capsys):
    assert main([file, "--input", "word=x", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["outputs"] == {"said": "x"}
    assert [step["status"] for step in record["steps"]] == ["succeeded", "skipped"]


def test_a_workflow_that_is_wrong_exits_1_with_its_diagnostics(file, compiled, capsys):
    compiled[0] = Refused("release.yaml:3:5: error: no\n")
    assert main([file]) == 1
    assert capsys.readouterr().err == "release.yaml:3:5: error: no\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--input", "wrod=x"], "did you mean 'word'"),
        (["--input", "oops"], "write NAME=VALUE"),
        (["--source", "/nowhere"], "'/nowhere' is not a folder"),
        (["--inputs", "/nowhere.json"], "/nowhere.json"),
        ([], "input 'word' is missing"),
    ],
)
def test_a_wrong_call_exits_2_and_says_what_is_wrong(file, capsys, arguments, said):
    assert main([file, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_missing_file_exits_2(capsys):
    assert main(["/nowhere.yaml"]) == 2
    assert "/nowhere.yaml" in capsys.readouterr().err


def test_a_mistyped_file_is_told_the_near_one_and_a_folder_that_it_is_one(file, capsys):
    near, folder = file.replace(".yaml", "s.yaml"), str(Path(file).parent)
    assert main([near]) == 2
    assert f"there is no file '{near}'\ndid you mean '{file}'?" in capsys.readouterr().err
    assert main([folder]) == 2
    assert f"'{folder}' is a folder\nname one workflow file" in capsys.readouterr().err


def test_a_machine_that_the_engine_cannot_run_exits_3(file, compiled, capsys):
    asks = call("say", GOOD, "rest")
    asks["Arguments"]["FunctionName"] = "${action:juggle}"
    states = {"say": asks, "rest": {"Type": "Succeed"}}
    compiled[0] = replace(program(GOOD), machines={"talk": machine("say", states)})
    assert main([file, "--input", "word=x"]) == 3
    assert "'juggle'" in capsys.readouterr().err
