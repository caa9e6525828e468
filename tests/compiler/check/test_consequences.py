"""What only follows from a mistake is not told again; what does not follow is told with it."""

from __future__ import annotations

import pytest

from compiler.check import WorkflowContract
from tests.compiler.check.checked import PROJECT, Checked, checked, contract_of

CODES_OF_INPUTS = ("missing-input", "unknown-input", "wrong-input")


def step(*lines: str) -> Checked:
    """Check one step with these keys."""
    return checked("\n".join(["name: One", "steps:", "  - id: it", *(f"    {x}" for x in lines)]))


def of_inputs(found: Checked) -> list[tuple[str, str]]:
    """Return what was found about inputs."""
    return [one for one in found.found if one[0] in CODES_OF_INPUTS]


# --- a name with a slip in it -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("action: build-artifact", "inputs: {sorce: a}"), ("unknown-input", "sorce")),
        (
            ("action: 'aws:dynamodb:putItem'", "inputs: {TableName: a, item: {}}"),
            ("unknown-parameter", "item"),
        ),
        (
            ("type: subworkflow", "workflow: build-app", "inputs: {sources: a}"),
            ("unknown-input", "sources"),
        ),
    ],
)
def test_an_input_that_is_named_with_a_slip_is_not_missing_too(
    lines: tuple[str, ...], found: tuple[str, str]
):
    """Of actions, operations and workflows: the help already names the one that was meant."""
    result = step(*lines)
    assert result.found == [found]
    assert (result.helps[0] or "").startswith("did you mean")


def test_the_input_of_a_trigger_with_a_slip_is_not_missing_too():
    found = checked(
        """
        name: Events
        inputs: {order_id: string}
        trigger: {type: event, event: order.placed, inputs: {order: "${{ event.id }}"}}
        steps: [{id: use, run: "echo ${{ inputs.order_id }}"}]
        """
    )
    assert found.found == [("unknown-input", "order")]


def test_a_name_that_is_like_none_leaves_the_missing_one_missing():
    found = step("action: build-artifact", "inputs: {xyz: a}")
    assert found.codes == ["missing-input", "unknown-input"]


# --- other mistakes of the same step -----------------------------------------------------------


@pytest.mark.parametrize(
    "mistake",
    ["timeout: soon", "callback: maybe", "dependsOn: []", "retry: {max_attempts: many}", "ru: x"],
)
@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ("inputs: {source: a, brnach: b}", [("unknown-input", "brnach")]),
        ("inputs: {source: a, replicas: x}", [("wrong-input", "x")]),
        ("inputs: {branch: b}", [("missing-input", "inputs")]),
        ("input: {source: a, brnach: b}", [("unknown-input", "brnach")]),
        ("inputs: [a]", []),
        ("name: Without inputs", []),
    ],
)
def test_a_mistake_in_a_step_does_not_hide_those_in_its_inputs(
    mistake: str, inputs: str, expected: list[tuple[str, str]]
):
    """Only where the inputs themselves cannot be found or read, none of them is missing."""
    assert of_inputs(step("action: build-artifact", inputs, mistake)) == expected


def test_a_mistake_in_a_trigger_does_not_hide_those_in_its_inputs():
    found = checked(
        """
        name: Events
        inputs: {order_id: string}
        trigger: {type: event, event: a.b, dedupe: maybe, inputs: {order_id: [a], size: 3}}
        steps: [{id: use, run: "echo ${{ inputs.order_id }}"}]
        """
    )
    assert of_inputs(found) == [("wrong-input", "[a]"), ("unknown-input", "size")]


# --- what starts a workflow, and what comes out of it --------------------------------------------


@pytest.mark.parametrize(
    "trigger",
    [
        "on: {push: {branches: [main]}}",
        "trigger: {type: git-push, branch: [[a]]}",
        "trigger: [{type: nothing-known}, {type: http}]",
        "trigger: 3",
    ],
)
def test_a_trigger_that_could_not_be_read_may_be_a_git_push(trigger: str):
    found = checked(
        f"""
        name: Pushed
        {trigger}
        steps: [{{id: use, run: "echo ${{{{ github.sha }}}} ${{{{ inputs.branch }}}}"}}]
        """
    )
    assert found.codes
    assert not {"no-git-push", "unknown-member"} & set(found.codes)


def test_another_mistake_at_the_root_does_not_hide_that_no_git_push_starts_it():
    found = checked("name: N\nnmae: M\nsteps: [{id: use, run: 'echo ${{ github.sha }}'}]\n")
    assert found.codes == ["unknown-key", "no-git-push"]


@pytest.mark.parametrize(
    ("called", "code"),
    [
        ("action: no-such-thing", "unknown-action"),
        ("action: 'aws:dynamodb:nothing'", "unknown-operation"),
        ("{type: subworkflow, workflow: none}", "unknown-workflow"),
    ],
)
def test_anything_may_come_from_what_is_not_known(called: str, code: str):
    """Outputs of the workflow, and reads of the step, are not wrong for that."""
    keys = called.strip("{}")
    found = checked(
        f"""
        name: Unknown
        outputs: {{artifact: string}}
        steps:
          - {{id: it, {keys}, inputs: {{x: y}}}}
          - {{id: use, run: "echo ${{{{ steps.it.outputs.anything }}}}"}}
        """
    )
    assert found.codes == [code]


def test_a_name_that_no_known_step_gives_stays_an_error():
    found = checked("name: N\noutputs: {artifact: string}\nsteps: [{id: it, run: make}]\n")
    assert found.codes == ["output-without-value"]


# --- one value, one finding ----------------------------------------------------------------------


def test_a_timeout_that_lambda_does_not_have_is_not_too_long_for_the_run_as_well():
    found = checked(
        """
        name: Times
        timeout: 20m
        steps: [{id: it, run: echo, runner: lambda, timeout: 1h}]
        """
    )
    assert found.codes == ["longer-than-lambda"]


# --- proposals -----------------------------------------------------------------------------------


def test_a_workflow_is_never_proposed_to_itself():
    """Neither by its id nor by its file; with no other one that is said."""
    own = contract_of("name: Alone\nsteps: [{id: a, run: echo}]\n", PROJECT.file)
    for reference in ("alnoe", "./workflows/thsi.yaml"):
        found = checked(
            f"name: Alone\nsteps: [{{id: a, type: subworkflow, workflow: {reference}}}]\n",
            workflows={"alone": (own,)},
        )
        assert found.codes == ["unknown-workflow"]
        assert own.id not in (found.helps[0] or "")
        assert own.file not in (found.helps[0] or "")
        assert found.helps[0]


@pytest.mark.parametrize("key", ["depends_on: [bulid]", "env: {A: '${{ steps.bulid.status }}'}"])
@pytest.mark.parametrize("other", ["", "  - {id: unlike, run: echo}\n"])
def test_a_step_is_never_proposed_to_itself(key: str, other: str):
    text = f"name: N\nsteps:\n{other}  - {{id: build, run: echo, {key}}}\n"
    found = checked(text)
    assert found.codes == ["unknown-step"]
    assert "'build'" not in (found.helps[0] or "")
    assert ("'unlike'" in (found.helps[0] or "")) == bool(other)


def test_a_workflow_that_calls_itself_is_told_from_a_circle_of_several():
    """A circle is shown with its files."""
    own = WorkflowContract("caller", None, PROJECT.file, children=("caller",))
    text = "name: Caller\nsteps: [{id: again, type: subworkflow, workflow: caller}]\n"
    found = checked(text, workflows={"caller": (own,)})
    assert found.found == [("workflow-cycle", "caller")]
    assert found.diagnostics[0].message == "the workflow calls itself"
    other = WorkflowContract("other", None, "workflows/other.yaml", children=("caller",))
    found = checked(
        text.replace("workflow: caller", "workflow: other"),
        workflows={"caller": (own,), "other": (other,)},
    )
    assert found.codes == ["workflow-cycle"]
    assert "workflows/other.yaml" in found.diagnostics[0].message


def test_a_workflow_is_called_as_the_file_writes_it():
    """`-` and `_` are alike, and the message has the file's own word."""
    found = step("type: subworkflow", "workflow: build_app@1.2", "inputs: {source: [a]}")
    assert found.codes == ["wrong-input"]
    assert "'build_app@1.2'" in found.diagnostics[0].message


def test_an_output_that_a_called_workflow_does_not_give_is_declared_there():
    silent = WorkflowContract("notify-team", None, "workflows/notify.yaml")
    found = checked(
        """
        name: Caller
        steps:
          - {id: tell, type: subworkflow, workflow: notify-team}
          - {id: use, run: "echo ${{ steps.tell.outputs.id }}"}
        """,
        workflows={"notify-team": (silent,)},
    )
    assert found.codes == ["unknown-output"]
    assert "`outputs` of the workflow 'notify-team'" in (found.helps[0] or "")


# --- variables -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("variables cannot read each other", "env: {A: a, B: 'b${{ env.A }}'}"),
        ("where no `env` is there yet", "trigger: {type: event, event: a.b, condition: env.A}"),
    ],
)
def test_a_variable_that_is_written_but_not_there_says_why(where: str, text: str):
    env = "" if text.startswith("env") else "env: {A: a}\n"
    found = checked(f"name: Env\n{env}{text}\nsteps: [{{id: it, run: echo}}]\n")
    assert found.found == [("unknown-variable", "env.A")]
    assert where in found.diagnostics[0].message


@pytest.mark.parametrize(
    ("key", "is_wrong"),
    [
        ("env: {A: a, B: '${{ env.A }}'}", True),
        ("env: {A: a}, condition: env.A == 'a'", True),
        ("env: {A: a}, for_each: ['${{ env.A }}']", True),
        ("env: {A: a}, outputs: {b: '${{ env.A }}'}", False),
        ("env: {OUTER: '${{ env.OUTER }}/bin'}", False),
        ("env: {A: [a], B: '${{ env.A }}'}", False),
    ],
)
def test_a_step_reads_its_variables_where_they_are_there(key: str, is_wrong: bool):
    """Not in the same `env`, the condition or `for_each`; a broken one is told where it stands."""
    found = checked(f"name: Env\nenv: {{OUTER: x}}\nsteps:\n  - {{id: it, run: echo, {key}}}\n")
    assert ("unknown-variable" in found.codes) == is_wrong


def test_the_workflows_own_keys_read_its_variables():
    found = checked(
        """
        name: Env
        env: {STAGE: "x-${{ run.id }}"}
        concurrency: {group: "${{ env.STAGE }}"}
        source: {repository: github.com/org/app, ref: "${{ env.STAGE }}"}
        outputs: {stage: {value: "${{ env.STAGE }}"}}
        notify: {on: failed, to: "${{ env.STAGE }}"}
        steps: [{id: it, run: echo}]
        """
    )
    assert found.found == []


# --- words ---------------------------------------------------------------------------------------


def test_an_output_of_the_wrong_type_names_itself_once():
    found = checked(
        """
        name: Out
        outputs: {replicas: {type: integer, value: "${{ run.id }}"}}
        steps: [{id: it, run: echo}]
        """
    )
    message = found.diagnostics[0].message
    assert message == "output 'replicas' is text here, but its contract says a whole number"


@pytest.mark.parametrize(
    "key",
    [
        "env: {A: '${{ steps.it.status }}'}",
        "concurrency: {group: '${{ steps.it.status }}'}",
        "trigger: {type: event, event: a.b, condition: steps.it.status == 'failed'}",
    ],
)
def test_a_step_read_before_any_has_run_is_told_so(key: str):
    found = checked(f"name: Early\n{key}\nsteps: [{{id: it, run: echo}}]\n")
    assert found.codes == ["steps-not-here"]
    assert "before any step has run" in found.diagnostics[0].message
    assert found.helps[0]


def test_dependencies_in_one_text_are_told_their_list():
    """As in Makefiles and in queries."""
    steps = "[{id: a, run: x}, {id: b, run: x}, {id: c, run: x, depends_on: 'a, b'}]"
    found = checked(f"name: N\nsteps: {steps}\n")
    assert found.codes == ["unknown-step"]
    assert found.helps == ["write each as an item of a list: `depends_on: [a, b]`"]
