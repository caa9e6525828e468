"""`compile`, `plan`, `schema` and `explain`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.commands import explain
from cli.output.units import between, dollars, duration, wrapped
from compiler.catalog import CATALOG
from compiler.spec.schema import workflow_json_schema
from tests.cli.calling import HELLO, call, write

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
WRONG = "steps: [{id: a, rnu: x}]\n"
CLOSING = HELLO + "on_failure: {run: echo oh}\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


# --- compile -------------------------------------------------------------------------------------


def test_the_machine_is_printed_indented_or_as_it_is_deployed():
    write(Path("hello.yaml"), HELLO)

    pretty = call("compile", "hello.yaml")
    compact = call("compile", "hello.yaml", "--compact")

    assert (pretty.code, pretty.err) == (0, "")
    assert json.loads(pretty.out) == json.loads(compact.out)
    assert json.loads(pretty.out)["QueryLanguage"] == "JSONata"
    assert pretty.out.startswith("{\n  ")
    assert compact.out.count("\n") == 1


def test_nothing_is_printed_of_a_workflow_with_mistakes_but_they_are():
    write(Path("wrong.yaml"), WRONG)

    ended = call("compile", "wrong.yaml")

    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error[")
    assert "wrong.yaml: " in ended.err


def test_the_machine_that_runs_after_a_failure_is_printed_for_the_asking():
    write(Path("hello.yaml"), CLOSING)

    main, close = (call("compile", "hello.yaml", "--machine", m) for m in ("main", "close"))

    assert "on_failure" in json.loads(close.out)["States"]
    assert "hello" in json.loads(main.out)["States"]


CHUNKED = """
    name: many
    inputs: {names: {type: array, items: string, default: []}}
    steps:
      - id: outer
        type: parallel
        for_each: ${{ inputs.names }}
        max_items: 200
        max_concurrency: 100
        steps:
          - id: inner
            for_each: ${{ inputs.names }}
            max_items: 90
            max_concurrency: 80
            run: echo
"""


def test_machines_of_chunks_are_no_close_machines():
    write(Path("many.yaml"), CHUNKED)
    assert call("compile", "many.yaml", "--machine", "close").code == 2

    write(Path("many.yaml"), CHUNKED + "    on_failure: {run: echo oh}\n")
    close = call("compile", "many.yaml", "--machine", "close")

    assert "on_failure" in json.loads(close.out)["States"]


def test_the_plan_counts_the_executions_of_chunks_and_what_they_take():
    write(Path("many.yaml"), CHUNKED + "    on_failure: {run: echo oh}\n")

    plan = json.loads(call("plan", "many.yaml", "--format", "json").out)["workflows"][0]
    text = call("plan", "many.yaml").out

    own, *others = plan["machines"]
    by_id = {one["id"]: one for one in others}
    outer, inner = by_id["many--outer"], by_id["many--inner"]
    assert outer["executions"] == 5  # 200 in chunks of 40
    assert inner["executions"] == 200 * 3  # of each, 90 in chunks of 40
    assert (own["executions"], by_id["many--close"]["executions"]) == (1, 1)
    most = sum(one["executions"] * one["transitions"]["most"] for one in (own, outer, inner))
    assert f" to {most:,} per run\n" in text
    assert "\n  chunks        " in text
    assert text.count("  on failure  ") == 1


def test_a_workflow_without_handlers_has_no_close_machine():
    write(Path("hello.yaml"), HELLO)

    ended = call("compile", "hello.yaml", "--machine", "close")

    assert (ended.code, ended.out) == (2, "")


def test_each_machine_is_written_to_a_file_of_its_own():
    write(Path("hello.yaml"), CLOSING)

    ended = call("compile", "hello.yaml", "--out", "build/machines")

    assert (ended.code, ended.out) == (0, "")
    files = sorted(Path("build/machines").iterdir())
    assert [file.name for file in files] == ["hello--close.asl.json", "hello.asl.json"]
    assert ended.err == "".join(f"{file}\n" for file in reversed(files))
    assert all(json.loads(file.read_text("utf-8"))["StartAt"] for file in files)


def test_a_folder_cannot_be_compiled():
    Path("flows").mkdir()

    assert call("compile", "flows").err == (
        "stepsmith compile: 'flows' is a folder\nname one workflow file\n"
    )


# --- plan ----------------------------------------------------------------------------------------

CROSSED = """\
    name: Crossed
    inputs: {full: boolean}
    steps:
      - {id: a, run: echo a, depends_on: []}
      - {id: b, run: docker build ., depends_on: []}
      - {id: c, run: echo c, depends_on: [a], env: {TOKEN: "${{ secrets.TOKEN }}"}}
      - {id: d, run: echo d, depends_on: [a, b], condition: inputs.full}
      - {id: e, run: echo e, depends_on: [d]}
    """


def planned(*argv: str, **environ: str) -> dict[str, object]:
    """Return the plan of the one workflow, as programs read it."""
    ended = call("plan", "flow.yaml", "--format", "json", *argv, environ=environ)
    assert (ended.code, ended.err) == (0, "")
    (found,) = json.loads(ended.out)["workflows"]
    assert isinstance(found, dict)
    return found


def test_plan_tells_the_shape_and_which_dependencies_became_latches():
    write(Path("flow.yaml"), CROSSED)

    found = planned()

    assert found["shape"] == {"steps": 5, "dependencies": 4, "depth": 3, "forks": 1}
    latches = found["latches"]
    assert isinstance(latches, list)
    assert len(latches) == 1
    assert latches[0]["consumer"] in ("c", "d")
    assert latches[0]["why"]


def test_plan_tells_where_each_script_runs_and_why():
    write(Path("flow.yaml"), CROSSED)

    scripts = planned()["scripts"]

    assert isinstance(scripts, list)
    assert scripts[1] == {"step": "b", "runner": "codebuild", "why": "it calls 'docker'"}
    assert {one["runner"] for one in scripts if one["step"] != "b"} == {"lambda"}


def test_plan_tells_where_each_action_runs_that_could_be_a_build():
    write(
        Path("flow.yaml"),
        "steps:\n"
        "  - {id: a, action: build-artifact}\n"
        "  - {id: b, action: run-tests, runner: lambda}\n"
        "  - {id: c, action: http-request, inputs: {url: 'https://example.com'}}\n"
        "  - {id: d, run: echo}\n",
    )

    found = planned()

    assert found["actions"] == [
        {
            "step": "a",
            "runner": "codebuild",
            "why": "'build-artifact' is an action for CodeBuild",
        },
        {"step": "b", "runner": "lambda", "why": "`runner: lambda`"},
    ]
    assert isinstance(found["scripts"], list)
    assert [one["step"] for one in found["scripts"]] == ["d"]
    assert "\n  runners       a: codebuild, because" in call("plan", "flow.yaml").out


def test_plan_tells_which_secrets_have_no_value_here():
    write(Path("flow.yaml"), CROSSED)

    missing = [{"name": "TOKEN", "used_by": ["c"], "missing": True}]
    assert planned()["secrets"] == missing
    assert planned(TOKEN="x")["secrets"] == [{**missing[0], "missing": False}]
    write(Path(".secrets"), "# mine\nTOKEN=x\n")
    assert planned()["secrets"] == [{**missing[0], "missing": False}]


def test_plan_tells_what_is_skipped_together():
    write(Path("flow.yaml"), CROSSED)

    assert planned()["skipped_together"] == [["d", "e"]]


def test_plan_tells_what_the_machine_has_to_be_allowed():
    write(
        Path("flow.yaml"),
        """\
        steps:
          - id: put
            action: aws:dynamodb:putItem
            inputs: {TableName: releases, Item: {id: {S: x}}}
          - id: describe
            action: aws:sfn:describeExecution
            inputs: {ExecutionArn: "${{ run.id }}"}
          - id: say
            type: publish
            event: said
          - id: script
            run: echo
        """,
    )

    permissions = planned()["permissions"]
    assert isinstance(permissions, list)
    allowed = {tuple(one["actions"]): one["resources"] for one in permissions}
    assert allowed == {
        ("dynamodb:PutItem",): ["arn:aws:dynamodb:*:*:table/releases"],
        ("events:PutEvents",): ["${bus}"],
        ("lambda:InvokeFunction",): ["${action:run}"],
        ("states:DescribeExecution",): ["*"],
    }


def test_plan_for_people_has_a_section_for_each_workflow():
    write(Path("flow.yaml"), CROSSED)
    write(Path("hello.yaml"), CLOSING)

    ended = call("plan", "flow.yaml", "hello.yaml")

    assert (ended.code, ended.err) == (0, "")
    first, second = ended.out.split("\n\n")
    assert first.startswith("crossed  flow.yaml\n  shape         5 steps, 4 dependencies, 3 deep,")
    assert "\n  secrets       TOKEN: used by c (has no value)\n" in first
    assert "\n  runners       a: lambda, because the runner has every program" in first
    assert "\n  skipped       with d: e\n" in first
    assert "\n  on failure    " in second
    assert second.endswith("on ${action:run}\n") or "${action:run}" in second


def test_the_plan_is_the_one_that_was_read(update_golden: bool):
    """But for its size, which each change of an expression changes."""
    write(Path("flow.yaml"), CROSSED)
    text = re.sub(r"[\d,]+ bytes, [\d.]+%", "N bytes, N%", call("plan", "flow.yaml").out)

    golden = GOLDEN / "plan.txt"
    if update_golden:
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def test_plan_ends_with_1_where_a_workflow_has_mistakes():
    write(Path("wrong.yaml"), WRONG)

    ended = call("plan", "wrong.yaml")

    assert (ended.code, ended.out) == (1, "")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (7200, "2 h"), (90_061, "1 d 1 h")],
)
def test_durations_are_told_in_two_units(seconds: int, text: str):
    assert duration(seconds) == text


def test_small_sums_keep_the_digits_that_say_something():
    assert [dollars(n) for n in (0, 0.000025, 0.15, 12.5, 1234)] == [
        "$0.00",
        "$0.000025",
        "$0.15",
        "$12.50",
        "$1,234.00",
    ]


def test_a_range_of_one_number_is_that_number():
    assert (between(3, 3), between(3, 1200)) == ("3", "3 to 1,200")


def test_long_lists_go_on_below_where_they_began():
    assert list(wrapped(["aaaa", "bbbb", "cccc"], "  on", 16)) == [
        "  on aaaa, bbbb,",
        "     cccc",
    ]


# --- schema and explain --------------------------------------------------------------------------


def test_schema_prints_the_schema_that_is_shipped_for_editors():
    ended = call("schema")

    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out) == workflow_json_schema()


def test_explain_shows_what_is_wrong_and_the_same_mended():
    ended = call("explain", "unknown-key")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("unknown-key: A mapping has a key that it does not take\n\n")
    wrong, right = ended.out.split("right:\n")
    assert "\n    " + CATALOG["unknown-key"].wrong.split("\n")[-2].strip() not in right
    assert wrong.count("\nwrong:\n") == 1


def test_explain_shows_of_a_long_example_its_beginning_and_end():
    ended = call("explain", "definition-too-large")

    assert ended.out.count("\n") < 100
    assert "more lines)\n" in ended.out


def test_explain_names_the_page_of_a_code_where_there_are_pages(monkeypatch, tmp_path):
    line = "\nas a page: "

    assert call("explain", "unknown-key").out.endswith("docs/codes/unknown-key.md\n")
    monkeypatch.setattr(explain, "_PAGES", tmp_path)  # as of an installed wheel
    assert line not in call("explain", "unknown-key").out


def test_explain_without_a_code_lists_them():
    ended = call("explain")

    assert ended.code == 0
    assert [line.split(" ")[0] for line in ended.out.splitlines()] == sorted(CATALOG)


def test_explain_answers_a_mistyped_code_with_the_nearest():
    ended = call("explain", "unknown-kee")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "stepsmith explain: there is no code 'unknown-kee'\ndid you mean 'unknown-key'?\n"
    )
