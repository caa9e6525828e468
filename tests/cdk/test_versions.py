"""What happens to runs under way when something else is deployed: nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.cdk.synthesis import (
    FUNCTION,
    MACHINE,
    ROLE,
    VERSION,
    Resource,
    Templates,
    application_in,
    of_type,
    synthesised,
    with_code,
    write_project,
)

MACHINE_VERSION = "AWS::StepFunctions::StateMachineVersion"
ALIAS = "AWS::StepFunctions::StateMachineAlias"

CHILD = """\
name: child
inputs: {what: string}
steps:
  - {id: say, run: 'echo "$WHAT"', env: {WHAT: "${{ inputs.what }}"}}
"""
PARENT = """\
name: parent
steps:
  - {id: review, type: manual, title: Fine?, assignees: [a@example.com]}
  - {id: call, type: subworkflow, workflow: child, inputs: {what: hello}}
  - {id: undoable, run: echo, compensate: {run: echo undone}}
"""
Deploy: TypeAlias = Callable[..., Templates]


@pytest.fixture
def deploy(tmp_path: Path) -> Deploy:
    """Synthesise a project with these workflows, after each other as one would deploy it."""
    count = iter(range(100))

    def made(workflows: Mapping[str, str], **code: str) -> Templates:
        number = next(count)
        root = write_project(tmp_path / str(number), workflows)
        found = application_in(root, root / "stubs")
        for name, content in code.items():
            found = with_code(found, name.replace("_", "-"), content, root / "other")
        return synthesised(found, root / "out")

    return made


def only(template: dict[str, Any], kind: str) -> Resource:
    """Return the one resource of a type."""
    [found] = of_type(template, kind).values()
    return found


def substitutions(templates: Templates, reference: str, machine: str = "") -> dict[str, Any]:
    """Return what stands for the placeholders of a machine, by the placeholder's first letters."""
    for one in of_type(templates.workflows[reference], MACHINE).values():
        if one["Properties"]["StateMachineName"].endswith(f"-{reference}{machine}"):
            filled = one["Properties"]["DefinitionSubstitutions"]
            return {re.sub(r"[0-9a-f]{6}$", "", key): value for key, value in filled.items()}
    raise KeyError(reference)


def behind(templates: Templates, reference: str, value: Mapping[str, str]) -> str:
    """Return the name of what a parameter of a nested stack is handed by the root."""
    stacks = of_type(templates.root, "AWS::CloudFormation::Stack")
    for name, stack in stacks.items():
        if name.startswith(f"Workflow{reference}Nested"):
            return json.dumps(stack["Properties"]["Parameters"][value["Ref"]])
    raise KeyError(reference)


def test_a_machine_keeps_its_name_and_its_versions(deploy: Deploy):
    before = deploy({"child": CHILD})
    after = deploy({"child": CHILD.replace("echo", "printf %s")})

    one, other = before.workflows["child"], after.workflows["child"]
    assert of_type(one, MACHINE).keys() == of_type(other, MACHINE).keys()
    assert only(one, MACHINE)["Properties"]["StateMachineName"] == "stepsmith-dev-child"
    assert only(other, MACHINE)["Properties"]["StateMachineName"] == "stepsmith-dev-child"
    for template in (one, other):
        version = only(template, MACHINE_VERSION)
        [machine] = of_type(template, MACHINE)
        # A new revision of the machine makes a new version, and the old one is not taken away.
        revision = {"Fn::GetAtt": [machine, "StateMachineRevisionId"]}
        assert version["Properties"]["StateMachineRevisionId"] == revision
        assert version["DeletionPolicy"] == version["UpdateReplacePolicy"] == "Retain"
    assert before.definition("child") != after.definition("child")


def test_runs_are_started_through_an_alias_that_means_the_last_version(deploy: Deploy):
    template = deploy({"child": CHILD}).workflows["child"]
    [version] = of_type(template, MACHINE_VERSION)

    alias = only(template, ALIAS)["Properties"]

    assert alias["Name"] == "live"
    assert alias["RoutingConfiguration"] == [
        {"StateMachineVersionArn": {"Ref": version}, "Weight": 100}
    ]


def test_new_code_is_a_new_version_and_the_old_one_stays(deploy: Deploy):
    before = deploy({"child": CHILD})
    after = deploy({"child": CHILD}, action_run="second")

    def versions(templates: Templates) -> set[str]:
        return {name for name in of_type(templates.root, VERSION) if name.startswith("ActionRun")}

    assert len(versions(before)) == len(versions(after)) == 1
    assert versions(before) != versions(after)
    for templates in (before, after):
        for one in of_type(templates.root, VERSION).values():
            assert one["DeletionPolicy"] == "Retain"
    # The function is the same: only its versions tell the code apart.
    assert of_type(before.root, FUNCTION).keys() == of_type(after.root, FUNCTION).keys()


def test_a_definition_calls_versions_not_functions(deploy: Deploy):
    templates = deploy({"child": CHILD, "parent": PARENT})

    called = substitutions(templates, "child")["ActionRun"]
    assert re.search(r"ActionRunFunctionCurrentVersion\w+", behind(templates, "child", called))
    called = substitutions(templates, "parent")["Tasks"]
    assert re.search(r"TasksFunctionCurrentVersion\w+", behind(templates, "parent", called))
    called = substitutions(templates, "parent", "--close")["Records"]
    assert re.search(r"StoredFunctionCurrentVersion\w+", behind(templates, "parent", called))
    assert not re.search(r"\$\{(?!\w+\})", templates.definition("parent"))


def test_children_and_close_machines_are_pinned(deploy: Deploy):
    templates = deploy({"child": CHILD, "parent": PARENT})
    filled = substitutions(templates, "parent")

    child = behind(templates, "parent", filled["MachineChild"])
    assert re.search(r"Outputs\.\w*MachineVersion\w*Ref", child)
    own = filled["MachineParentClose"]["Ref"]
    assert templates.workflows["parent"]["Resources"][own]["Type"] == MACHINE_VERSION


def test_a_role_covers_all_versions_of_what_it_calls(deploy: Deploy):
    templates = deploy({"child": CHILD, "parent": PARENT})
    text = json.dumps(of_type(templates.workflows["parent"], ROLE))

    assert '":*"' in text  # of functions
    for name in ("stepsmith-dev-child", "stepsmith-dev-parent--close"):
        assert f":stateMachine:{name}:*" in text
        assert f":execution:{name}:*" in text


def test_a_machine_that_may_do_something_else_gets_another_role(deploy: Deploy):
    """Runs on an old version still do what it did: whoever goes on has the old role."""
    before = deploy({"child": CHILD})
    same = deploy({"child": CHILD.replace("echo", "printf %s")})
    other = deploy(
        {"child": f"{CHILD}  - {{id: tell, type: publish, event: said, payload: {{}}}}\n"}
    )

    roles = [set(of_type(one.workflows["child"], ROLE)) for one in (before, same, other)]

    assert roles[0] == roles[1] != roles[2]
    for one in (before, other):
        role = only(one.workflows["child"], ROLE)
        assert role["DeletionPolicy"] == role["UpdateReplacePolicy"] == "Retain"


def test_what_nothing_needs_any_more_stays_for_those_that_still_do(deploy: Deploy):
    templates = deploy({"child": CHILD, "parent": PARENT})

    machine = next(iter(of_type(templates.workflows["parent"], MACHINE).values()))
    assert machine["DeletionPolicy"] == "RetainExceptOnCreate"
    assert machine["UpdateReplacePolicy"] == "Retain"
    for name, one in of_type(templates.root, FUNCTION).items():
        if name.startswith(("Action", "Latches", "Stored", "Tasks")):
            assert one["DeletionPolicy"] == "Retain"
    for name, one in of_type(templates.root, ROLE).items():
        if name.startswith(("Action", "Latches", "Stored", "Tasks")):
            assert one["DeletionPolicy"] == "Retain"


def rules(templates: Templates, reference: str) -> dict[str, Resource]:
    """Return the rules of a workflow by their names in its template."""
    return of_type(templates.workflows[reference], "AWS::Events::Rule")


def test_what_steps_wait_for_is_listened_to_as_long_as_older_runs_may_wait(deploy: Deploy):
    """A rule stays where its pattern is gone; a new pattern is another rule, not the old one."""
    waits = "name: child\nsteps:\n  - {id: hold, type: wait, event: EVENT, timeout: 1h}\n"
    triggered = f"{waits}trigger: {{type: event, event: asked}}\n"
    first = deploy({"child": triggered.replace("EVENT", "paid")})
    second = deploy({"child": triggered.replace("EVENT", "sent")})

    [(name, rule)] = [(n, r) for n, r in rules(first, "child").items() if "Waits" in n]
    assert rule["Properties"]["EventPattern"] == {"detail-type": ["paid"]}
    assert rule["DeletionPolicy"] == "RetainExceptOnCreate"
    assert rule["UpdateReplacePolicy"] == "Retain"
    assert "Name" not in rule["Properties"]  # or the pattern could not come back
    assert name not in rules(second, "child")
    [(own, on)] = [(n, r) for n, r in rules(first, "child").items() if "Waits" not in n]
    assert "DeletionPolicy" not in on  # of a trigger: what is deployed is what starts runs
    assert own in rules(second, "child")
    bus = only(first.root, "AWS::Events::EventBus")
    assert bus["DeletionPolicy"] == "RetainExceptOnCreate"


def test_a_version_beside_a_higher_one_is_a_machine_of_its_own(deploy: Deploy):
    first = CHILD.replace("name: child", "name: child\nversion: '1'") + (
        "trigger: {type: event, event: asked}\n"
    )
    second = first.replace("'1'", "'2'").replace("echo", "printf %s")
    parent = PARENT.replace("workflow: child", "workflow: child@1")
    templates = deploy({"first": first, "second": second, "parent": parent})

    assert templates.workflows.keys() == {"child", "child@1", "parent"}
    names = {one["Properties"]["StateMachineName"] for one in templates.of_type(MACHINE)}
    assert {"stepsmith-dev-child", "stepsmith-dev-child-1"} <= names
    assert "printf" in templates.definition("child")
    assert "MachineChild1" in substitutions(templates, "parent")
    # Events start the highest version only.
    rules = {
        ref: len(of_type(one, "AWS::Events::Rule")) for ref, one in templates.workflows.items()
    }
    assert rules == {"child": 1, "child@1": 0, "parent": 0}


def test_the_same_project_gives_the_same_bytes(deploy: Deploy):
    def written(templates: Templates) -> dict[str, bytes]:
        files = templates.folder.glob("*.json")
        # What CDK notes for its own use: an account of the run, and where it was.
        notes = ("manifest.json", "tree.json", "validation-report.json")
        return {one.name: one.read_bytes() for one in files if one.name not in notes}

    project = {"child": CHILD, "parent": PARENT}

    assert written(deploy(project)) == written(deploy(project))
