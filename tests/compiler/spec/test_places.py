"""Values under another key are found at their places, and one mistake hides no other."""

from __future__ import annotations

import pytest

from compiler.document import Document, Scalar
from compiler.spec import Workflow, decode
from tests.compiler.spec.reading import as_workflow, document, mistakes


def decoded(text: str) -> tuple[Workflow, Document]:
    """Return the workflow of a text with mistakes, and its document."""
    found, diagnostics = document(text)
    workflow = decode(found, diagnostics)
    assert workflow is not None
    return workflow, found


def standing_at(found, path) -> str:
    node = found.nearest(path)
    assert isinstance(node, Scalar)
    return node.text


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("if: inputs.x == 1", ("condition",), "inputs.x == 1"),
        ("needs: [b, c]", ("depends_on", 1), "c"),
        ("tiemout: 5m", ("timeout",), "5m"),
        ("dependsOn: [b]", ("depends_on", 0), "b"),
        ("continue-on-failure: true", ("continue_on_failure",), "true"),
        ("retry: {attempts: 3}", ("retry", "max_attempts"), "3"),
        ("rety: {attempts: 3}", ("retry", "max_attempts"), "3"),
        ("retry: {backoff: {base_dely: 3s}}", ("retry", "backoff", "base_delay"), "3s"),
        ("repeat: {until: x, every: 3s}", ("repeat", "delay"), "3s"),
    ],
)
def test_a_value_under_another_key_is_found_under_the_one_it_stands_for(line, name, value):
    workflow, found = decoded(as_workflow(f"id: a\nrun: x\n{line}"))
    path = (*workflow.steps[0].path, *name)
    assert standing_at(found, path) == value
    if isinstance(name[-1], str):
        key = found.key(path)
        assert key is not None
        assert key.text in line


def test_what_stands_under_another_key_of_the_root_is_found_as_a_whole():
    workflow, found = decoded("tasks: [{id: a, run: x, needs: [b]}]\n")
    assert standing_at(found, (*workflow.steps[0].path, "depends_on", 0)) == "b"
    assert standing_at(found, (*workflow.steps[0].path, "run")) == "x"


def test_a_file_called_as_another_tool_does_it_is_found_as_the_workflow():
    workflow, found = decoded(as_workflow("{id: a, uses: ./b.yaml}"))
    assert standing_at(found, (*workflow.steps[0].path, "workflow")) == "./b.yaml"


@pytest.mark.parametrize("line", ["when: on_success", "if: manual", "when: always"])
def test_a_word_of_another_tool_is_no_condition(line):
    workflow, _ = decoded(as_workflow(f"id: a\nrun: x\n{line}"))
    assert workflow.steps[0].condition is None


def test_a_mistake_in_one_key_leaves_the_others_as_they_are():
    workflow, found = decoded(
        as_workflow("""
            id: a
            run: x
            depends_on: [true, b, [c], d]
            repeat: {until: steps.a.outputs.y, delay: 5, attempts: 4}
            retry:
              max_attempts: many
              conditions:
                - if: x
                - error_type: [TimeoutError]
                - error: NetworkError
                - steps.a.outputs.z
            """)
    )
    (step,) = workflow.steps
    assert step.broken
    assert step.depends_on == ("b", "d")
    assert [standing_at(found, (*step.path, "depends_on", at)) for at in (0, 1)] == ["b", "d"]
    assert step.repeat is not None
    assert (step.repeat.until, step.repeat.max_attempts) == ("steps.a.outputs.y", 4)
    assert step.retry is not None
    assert step.retry.error_types == ("NetworkError",)
    error, expression = step.retry.conditions
    assert standing_at(found, (*error.path, "error_type")) == "NetworkError"
    assert standing_at(found, expression.path) == "steps.a.outputs.z"


def test_a_list_with_nothing_but_mistakes_is_not_an_empty_list():
    workflow, _ = decoded(as_workflow("{id: a, run: x, depends_on: [true, [b]]}"))
    assert workflow.steps[0].depends_on is None


def test_what_is_left_out_is_not_missed():
    assert mistakes(as_workflow("{id: a, run: [x], repeat: {until: [y], delay: z}}")) == [
        ("wrong-type", "[x]"),
        ("wrong-type", "[y]"),
        ("bad-duration", "z"),
    ]
    text = as_workflow(
        "{id: a, type: manual, escalations: [{notify: x}, {after: 3}, {after: 3h, notify: [true]}]}"
    )
    assert mistakes(text) == [
        ("missing-key", "notify"),
        ("bad-duration", "3"),
        ("wrong-type", "true"),
    ]


def test_a_renamed_key_is_checked_like_the_one_it_stands_for():
    assert mistakes(as_workflow("{id: a, run: x, retry: {attempts: 0}, if: [b]}")) == [
        ("foreign-key", "attempts"),
        ("out-of-range", "0"),
        ("foreign-key", "if"),
        ("wrong-type", "[b]"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jobs: {a: {steps: []}}\n", [("foreign-key", "steps")]),
        ("jobs: {a: {run: x}}\n", [("foreign-key", "run")]),
        (as_workflow("{id: a, dependencies: [b], trigger_rule: c}"),
         [("step-kind", "id"), ("foreign-key", "dependencies"), ("foreign-key", "trigger_rule")]),
        (as_workflow("{id: a, run: x, for_each: 3}"), [("wrong-type", "3")]),
        (as_workflow("{id: a, run: x, depends_on: [b], depends-on: [c]}"),
         [("unknown-key", "depends-on")]),
        ("StartAt: a\n" + as_workflow("{id: a, run: x, Next: b}"),
         [("foreign-key", "StartAt"), ("foreign-key", "Next")]),
    ],
)  # fmt: skip
def test_what_is_said_about_other_tools_words_and_nothing_that_follows(text, expected):
    assert mistakes(text) == expected


def test_a_bad_for_each_is_one_all_the_same():
    workflow, _ = decoded(as_workflow("{id: a, run: x, for_each: 3}"))
    assert workflow.steps[0].for_each is not None


@pytest.mark.parametrize(
    "reference", ["org/app@v1", "https://example.com/deploy.yaml", "@2", "build@", "a/b"]
)
def test_a_reference_to_no_workflow_is_not_looked_up(reference):
    text = as_workflow(f"{{id: a, type: subworkflow, workflow: '{reference}'}}")
    assert mistakes(text) == [("bad-reference", f"'{reference}'")]
    assert decoded(text)[0].steps[0].kind == "unknown"
