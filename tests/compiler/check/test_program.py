"""What the check hands on: values, outputs, environment, scripts."""

from __future__ import annotations

import pytest

from compiler.check.program import (
    Computed,
    Constant,
    Fields,
    Items,
    Manual,
    Pause,
    Program,
    Publish,
    Retry,
    Script,
    Secret,
    Step,
    Value,
)
from compiler.document.nodes import Json
from compiler.expressions import Binary, Call, Joined, Literal, Ref, Single
from protocol.names import DEADLINE_PASSED, TIMEOUT_ERRORS
from tests.compiler.check.checked import PROJECT, checked


def program(text: str) -> Program:
    """Return the Program of a workflow that is fine."""
    found = checked(text)
    assert found.program is not None, found.found
    return found.program


def step(*lines: str) -> Step:
    """Return the only step of a workflow."""
    return program("\n".join(("name: One", "steps:", *(f"  {line}" for line in lines)))).steps[0]


def test_ids_in_expressions_are_those_of_the_steps():
    """Whether the author wrote `-` or `_`."""
    last = program(
        """
        name: Names
        steps:
          - {id: build-image, run: echo}
          - {id: last, run: echo, condition: steps.build_image.status == 'succeeded'}
        """
    ).steps[1]
    assert isinstance(last.condition, Binary)
    assert isinstance(last.condition.left, Ref)
    assert last.condition.left.keys == ("build-image", "status")


@pytest.mark.parametrize(
    ("output", "form"),
    [
        ("dist/app.tar.gz", "literal"),
        ("${{ steps.it.outputs.x }}", "declared"),
        ("", "declared"),
        ("v${{ steps.it.outputs.x }}", "derived"),
        ("${{ steps.it.outputs.y }}", "derived"),
        ("${{ run.id }}", "computed"),
        ("v${{ run.id }}", "computed"),
        ("${{ 'x' }}", "computed"),
        ("${{ null }}", "computed"),
    ],
)
def test_the_forms_of_an_output(output: str, form: str):
    """A literal is a default, the step's own output of that name a promise."""
    it = step("- id: it", "  run: echo", "  outputs:", f"    x: {output}")
    assert [(found.name, found.form) for found in it.outputs] == [("x", form)]


def test_the_environment_is_merged_inwards():
    """The workflow's, then a block's, then the step's own."""
    block = program(
        """
        name: Env
        env: {A: workflow, B: workflow}
        steps:
          - id: block
            type: parallel
            env: {B: block, C: block}
            steps:
              - {id: it, run: echo, env: {C: step, D: '${{ env.A }}-${{ env.C }}'}}
        """
    ).steps[0]
    inner = dict(block.kind.steps[0].env)
    assert {name: inner[name] for name in "ABC"} == {
        "A": Constant("workflow"),
        "B": Constant("block"),
        "C": Constant("step"),
    }
    joined = inner["D"]
    assert isinstance(joined, Computed)
    assert joined.template == Joined((Literal("workflow"), "-", Literal("block")))


def test_a_variable_of_the_environment_is_what_it_stands_for():
    """Nobody behind the check needs to know of `env`."""
    it = program(
        """
        name: Env
        inputs: {n: number, s: string}
        env: {N: '${{ inputs.n }}', S: 'x-${{ inputs.s }}'}
        steps:
          - {id: it, run: echo, condition: env.N == 3 && env.S == 'x-y'}
        """
    ).steps[0]
    assert isinstance(it.condition, Binary)
    left, right = it.condition.left, it.condition.right
    assert isinstance(left, Binary)
    assert isinstance(left.left, Ref)
    assert left.left.keys == ("n",)
    assert isinstance(right, Binary)
    assert isinstance(right.left, Call)
    assert right.left.name == "format"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("${{ env.SHOP }}", "books"),
        ("[${{ env.SHOP }}]", "[books]"),
        ("${{ env.NUMBER }}", "3.10"),
        ("${{ 'text' }}", "text"),
        ("${{ 2.0 }}", 2),
        ("${{ -1e3 }}", -1000),
        ("${{ true }}", True),
        ("${{ null }}", None),
        ("${{ '${{ x }}' }}", "${{ x }}"),
    ],
)
def test_an_expression_that_reads_nothing_is_its_value_wherever_it_stands(
    written: str, meant: Json
):
    """Not the text it is written as, also in a mapping or a list with nothing else computed."""
    found = program(
        f"""
        name: Known
        env: {{SHOP: books, NUMBER: 3.10}}
        outputs:
          whole: {{value: "{written}"}}
          deep: {{value: {{a: 1, b: ["{written}"]}}}}
        steps:
          - {{id: it, run: echo, outputs: {{own: "{written}"}}}}
          - id: each
            for_each: ["{written}", b]
            run: echo
          - id: tell
            type: publish
            event: a.b
            payload: {{x: {{y: "{written}"}}}}
        """
    )

    def plain(value: Value | None) -> Json:
        match value:
            case Constant(value=known):
                return known
            case Fields(items=items):
                return {name: plain(item) for name, item in items}
            case Items(items=several):
                return [plain(item) for item in several]
            case Computed(template=Joined(parts=("[", Literal(value=inner), "]"))):
                return f"[{inner}]"
            case _:
                raise AssertionError(value)

    outputs = dict(found.outputs)
    it, each, tell = found.steps
    assert each.for_each is not None
    assert isinstance(tell.kind, Publish)
    assert plain(outputs["whole"]) == meant
    assert plain(outputs["deep"]) == {"a": 1, "b": [meant]}
    assert plain(it.outputs[0].value) == meant
    assert plain(each.for_each.items) == [meant, "b"]
    assert plain(tell.kind.payload) == {"x": {"y": meant}}
    assert "${{ env" not in repr((outputs, it.outputs, each.for_each, tell.kind))
    assert type(plain(outputs["whole"])) is type(meant)


def test_a_number_of_an_expression_is_not_taken_for_the_text_it_is_written_as():
    """A number that is written stands for its text where a text is wanted; this one does not."""
    found = checked(
        """
        name: Number
        steps:
          - {id: a, action: run-tests, inputs: {artifact: 3.10}}
          - {id: b, action: run-tests, inputs: {artifact: "${{ 3.10 }}"}}
        """
    )
    assert [code for code, *_ in found.found] == ["wrong-input"]


def test_expressions_of_a_script_become_variables():
    """With their types; a secret among them stays one."""
    it = step("- id: it", "  run: echo ${{ run.id }} ${{ secrets.TOKEN }}")
    assert isinstance(it.kind, Script)
    assert "${{" not in it.kind.text
    values = [value for _, value in it.kind.variables]
    assert isinstance(values[0], Computed)
    assert isinstance(values[0].template, Single)
    assert isinstance(values[1], Secret)
    assert values[1].parts == (("secret", "TOKEN"),)


@pytest.mark.parametrize(
    ("lines", "runner"),
    [
        (("run: git fetch && echo done",), "lambda"),
        (("run: docker build .",), "codebuild"),
        (("run: echo", "image: node:24"), "codebuild"),
        (("run: docker build .", "runner: lambda"), "lambda"),
        (("run: echo", "timeout: 1h"), "codebuild"),
    ],
)
def test_where_a_script_runs(lines: tuple[str, ...], runner: str):
    """On Lambda where everything it calls is there; the reason goes into the plan."""
    it = step("- id: it", *(f"  {line}" for line in lines))
    assert isinstance(it.kind, Script)
    assert (it.kind.runner, bool(it.kind.why)) == (runner, True)


def test_retries_count_calls():
    """`count: 3` is four calls; a time-out is all the names it has on AWS; one call is no retry."""
    it = step(
        "- id: it",
        "  run: echo",
        "  retry: {count: 3, delay: 30s, backoff: 2, conditions: [{error_type: TimeoutError}]}",
    )
    assert it.retry == Retry(
        attempts=4,
        delay=30,
        rate=2.0,
        max_delay=None,
        jitter=True,
        errors=("TimeoutError", *(name for name in TIMEOUT_ERRORS if name != DEADLINE_PASSED)),
        conditions=(),
    )
    assert step("- id: it", "  run: echo", "  retry: {max_attempts: 1}").retry is None


def test_in_a_retry_the_attempt_has_failed():
    """`failure()` is true there and `success()` false, so no status function is left."""
    it = step(
        "- id: it", "  run: echo", "  retry: {count: 1, conditions: ['failure()', 'success()']}"
    )
    assert it.retry is not None
    assert it.retry.conditions == (Literal(value=True), Literal(value=False))


def test_a_manual_step_without_assignees_asks_the_approvers_of_the_stage():
    """Escalations without `notify` go to whoever decides, in the order of time."""
    it = step(
        "- id: it",
        "  type: manual",
        "  title: Look",
        "  escalations: [{after: 48h}, {after: 24h, notify: boss@example.com}]",
    )
    assert isinstance(it.kind, Manual)
    assert it.kind.assignees == Constant(["lead@example.com"])
    assert [(level.after, level.notify) for level in it.kind.escalations] == [
        (24 * 3600, Constant(["boss@example.com"])),
        (48 * 3600, Constant(["lead@example.com"])),
    ]


def test_a_wait_for_a_number_of_seconds():
    """Written as a duration, or computed."""
    assert step("- {id: it, type: wait, for: 10m}").kind == Pause(600, None)
    computed = step("- {id: it, type: wait, for: '${{ run.attempt }}'}").kind
    assert isinstance(computed, Pause)
    assert isinstance(computed.seconds, Computed)


def test_the_workflow_s_outputs():
    """An expression, or the one step output of that name, also of a child of a block."""
    made = program(
        """
        name: Outputs
        outputs:
          image: string
          count: {type: number, value: '${{ run.attempt }}'}
        steps:
          - id: block
            type: parallel
            steps:
              - {id: build, run: echo, outputs: {image: app}}
        """
    )
    (_, image), (_, count) = made.outputs
    assert isinstance(image, Computed)
    assert isinstance(image.template, Single)
    assert isinstance(image.template.expr, Ref)
    assert image.template.expr.keys == ("build", "outputs", "image")
    assert isinstance(count, Computed)


def test_what_else_is_handed_on():
    """Children, checkout, triggers, handlers, undos, and the stage's variables."""
    made = program(
        """
        name: Whole
        version: '2'
        timeout: 1h
        source: {repository: github.com/org/app, ref: '${{ run.id }}'}
        trigger: {type: schedule, rate: 1h, inputs: {a: b}}
        concurrency: {group: 'deploy-${{ vars.region }}'}
        steps:
          - {id: call, type: subworkflow, workflow: build-app@1.2, inputs: {source: x}}
          - {id: book, run: echo, compensate: {run: echo}}
        on_failure: {run: echo}
        notify: {on: [failed], to: ['group:release', '${{ secrets.HOOK }}']}
        """
    )
    assert made.children == ("build-app@1.2",)
    assert made.checkout is not None
    assert made.checkout.repository == Constant("github.com/org/app")
    assert made.vars == PROJECT.stage.vars
    assert [handler.rule.depends_on for handler in made.handlers] == [()]
    assert made.steps[1].compensate is not None
    assert made.steps[1].checkpoint
    assert made.has_close
    assert [trigger.inputs for trigger in made.triggers] == [(("a", Constant("b")),)]


def test_one_and_true_in_a_script_are_two_values():
    """Python takes them for the same key."""
    found = checked(
        """
        name: Both
        steps:
          - {id: it, run: 'echo ${{ 1 }} ${{ true }} ${{ 0 }} ${{ false }}'}
        """
    )
    assert found.program is not None
    kind = found.program.steps[0].kind
    assert isinstance(kind, Script)
    values = [value.value for _, value in kind.variables if isinstance(value, Constant)]
    assert [repr(value) for value in values] == ["1", "True", "0", "False"]


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ("for_each: '${{ inputs.all }}', max_items: 1000", None),
        ("for_each: '${{ inputs.all }}', max_items: 1001", "1001"),
        (f"for_each: {[0] * 1001}, max_items: 1001", "1001"),
        (f"for_each: {[0] * 1001}", str([0] * 1001)),
        ("for_each: ['${{ inputs.all }}', 2, 3], max_items: 3", None),
        ("for_each: ['${{ inputs.all }}', 2, 3], max_items: 2", "['${{ inputs.all }}', 2, 3]"),
    ],
)
def test_at_most_a_thousand_items_are_carried_out(keys: str, place: str | None):
    """Their results meet in one state, whose data is bounded."""
    found = checked(
        f"""
        name: Each
        inputs: {{all: {{type: array}}}}
        steps:
          - {{id: it, run: 'echo ${{{{ item }}}} ${{{{ toJSON(inputs.all) }}}}', {keys}}}
        """
    )
    assert found.found == ([] if place is None else [("too-many-items", place)])
