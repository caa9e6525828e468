"""Small machines with the result AWS gives, on the repaired engine."""

from __future__ import annotations

import json

import pytest

from bench.conformance import CASES, agrees, main, result_of, wanted_of

MISSES = {
    "codebuild_sync": "moto takes a project's name of one letter for invalid, AWS for unknown",
}
"""Each with its reason; a third of the cases like these is tried elsewhere."""


@pytest.mark.parametrize("case", json.loads(CASES.read_text()), ids=lambda case: case["name"])
def test_the_engine_does_as_aws(case, request):
    if case["name"] in MISSES:
        request.applymarker(pytest.mark.xfail(reason=MISSES[case["name"]], strict=True))
    got = result_of(case)
    assert agrees(got, wanted_of(case)), got


def test_a_file_of_cases_fails_where_more_than_one_in_thirty_differs(tmp_path, capsys):
    definition = {
        "QueryLanguage": "JSONata",
        "StartAt": "A",
        "States": {"A": {"Type": "Pass", "Output": 1, "End": True}},
    }
    good = {"name": "good", "definition": definition, "input": {}, "output": 1}
    bad = {**good, "name": "bad", "output": True}
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([good] * 29 + [bad]))
    assert main([str(file)]) == 0
    assert capsys.readouterr().out.endswith("29 of 30 as on AWS\n")
    file.write_text(json.dumps([good, bad]))
    assert main([str(file)]) == 1
    assert capsys.readouterr().out.startswith('bad: {"output": 1}, on AWS {"output": true}\n')
