"""The ten workflows that one writes first, each with what it is to do."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from compiler.pipeline import Compilation
from tests.golden.project import compiled, said
from tests.scenarios.player import Case, Result, cases, differences, play_case

EVERYDAY = Path(__file__).parent / "everyday"
FILES = sorted(EVERYDAY.glob("*.test.yaml"))
CASES = [case for file in FILES for case in cases(file)]


@cache
def machine(file: Path) -> Compilation:
    (made,) = compiled([file])
    assert said(made) == []
    return made


def played(workflow: str, name: str) -> Result:
    """Play the case of a workflow by its name."""
    (case,) = (c for c in CASES if (c.workflow.stem, c.name) == (workflow, name))
    return play_case(case, machine(case.workflow))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_does_what_its_scenario_says(case: Case):
    assert differences(case, play_case(case, machine(case.workflow))) == []


def test_every_workflow_has_its_scenarios():
    workflows = {path.stem for path in EVERYDAY.glob("*.yaml") if ".test." not in path.name}
    assert workflows == {case.workflow.stem for case in CASES}


def test_no_chain_waits_for_the_other():
    result = played("two_chains", "neither waits for the other")
    starts = {step: result.starts[step] for step in ("deploy-api", "deploy-web", "announce")}
    assert starts == {"deploy-api": 60, "deploy-web": 300, "announce": 360}


def test_who_tells_about_a_failure_knows_how_each_step_ended():
    (call,) = played("notify_on_failure", "the first step failed").calls["tell"]
    assert call["inputs"]["message"] == "export: failed, load: skipped"


def test_every_item_is_called_whatever_becomes_of_the_others():
    name = "one region fails, the others are deployed all the same"
    calls = played("one_bad_item", name).calls["deploy"]
    regions = {call["inputs"]["region"] for call in calls}
    assert regions == {"us-east-1", "eu-west-1", "ap-south-1"}
    assert "deploy" not in played("one_bad_item", "no region at all").calls
