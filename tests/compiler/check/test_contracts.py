"""Inputs against what takes them: actions, AWS operations, other workflows, triggers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compiler.check.program import Action, Constant, Fields, SubWorkflow
from tests.compiler.check.checked import BUILD_APP, PROJECT, Checked, checked, contract_of


def calling(action: str, *inputs: str) -> Checked:
    """Check one step that calls an action."""
    lines = ["name: Calls", "inputs: {n: number, text: string}", "steps:", "  - id: it"]
    lines += [f"    action: {action}", "    inputs:", *(f"      {line}" for line in inputs)]
    lines += ['  - {id: use, run: "echo ${{ inputs.n }} ${{ inputs.text }}"}']
    return checked("\n".join(lines))


@pytest.mark.parametrize(
    ("line", "code", "place"),
    [
        ("regoin: us-east-1", "unknown-input", "regoin"),
        ("region: us-east-2", "wrong-input", "us-east-2"),
        ("region: true", "wrong-input", "true"),
        ("region:", "wrong-input", ""),
        ("options: {wiat: true}", "unknown-input", "wiat"),
        ("options: {wait: yes}", "wrong-input", "yes"),
        ("options: [wait]", "wrong-input", "[wait]"),
        ("tags: a", "wrong-input", "a"),
        ("tags: [a, [b]]", "wrong-input", "[b]"),
        ("tags: ['${{ inputs.n }}']", "wrong-input", "'${{ inputs.n }}'"),
        ("region: ${{ inputs.n }}", "wrong-input", "${{ inputs.n }}"),
        ("tags: ${{ inputs.text }}", "wrong-input", "${{ inputs.text }}"),
        ("options: {wait: '${{ inputs.text }}'}", "wrong-input", "'${{ inputs.text }}'"),
        ("tags: ${{ steps.it.outputs.revision }}", "reads-itself", "steps.it.outputs.revision"),
    ],
)
def test_what_does_not_fit_is_underlined_where_it_stands(line: str, code: str, place: str):
    """Literals by the whole schema, expressions by their type, at any depth."""
    assert calling("deploy", "manifest: a.yaml", line).found == [(code, place)]


@pytest.mark.parametrize(
    "line",
    [
        "region: us-east-1",
        "options: {wait: true}",
        "tags: [a, 3.10, '${{ inputs.text }}', 'n${{ inputs.n }}']",
        "tags: ${{ fromJSON(inputs.text) }}",
        "token: ${{ secrets.TOKEN }}",
        "token: Bearer ${{ secrets.TOKEN }}",
        "region: ${{ vars.region }}",
    ],
)
def test_what_fits(line: str):
    """A number is its text where text is wanted; what is not known passes."""
    assert calling("deploy", "manifest: a.yaml", line).found == []


@pytest.mark.parametrize("line", ["region: moon", "region: no.such.place"])
def test_a_text_outside_of_a_choice_is_told_the_choice(line: str):
    assert calling("deploy", "manifest: a.yaml", line).helps == ["one of: 'us-east-1', 'eu-west-1'"]


@pytest.mark.parametrize("line", ["region: inputs.text", "options: {wait: inputs.text}"])
def test_a_path_without_brackets_where_no_such_text_fits_is_told_the_brackets(line: str):
    found = calling("deploy", "manifest: a.yaml", line)
    assert (found.found, found.helps) == (
        [("wrong-input", "inputs.text")],
        ["write ${{ inputs.text }}"],
    )


def test_a_missing_input_is_said_at_the_inputs():
    """With its type."""
    found = calling("deploy", "region: us-east-1")
    assert found.found == [("missing-input", "inputs")]
    assert found.helps == ["add `manifest: ...` (text)"]


def test_a_number_is_taken_as_it_was_written_where_text_is_wanted():
    """`3.10` is not 3.1; where a number is wanted it stays one."""
    found = calling("build-artifact", "source: 3.10", "replicas: 3")
    assert found.program is not None
    kind = found.program.steps[0].kind
    assert isinstance(kind, Action)
    assert kind.inputs == Constant({"source": "3.10", "replicas": 3})


def test_a_default_of_the_contract_is_checked_deep():
    """Once, also where the form of the file was checked before."""
    found = checked(
        """
        name: Defaults
        inputs:
          a: {type: number, default: x}
          b: {type: object, properties: {c: {type: string}}, default: {c: [1]}}
        steps:
          - {id: use, run: 'echo ${{ inputs.a }} ${{ inputs.b }}'}
        """
    )
    assert found.found == [("bad-default", "x"), ("bad-default", "[1]")]


def test_parameters_of_an_aws_call_are_checked_at_every_level():
    """Against a model that refers to itself."""
    found = checked(
        """
        name: Put
        steps:
          - id: put
            action: aws:dynamodb:putItem
            inputs:
              TableNam: users
              Item: {id: {L: [{S: a}, {SS: b}]}, n: {S: 1}}
        """
    )
    assert found.found == [
        ("unknown-parameter", "TableNam"),
        ("unknown-parameter", "SS"),
    ]


def test_an_operation_is_spelled_as_the_sdk_does():
    """The nearest one is named."""
    found = checked("name: A\nsteps: [{id: a, action: 'aws:dynamodb:PutItm'}]")
    assert found.found == [("unknown-operation", "'aws:dynamodb:PutItm'")]
    assert found.helps == ["did you mean 'aws:dynamodb:putItem'?"]


CALLEE = """
    name: Callee
    inputs: {source: string, branch: {type: string, default: main}, flag: boolean}
    outputs: {artifact: {type: string, value: "${{ steps.a.outputs.x }}"}}
    steps:
      - {id: a, run: echo, outputs: {x: a}}
      - {id: ask, type: manual, title: t}
"""


def test_the_contract_that_a_workflow_offers_is_read_from_its_file():
    """Both ways: what a caller gives, and what it reads."""
    offered = contract_of(CALLEE, "workflows/callee.yaml")
    assert offered.has_people
    assert offered.reference == "callee"
    found = checked(
        """
        name: Caller
        steps:
          - {id: call, type: subworkflow, workflow: callee, inputs: {source: [a], flga: true}}
          - {id: use, run: 'echo ${{ steps.call.outputs.artefact }}'}
        """,
        workflows={"callee": (offered,)},
    )
    assert found.found == [
        ("wrong-input", "[a]"),
        ("unknown-input", "flga"),
        ("unknown-output", "artefact"),
    ]


def test_a_workflow_is_found_by_id_version_and_file():
    """Without a version the highest one, by number; a file from the root, then beside."""
    versions = tuple(
        replace(BUILD_APP, version=version, file=f"workflows/build_{at}.yaml")
        for at, version in enumerate(("1.9", "1.10", "1.2"))
    )

    def called(what: str) -> str:
        text = f"name: A\nsteps: [{{id: a, type: subworkflow, {what}, inputs: {{source: x}}}}]"
        found = checked(text, replace(PROJECT, workflows={"build-app": versions}))
        assert found.program is not None, found.found
        kind = found.program.steps[0].kind
        assert isinstance(kind, SubWorkflow)
        return kind.workflow

    assert called("workflow: build_app") == "build-app"
    assert called("workflow: build-app@1.9") == "build-app@1.9"
    jobs = "name: A\njobs: {a: {uses: %s, with: {source: x}}}"
    for file, expected in (
        ("./workflows/build_1.yaml", "build-app"),
        ("./build_0.yaml", "build-app@1.9"),
    ):
        found = checked(jobs % file, replace(PROJECT, workflows={"build-app": versions}))
        assert found.program is not None, found.found
        assert found.program.children == (expected,)


@pytest.mark.parametrize(
    ("what", "place"),
    [
        ("workflow: build-ap", "build-ap"),
        ("workflow: build-app@9", "build-app@9"),
    ],
)
def test_an_unknown_workflow_or_version(what: str, place: str):
    """Reading its outputs is no second mistake."""
    found = checked(
        f"""
        name: A
        steps:
          - {{id: a, type: subworkflow, {what}}}
          - {{id: b, run: 'echo ${{{{ steps.a.outputs.x }}}}'}}
        """
    )
    assert found.found == [("unknown-workflow", place)]


def test_a_cycle_across_files_names_the_files():
    """From this file back to it."""
    callers = {
        "b": (
            contract_of("name: b\nsteps: [{id: x, type: subworkflow, workflow: c}]", "w/b.yaml"),
        ),
        "c": (contract_of("name: c\njobs: {x: {uses: ./w/a.yaml}}", "w/c.yaml"),),
        "a": (
            contract_of("name: a\nsteps: [{id: x, type: subworkflow, workflow: b}]", "w/a.yaml"),
        ),
    }
    text = "name: a\nsteps: [{id: x, type: subworkflow, workflow: b}]"
    found = checked(text, workflows=callers, file="w/a.yaml")
    assert found.found == [("workflow-cycle", "b")]
    assert found.diagnostics[0].message.endswith("w/a.yaml -> w/b.yaml -> w/c.yaml -> w/a.yaml")


def test_a_trigger_gives_what_the_contract_wants():
    """A git push gives some inputs by itself; the payload of an event is checked when it comes."""
    found = checked(
        """
        name: Pushed
        inputs: {commit: string, stage: string}
        trigger:
          - {name: push, type: git-push, repository: github.com/org/app, inputs: {stge: x}}
          - {name: night, type: schedule, cron: 0 3 * * ? *, inputs: {stage: a, commit: [b]}}
          - {name: told, type: event, event: a.b}
        steps:
          - {id: use, run: 'echo ${{ inputs.commit }} ${{ inputs.stage }}'}
        """
    )
    assert found.found == [
        ("unknown-input", "stge"),
        ("wrong-input", "[b]"),
    ]


def test_values_hold_what_was_written():
    """Plain JSON stays a constant; what holds an expression keeps its shape."""
    found = calling("deploy", "manifest: a.yaml", "tags: [a, '${{ inputs.text }}']")
    assert found.program is not None
    kind = found.program.steps[0].kind
    assert isinstance(kind, Action)
    assert isinstance(kind.inputs, Fields)
    assert dict(kind.inputs.items)["manifest"] == Constant("a.yaml")
