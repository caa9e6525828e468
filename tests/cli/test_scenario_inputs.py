"""What a scenario gives its workflow, held against the contract as a run's inputs are."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.cli.calling import Ended, call, write


def played(folder, *cases: str) -> Ended:
    """Return what `stepsmith test` comes to with cases beside the workflow that is there."""
    file = folder / "w.test.yaml"
    write(file, "workflow: w.yaml\ncases:\n" + indent("".join(cases), "  "))
    return call("test", str(file))


@pytest.mark.parametrize(
    ("schema", "value", "said", "help_"),
    [
        ("type: string, pattern: '^v'", "'1'", "which is not of the form wanted", "`^v`"),
        ("type: string, enum: [s, m]", "xl", "cannot be 'xl'", "one of: 's', 'm'"),
        ("type: string, format: date-time", "tomorrow", "the format date-time", "`2026-12-01T"),
        ("type: string, format: email", "ann", "the format email", "`ann@example.com`"),
        ("type: integer, minimum: 1", "0", "is 0", "at least 1"),
        ("type: integer, exclusiveMinimum: 0", "0", "0 is less than or equal", "more than 0"),
        ("type: integer, exclusiveMaximum: 9", "9", "9 is greater than or equal", "less than 9"),
        ("type: integer, multipleOf: 5", "7", "7 is not a multiple of 5", "a multiple of 5"),
        ("type: array, uniqueItems: true", "[a, a]", "non-unique", "each item once"),
        ("type: array, contains: {const: a}", "[b]", "does not contain", '{"contains": {"const"'),
        ("type: object, minProperties: 1", "{}", "non-empty", "at least 1 keys"),
        ("type: array, items: {type: string, maxLength: 1}", "[a, bb]", "'it[1]'", "at most 1"),
        ("type: array, items: {format: date}", "[2026-12-01, x]", "'it[1]' must", "`2026-12-01`"),
        ("type: object, properties: {a: {format: uuid}}", "{a: x}", "'it.a' must", "write it as"),
    ],
)
def test_inputs_are_held_against_all_of_the_contract(tmp_path, schema, value, said, help_):
    """As those of `run --input`: at their line, with what to write, and all in one go."""
    inputs = f"inputs: {{it: {{{schema}}}, other: {{type: string, format: date, required: false}}}}"
    write(tmp_path / "w.yaml", f"name: W\n{inputs}\nsteps: [{{id: a, run: echo}}]\n")
    case = f"- name: a\n  stubs: {{a: {{}}}}\n  inputs:\n    other: 1\n    it: {value}\n"
    ended = played(tmp_path, case)
    assert (ended.code, ended.err.count("error[wrong-input]")) == (1, 2)
    assert "input 'other' must be of the format date" in ended.err
    assert "w.test.yaml:6:14" in ended.err
    report = next(one for one in ended.err.split("error[") if "w.test.yaml:7:" in one)
    told, _, advice = report.partition("= help: ")
    assert "input 'it" in told
    assert said in told
    assert help_ in advice


def test_an_event_that_makes_inputs_which_no_run_takes_is_told_at_the_event(tmp_path):
    write(
        tmp_path / "w.yaml",
        "name: W\ninputs: {at: {type: string, format: date-time}}\n"
        "trigger: {type: event, name: e, event: e, inputs: {at: '${{ event.at }}'}}\n"
        "steps: [{id: a, run: echo}]\n",
    )
    case = "- {name: a, event: {at: noon}, stubs: {a: {}}}\n"
    ended = played(tmp_path, case)
    assert ended.code == 1
    assert "w.test.yaml:3:15" in ended.err
    assert "2026-12-01T10:00:00Z" in ended.err
    assert played(tmp_path, case.replace("noon", '"2026-12-01T10:00:00Z"')).code == 0
