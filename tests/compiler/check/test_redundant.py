"""A dependency that looks redundant lets a step run that was meant to be skipped."""

from __future__ import annotations

import pytest

from tests.compiler.check.checked import checked

PLAN = "- {id: plan, run: ./plan}"
HOST = "- {id: host, run: ./host, depends_on: [plan], condition: vars.region == 'x'}"
BOTH = "depends_on: [plan, host]"


def said(*lines: str) -> list[str]:
    """Return what is warned of in a workflow of these steps."""
    text = "name: w\nsteps:\n" + "".join(f"  {line}\n" for line in lines)
    found = checked(text)
    assert set(found.codes) <= {"redundant-dependency"}, found.found
    return [f"{one.message}; {one.help}" for one in found.diagnostics]


@pytest.mark.parametrize(
    "between",
    [
        [HOST],
        [PLAN.replace("plan", "mid"), HOST.replace("[plan]", "[mid]")],
        [HOST.replace("id: host", "id: mid"), "- {id: host, run: x, depends_on: [mid]}"],
        [HOST.replace("vars.region == 'x'", "failure()")],
    ],
)
def test_a_dependency_before_one_that_may_be_skipped_is_warned_of(between: list[str]):
    (text,) = said(PLAN, *between, f"- {{id: deploy, run: x, {BOTH}}}")
    assert text.startswith("with 'plan' here 'deploy' also runs where 'host' is skipped")
    assert "leave 'plan' out" in text


@pytest.mark.parametrize("condition", ["always()", "success()", "!failure()", "!cancelled()"])
def test_what_is_never_skipped_alone_is_no_trap(condition: str):
    host = HOST.replace("vars.region == 'x'", f'"{condition}"')
    assert said(PLAN, host, f"- {{id: deploy, run: x, {BOTH}}}") == []


@pytest.mark.parametrize(
    "condition",
    ["success()", "always()", "steps.host.status == 'succeeded'", "run.attempt == 1"],
)
def test_whoever_says_what_is_meant_is_not_warned(condition: str):
    deploy = f'- {{id: deploy, run: x, {BOTH}, condition: "{condition}"}}'
    assert said(PLAN, HOST, deploy) == []


@pytest.mark.parametrize(
    "steps",
    [
        [HOST, "- {id: deploy, run: x, depends_on: [host]}"],
        [HOST, "- {id: deploy, run: x}"],
        [HOST.replace("depends_on: [plan]", "depends_on: []"), f"- {{id: deploy, run: x, {BOTH}}}"],
        # `mid` only orders `host`, which needs nothing else: it is never skipped
        [HOST.replace("id: host", "id: mid"), "- {id: host, run: x}",
         f"- {{id: deploy, run: x, {BOTH}}}"],
        # who asks the next person after silence takes either answer
        ["- {id: ask, type: manual, on_timeout: continue, depends_on: [], assignees: [a@b.org]}",
         ("- {id: then, type: manual, condition: steps.ask.status == 'timed_out',"
          " depends_on: [ask], assignees: [a@b.org]}"),
         "- {id: deploy, run: x, depends_on: [ask, then]}"],
        ["- {id: host, run: x, depends_on: [plan]}", f"- {{id: deploy, run: x, {BOTH}}}"],
    ],
)  # fmt: skip
def test_other_lists_are_fine(steps: list[str]):
    assert said(PLAN, *steps) == []
