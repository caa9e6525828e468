"""`stepsmith test` and `stepsmith run --scenario`: what is read, played, and said of it."""

from __future__ import annotations

import json
from textwrap import indent
from xml.etree import ElementTree as ET

import pytest

from cli.scenarios.play import matches
from tests.cli.calling import call, write

WORKFLOW = """
name: W
inputs: {name: string, count: {type: integer, default: 1}}
outputs: {said: {value: "${{ steps.hello.outputs.said }}"}}
steps:
  - id: say-hello
    name: hello
    run: echo said
    outputs: {said: "${{ steps.say-hello.outputs.said }}"}
  - id: review
    type: manual
    title: Is it fine?
    assignees: [alice@example.com]
    timeout: 24h
    depends_on: [say-hello]
""".replace("steps.hello.", "steps.say-hello.")
GOOD = """
- name: alice approves
  inputs: {name: x}
  stubs: {say-hello: {takes: 2m, outputs: {said: hi}}}
  decisions: {review: {after: 3h, status: approved}}
  expect: {status: succeeded, outputs: {said: hi}, takes: {at_most: 4h}}
"""
SILENCE = """
- name: silence
  inputs: {name: x}
  stubs: {say-hello: {}}
  expect: {status: succeeded, steps: {review: {status: rejected}}, takes: {at_most: 1h}}
"""


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    """Return a function that writes a scenario file with some cases beside its workflow."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "w.yaml", WORKFLOW)

    def made(*cases: str, workflow: str = "w.yaml") -> str:
        text = f"workflow: {workflow}\ncases:\n" + indent("".join(cases), "  ")
        write(tmp_path / "w.test.yaml", text)
        return "w.test.yaml"

    return made


def codes(*cases: str, made) -> list[tuple[str, str]]:
    """Return the code of each mistake in a file, and its help."""
    ended = call("test", made(*cases), "--format", "json")
    assert ended.code == 1
    (file,) = json.loads(ended.out)["not_played"]
    return [(one["code"], one["help"]) for one in file["diagnostics"]]


# --- what is read


@pytest.mark.parametrize(
    ("case", "code", "help_"),
    [
        ("- {name: a, input: {name: x}}", "unknown-key", "did you mean `inputs`?"),
        ("- {name: a, inputs: {name: x}, stubs: {say-helo: {}}}", "unknown-step", "'say-hello'"),
        (
            "- {name: a, inputs: {name: x}, stubs: {hello: {outputs: {sad: x}}}}",
            "unknown-output",
            "did you mean 'said'?",
        ),
        (
            "- {name: a, inputs: {name: x}, expect: {steps: {hello: {outputs: {saidd: x}}}}}",
            "unknown-output",
            "did you mean 'said'?",
        ),
        (
            "- {name: a, inputs: {name: x}, expect: {outputs: {sad: y}}}",
            "unknown-output",
            "did you mean 'said'?",
        ),
        (
            "- {name: a, inputs: {name: x}, stubs: {review: {take: 3m}}}",
            "unknown-key",
            "did you mean `takes`?",
        ),
        (
            "- {name: a, inputs: {name: x}, stubs: {review: {fail: {}}}}",
            "missing-key",
            "add `type:` (the error's type, such as NetworkError)",
        ),
        (
            "- {name: a, inputs: {name: x}, stubs: {review: {times: 2}}}",
            "not-here",
            "add `fail: {type: ...}`",
        ),
        (
            "- {name: a, inputs: {name: x}, expect: {steps: {revew: {}}}}",
            "unknown-step",
            "did you mean 'review'?",
        ),
        (
            "- {name: a, inputs: {name: x}, expect: {status: suceeded}}",
            "unknown-value",
            "did you mean `succeeded`?",
        ),
        (
            "- {name: a, inputs: {name: x}, decisions: {say-hello: {status: approved}}}",
            "not-here",
            "decisions are for manual steps, and for steps with `on_error: pause`",
        ),
        (
            "- {name: a, inputs: {name: x}, decisions: {review: [{status: skip}]}}",
            "unknown-value",
            "write one of approved, rejected",
        ),
        (
            "- {name: a, inputs: {name: x}, expect: {status: success}}",
            "unknown-value",
            "write `succeeded`",
        ),
        (
            "- {name: a, inputs: {name: x}, expect: {steps: {review: {status: failure}}}}",
            "unknown-value",
            "write `failed`",
        ),
        (
            "- {name: a, inputs: {name: x}, expect: {jobs: {review: {status: failed}}}}",
            "foreign-key",
            "write `steps`",
        ),
        (
            "- {name: a, inputs: {name: x}, decisions: {review: approved}}",
            "wrong-type",
            "write `{status: approved}`",
        ),
        (
            "- {name: a, inputs: {name: x}, decisions: {review: maybe}}",
            "wrong-type",
            "",
        ),
        ("- {name: a, inputs: {nam: x}}", "unknown-input", "did you mean 'name'?"),
        ("- {name: a, inputs: {name: x, count: no}}", "wrong-input", "give a whole number"),
        ("- {name: a, event: {}}", "missing-key", "the workflow has no trigger"),
    ],
)
def test_a_mistake_is_reported_at_its_place_with_what_to_write(scenario, case, code, help_):
    found = codes(f"{case}\n", made=scenario)
    assert [one for one, _ in found] == [code]
    assert help_ in (found[0][1] or "")


@pytest.mark.parametrize("word", ["push", "tag", "pull_request"])
def test_an_event_that_is_only_a_word_is_told_as_one_that_starts_a_run(scenario, tmp_path, word):
    write(
        tmp_path / "w.yaml",
        "name: W\ntrigger: {type: git-push, event: [push, pull_request], branch: '**', tags: v*}\n"
        "steps: [{id: a, run: echo}]\n",
    )
    case = "- {name: a, event: EVENT, stubs: {a: {}}}\n"
    ((code, help_),) = codes(case.replace("EVENT", word), made=scenario)
    assert code == "wrong-type"
    event = help_.removeprefix("write `event: ").removesuffix("`")
    ended = call("test", scenario(case.replace("EVENT", event)))
    assert (ended.code, ended.err) == (0, "")


def test_all_mistakes_of_a_file_are_reported_at_once(scenario):
    found = codes(
        "- {name: a, inputs: {name: x}, stubs: {review: {takes: 3}}}\n",
        "- {name: a, inputs: {}, expect: {takes: {at_mst: 3h}}}\n",
        made=scenario,
    )
    assert {code for code, _ in found} == {
        "bad-duration", "bad-name", "missing-input", "unknown-key",
    }  # fmt: skip


def test_a_workflow_that_is_not_there_is_named_with_the_nearest(scenario):
    ended = call("test", scenario(GOOD, workflow="v.yaml"))
    assert ended.code == 1
    assert "there is no workflow 'v.yaml' beside this file" in ended.err
    assert "did you mean 'w.yaml'?" in ended.err


def test_a_workflow_with_mistakes_is_not_played_and_the_other_files_are(scenario, tmp_path):
    scenario(GOOD)
    write(tmp_path / "bad.yaml", "name: Bad\nsteps: [{id: a, rn: x}]\n")
    write(tmp_path / "bad.test.yaml", "workflow: bad.yaml\ncases: [{name: a}]\n")
    ended = call("test", ".")
    assert ended.code == 1
    assert "unknown-key" in ended.err
    assert "1 passed, 1 file not played" in ended.out


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("nothing.test.yaml", "there is no file 'nothing.test.yaml'"),
        ("w.test.yaml:no such case", "its cases are:\n  alice approves"),
        ("empty", "holds no scenarios"),
    ],
)
def test_a_wrong_call_exits_2_and_says_what_there_is(scenario, tmp_path, word, said):
    scenario(GOOD)
    (tmp_path / "empty").mkdir()
    ended = call("test", word)
    assert ended.code == 2
    assert said in ended.err


# --- what is said of a case


def test_a_case_that_is_as_expected_passes(scenario):
    ended = call("test", scenario(GOOD))
    assert (ended.code, ended.err) == (0, "")
    assert "✓ alice approves" in ended.out
    assert "1 passed in " in ended.out


def test_a_difference_shows_expected_and_got_with_the_line_that_expects(scenario):
    ended = call("test", scenario(GOOD, SILENCE))
    assert ended.code == 1
    assert "status: expected succeeded, got failed" in ended.out
    assert "steps.review.status: expected rejected, got timed_out" in ended.out
    assert "takes: expected at most 1 h, got 1 d" in ended.out
    assert "w.test.yaml:13:" in ended.out
    assert "1 passed, 1 failed in " in ended.out


def test_a_refused_decision_is_told_with_what_it_led_to(scenario):
    case = SILENCE.replace(
        "  expect", "  decisions: {review: {status: approved, by: eve@example.com}}\n  expect"
    )
    ended = call("test", scenario(case))
    assert "the decision 'approved' by eve@example.com was refused: not yours" in ended.out


def test_text_that_looks_like_the_number_expected_is_told(scenario):
    case = GOOD.replace("outputs: {said: hi}}", 'outputs: {said: "3"}}')
    ended = call("test", scenario(case.replace("outputs: {said: hi}", "outputs: {said: 3}")))
    assert 'it is text: write "3"' in ended.out


def test_a_case_that_expects_nothing_expects_success(scenario):
    case = "- {name: a, inputs: {name: x}, stubs: {say_hello: {fail: {type: Oops}}}}\n"
    ended = call("test", scenario(case))
    assert ended.code == 1
    assert "status: expected succeeded, got failed" in ended.out


def test_a_run_that_fails_against_expectation_is_told_with_the_step_and_its_error(scenario):
    case = "- {name: a, inputs: {name: x}, stubs: {say-hello: {fail: {type: Oops, message: no}}}}\n"
    assert "= say-hello: Oops: no\n" in call("test", scenario(case)).out


def test_json_holds_differences_with_their_lines_and_records(scenario):
    ended = call("test", scenario(GOOD, SILENCE), "--format", "json")
    report = json.loads(ended.out)
    assert (ended.code, report["passed"], report["failed"]) == (1, 1, 1)
    good, bad = report["cases"]
    assert (good["name"], good["takes"], good["differences"]) == ("alice approves", 10920, [])
    assert bad["record"]["status"] == "failed"
    assert [(one["subject"], one["got"], one["line"]) for one in bad["differences"]] == [
        ("status", "failed", 13),
        ("steps.review.status", "timed_out", 13),
        ("takes.at_most", 86400, 13),
    ]


def test_junit_has_a_suite_a_file_and_a_failure_a_failed_case(scenario):
    ended = call("test", scenario(GOOD, SILENCE), "--format", "junit")
    root = ET.fromstring(ended.out)
    (suite,) = root.findall("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    good, bad = suite.findall("testcase")
    failure = bad.find("failure")
    assert good.find("failure") is None
    assert failure is not None
    assert failure.text is not None
    assert "w.test.yaml:13: status: expected succeeded, got failed" in failure.text


@pytest.mark.parametrize(
    ("expected", "got", "is_match"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"b": None}}, {"a": {}}, True),
        ({"a": 1}, {"a": "1"}, False),
        ([1, {"a": 2}], [1, {"a": 2, "b": 3}], True),
        ([1], [1, 2], False),
        (1, True, False),
        (1, 1.0, True),
        (None, None, True),
        ({}, None, False),
    ],
)
def test_what_is_expected_is_a_part_of_what_there_is(expected, got, is_match):
    assert matches(expected, got) is is_match


# --- one case as a run


def test_run_plays_the_only_case_and_prints_the_record_alone(scenario):
    ended = call("run", "w.yaml", "--scenario", scenario(GOOD), "--format", "json")
    record = json.loads(ended.out)
    assert ended.code == 0
    assert (record["status"], record["outputs"]) == ("succeeded", {"said": "hi"})
    assert record["completed_at"] == "2026-01-01T03:02:00.000Z"
    again = call("run", "w.yaml", "--scenario", "w.test.yaml", "--format", "json")
    assert again.out == ended.out


def test_run_lists_the_cases_where_none_of_several_is_named(scenario):
    ended = call("run", "w.yaml", "--scenario", scenario(GOOD, SILENCE))
    assert ended.code == 2
    assert "its cases are:\n  alice approves\n  silence\n" in ended.err


def test_run_plays_the_case_that_is_named_and_exits_1_as_it_is_not_as_expected(scenario):
    ended = call("run", "w.yaml", "--scenario", f"{scenario(GOOD, SILENCE)}:silence")
    assert ended.code == 1
    assert "review     timed_out" in ended.out
    assert "steps.review.status: expected rejected, got timed_out" in ended.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--input", "name=y"], "--input cannot be given with --scenario"),
        (["--decide", "review=approved"], "--decide cannot be given with --scenario"),
    ],
)
def test_what_a_case_says_cannot_be_said_beside_it(scenario, more, said):
    ended = call("run", "w.yaml", "--scenario", scenario(GOOD), *more)
    assert ended.code == 2
    assert said in ended.err


def test_a_scenario_of_another_workflow_is_refused(scenario, tmp_path):
    write(tmp_path / "v.yaml", WORKFLOW)
    ended = call("run", "v.yaml", "--scenario", scenario(GOOD))
    assert ended.code == 2
    assert "'w.test.yaml' is about 'w.yaml', not 'v.yaml'" in ended.err


@pytest.mark.parametrize("name", ["sign-up", "sign_up"])
def test_a_trigger_is_found_however_its_name_is_spelled(scenario, tmp_path, name):
    trigger = "trigger: {type: event, event: user.signup, name: sign-up, inputs: {name: eve}}"
    write(tmp_path / "w.yaml", f"{WORKFLOW}{trigger}\n")
    case = f"- {{name: a, trigger: {name}, event: {{}}, stubs: {{say-hello: {{}}}}}}\n"
    assert "starts no run" not in call("test", scenario(case)).err
    assert codes(case.replace("sign", "sing"), made=scenario)[0][0] == "unknown-value"
