"""Files that a step reads before they are there, of steps, undos and handlers."""

from __future__ import annotations

import pytest

from tests.compiler.check.checked import checked


def reading(of: str) -> str:
    """Return a step that reads a file."""
    return f"{{id: look, action: run-tests, inputs: {{artifact: {of}}}}}"


STEPS = """
name: Files
steps:
  - {id: build, run: echo, artifacts: [a.zip], depends_on: []}
  - {id: beside, run: echo, artifacts: [b.zip], depends_on: []}
  - {id: deploy, run: echo, artifacts: [c.zip], depends_on: [build], compensate: %s}
  - {id: behind, run: echo, artifacts: [d.zip], depends_on: [deploy]}
"""


@pytest.mark.parametrize(("file", "is_there"), [("a", 1), ("b", 0), ("c", 1), ("d", 0)])
def test_an_undo_finds_what_its_own_step_has_found_and_left(file: str, is_there: int):
    found = checked(STEPS % reading(f"{file}.zip"))

    assert found.codes == ([] if is_there else ["file-not-there-yet"])


def test_what_the_undone_step_has_to_depend_on_is_said():
    found = checked(STEPS % reading("b.zip"))

    assert found.found == [("file-not-there-yet", "b.zip")]
    assert found.helps == ["add 'beside' to the `depends_on` of 'deploy'"]


@pytest.mark.parametrize("file", "abcd")
def test_a_handler_finds_what_any_step_has_left(file: str):
    text = STEPS % "{run: echo}" + f"on_failure:\n  - {reading(f'{file}.zip')}\n"

    assert checked(text).codes == []


def test_handlers_find_one_another_s_files_as_steps_do():
    first, second = "{id: make, run: echo, artifacts: [e.zip]}", reading("e.zip")

    def handled(*handlers: str) -> list[str]:
        lines = "".join(f"  - {one}\n" for one in handlers)
        return checked(f"{STEPS % '{run: echo}'}on_failure:\n{lines}").codes

    assert handled(first, second) == []
    assert handled(second, first) == ["file-not-there-yet"]


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("dist/*.js", "write 'dist', the folder, or each file"),
        ("a/b/**/c?.txt", "write 'a/b', the folder, or each file"),
        ("*.txt", "name a folder that holds them, or each file"),
        ("/tmp/x", "copy it into the folder that the script begins in, and name it from there"),
        ("../x", "copy it into the folder that the script begins in, and name it from there"),
        ("~/.cache", "copy it into the folder that the script begins in, and name it from there"),
        ("$HOME/x", "copy it into the folder that the script begins in, and name it from there"),
    ],
)
def test_a_path_at_which_nothing_can_be_left_is_told(path: str, advice: str):
    """A run would say only that there is no such file, after the step has done its work."""
    found = checked(f"steps: [{{id: a, run: make, artifacts: [fine.txt, '{path}']}}]")

    assert found.codes == ["unusable-path"]
    assert found.found == [("unusable-path", f"'{path}'")]
    assert found.helps == [advice]


@pytest.mark.parametrize("path", ["dist", "./dist/", "a b.txt", "pages/[id].js", "..x", "x~"])
def test_any_other_path_is_one(path: str):
    assert checked(f"steps: [{{id: a, run: make, artifacts: ['{path}']}}]").codes == []
