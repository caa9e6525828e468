"""Each kind of step, in the one shape it has after decoding."""

from __future__ import annotations

import pytest

from compiler.spec import (
    ActionStep,
    AwsStep,
    ManualStep,
    ParallelStep,
    PublishStep,
    RunStep,
    SubworkflowStep,
    UnknownStep,
    WaitStep,
    decode,
)
from tests.compiler.spec.reading import as_workflow, document, good, step, step_mistakes


def test_an_action_may_wait_for_an_answer_from_outside():
    found = step("{id: a, action: book-room, inputs: {floor: 2}, callback: true}")
    assert isinstance(found, ActionStep)
    assert (found.action, found.callback, found.inputs.entries) == ("book-room", True, {"floor": 2})


def test_a_direct_call_of_aws_names_service_and_operation():
    found = step("{id: a, action: aws:dynamodb:putItem, inputs: {TableName: t}}")
    assert isinstance(found, AwsStep)
    assert (found.service, found.operation) == ("dynamodb", "putItem")
    assert step_mistakes("{id: a, action: aws:dynamodb}") == [("bad-action", "aws:dynamodb")]
    assert step_mistakes("{id: a, action: aws:sns:publish, callback: true}") == [
        ("not-here", "callback")
    ]


def test_a_script_says_where_it_runs():
    found = step(
        "{id: a, run: make, runner: codebuild, image: 'node:22', env: {CI: true, N: 3.10}}"
    )
    assert isinstance(found, RunStep)
    assert (found.runner, found.image) == ("codebuild", "node:22")
    assert found.env.entries == {"CI": "true", "N": "3.10"}
    assert step_mistakes("{id: a, run: make, runner: lambda, image: x}") == [
        ("conflicting-keys", "image")
    ]


def test_a_manual_step_has_defaults_for_all_that_is_left_out():
    found = step("{name: Look at it, type: manual}")
    assert isinstance(found, ManualStep)
    assert (found.title, found.assignees, found.timeout) == ("Look at it", None, 259_200)
    assert (found.quorum, found.auth, found.on_reject, found.on_timeout) == (
        1, "link", "fail", "fail",
    )  # fmt: skip


def test_people_are_one_a_list_or_an_expression():
    def people(text: str) -> tuple[str, ...] | str | None:
        found = step(f"{{id: a, type: manual, assignees: {text}}}")
        assert isinstance(found, ManualStep)
        return found.assignees

    assert people("ada@example.com") == ("ada@example.com",)
    assert people("['group:ops', '${{ inputs.who }}']") == ("group:ops", "${{ inputs.who }}")
    assert people("'${{ inputs.team }}'") == "${{ inputs.team }}"


@pytest.mark.parametrize(
    "form",
    [
        "{type: object, properties: {tag: string, note: {type: string}}}",
        "{tag: string, note: {type: string}}",
    ],
)
def test_a_form_is_a_schema_or_a_list_of_fields(form):
    found = step(f"{{id: a, type: manual, form: {form}}}")
    assert isinstance(found, ManualStep)
    assert found.form == {
        "type": "object",
        "properties": {"tag": {"type": "string"}, "note": {"type": "string"}},
        "required": ["tag"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("key", ["on_error: continue", "continue_on_failure: true"])
def test_a_persons_no_is_not_an_error_to_go_on_after(key):
    name = key.split(":")[0]
    assert step_mistakes(f"{{id: a, type: manual, {key}}}") == [("not-here", name)]


def test_a_parallel_step_is_neither_retried_nor_paused_as_a_whole():
    found = step_mistakes("""
        id: a
        type: parallel
        retry: {count: 2}
        on_error: pause
        steps: [{id: b, run: x}]
    """)
    assert found == [("not-here", "retry"), ("not-here", "pause")]
    block = step("{id: a, type: parallel, fail_fast: true, steps: [{id: b, run: x}]}")
    assert isinstance(block, ParallelStep)
    assert block.fail_fast
    assert step_mistakes("{id: a, type: parallel, steps: []}")[0][0] == "missing-key"


def test_a_workflow_is_called_by_id_by_version_or_by_file():
    def called(reference: str) -> tuple[str | None, str | None, str | None]:
        found = step(f"{{id: a, type: subworkflow, workflow: {reference}}}")
        assert isinstance(found, SubworkflowStep)
        return found.workflow, found.version, found.file

    assert called("build-app") == ("build-app", None, None)
    assert called("build-app@1.10") == ("build-app", "1.10", None)
    assert called("./build.yaml") == (None, None, "./build.yaml")
    assert step_mistakes("{id: a, type: subworkflow, workflow: org/app@v1}") == [
        ("bad-reference", "org/app@v1")
    ]
    assert step_mistakes("{id: a, type: subworkflow, workflow: '${{ inputs.w }}'}") == [
        ("fixed-value", "'${{ inputs.w }}'")
    ]


def test_a_wait_is_for_a_time_or_an_event():
    def waits(text: str) -> WaitStep:
        found = step(f"{{id: a, type: wait, {text}}}")
        assert isinstance(found, WaitStep)
        return found

    assert waits("for: 10m").duration == 600
    assert waits("for: '${{ inputs.pause }}'").duration == "${{ inputs.pause }}"
    assert waits("until: '${{ inputs.start }}'").until == "${{ inputs.start }}"
    event = waits("event: order.paid, match: event.detail.id == inputs.id, timeout: 1h")
    assert (event.pattern, event.timeout) == ({"detail-type": ["order.paid"]}, 3600)
    assert event.match == "event.detail.id == inputs.id"
    assert waits("event: {source: [aws.s3]}").pattern == {"source": ["aws.s3"]}
    assert waits("event: order.paid").timeout == 259_200


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{id: a, type: wait}", ("missing-key", "id")),
        ("{id: a, type: wait, for: 1m, event: x}", ("conflicting-keys", "event")),
        ("{id: a, type: wait, for: 1m, match: x}", ("not-here", "match")),
        ("{id: a, type: wait, for: 1m, timeout: 2m}", ("not-here", "timeout")),
        ("{id: a, type: wait, event: '${{ inputs.e }}'}", ("fixed-value", "'${{ inputs.e }}'")),
        ("{id: a, type: wait, for: 10}", ("bad-duration", "10")),
    ],
)
def test_a_wait_for_nothing_or_for_two_things(text, expected):
    assert step_mistakes(text) == [expected]


def test_an_event_is_published_with_its_payload():
    found = step("{id: a, type: publish, event: user.signup, payload: {user_id: u-123}}")
    assert isinstance(found, PublishStep)
    assert (found.event, found.payload.entries) == ("user.signup", {"user_id": "u-123"})


def test_a_step_for_each_item_has_a_bound():
    found = step("{id: a, run: x, for_each: '${{ inputs.regions }}', max_concurrency: 3}")
    assert found.for_each is not None
    assert (found.for_each.items, found.for_each.max_items) == ("${{ inputs.regions }}", 100)
    assert found.for_each.max_concurrency == 3
    assert step("{id: a, run: x, for_each: [1, 2]}").for_each is not None
    assert step_mistakes("{id: a, run: x, for_each: inputs.regions}") == [
        ("wrong-type", "inputs.regions")
    ]
    assert step_mistakes("{id: a, run: x, max_items: 3}") == [("not-here", "max_items")]


def test_items_stop_each_other_where_that_is_asked_for():
    """The key is one of any step with for_each, and of a parallel step with and without it."""
    found = step("{id: a, run: x, for_each: [1, 2], fail_fast: true}")
    assert found.for_each is not None
    assert found.for_each.fail_fast
    plain = step("{id: a, run: x, for_each: [1, 2]}").for_each
    assert plain is not None
    assert not plain.fail_fast
    both = step("{id: a, type: parallel, for_each: [1], fail_fast: true, steps: [{id: b, run: x}]}")
    assert isinstance(both, ParallelStep)
    assert both.for_each is not None
    assert both.fail_fast
    assert both.for_each.fail_fast
    for kind in ("run: x", "type: manual", "type: wait, for: 5m", "action: http-request"):
        for value in ("true", "false"):
            assert step_mistakes(f"{{id: a, {kind}, fail_fast: {value}}}") == [
                ("not-here", "fail_fast")
            ]
    assert step_mistakes("{id: a, run: x, for_each: [1], fail_fast: 1}")[0][0] == "wrong-type"
    assert step_mistakes("{id: a, run: x, for_each: [1], fail-fast: true}")[0][0] == "unknown-key"


def test_a_step_is_repeated_until_a_condition_holds():
    found = step("{id: a, run: x, repeat: {until: steps.a.outputs.done, delay: 1m}}").repeat
    assert found is not None
    assert (found.until, found.delay, found.max_attempts) == ("steps.a.outputs.done", 60, 10)
    assert step_mistakes("{id: a, run: x, repeat: {delay: 1m}}") == [("missing-key", "delay")]


def test_the_undo_of_a_step_is_a_step():
    undo = step("{id: book, action: book, compensate: {action: cancel}}").compensate
    assert isinstance(undo, ActionStep)
    assert (undo.id, undo.path) == ("book_undo", ("steps", 0, "compensate"))
    assert step_mistakes("{id: a, run: x, compensate: {run: y, depends_on: [a]}}") == [
        ("not-here", "depends_on")
    ]


def test_the_older_spellings_of_continue():
    assert step("{id: a, run: x, continue-on-failure: true}").on_error == "continue"
    assert step("{id: a, run: x, continue_on_failure: false}").on_error == "fail"
    assert step_mistakes("{id: a, run: x, on_error: fail, continue-on-failure: true}") == [
        ("conflicting-keys", "continue-on-failure")
    ]


def test_a_condition_may_be_bare_or_a_plain_truth_value():
    assert step("{id: a, run: x, condition: success()}").condition == "success()"
    assert step("{id: a, run: x, condition: true}").condition == "true"


def test_defaults_reach_the_steps_that_are_carried_out():
    workflow = good("""
        defaults: {retry: {count: 2}, timeout: 5m, runner: codebuild}
        steps:
          - {id: a, run: x}
          - {id: b, action: y, timeout: 1h, retry: {count: 0}}
          - {id: c, type: manual}
          - {id: d, type: wait, for: 1h}
          - {id: e, run: x, image: alpine}
    """)
    a, b, c, d, e = workflow.steps
    assert isinstance(a, RunStep)
    assert isinstance(e, RunStep)
    assert a.retry is not None
    assert b.retry is not None
    assert (a.retry.max_attempts, a.retry.path) == (3, ("defaults", "retry"))
    assert (a.timeout, a.runner, e.runner) == (300, "codebuild", None)
    assert (b.timeout, b.retry.max_attempts) == (3600, 1)
    assert (c.retry, c.timeout, d.retry, d.timeout) == (None, 259_200, None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{max_attempts: 5}", (5, 1, 2.0, None)),
        ("{count: 3}", (4, 1, 2.0, None)),
        ("{count: 0}", (1, 1, 2.0, None)),
        ("{count: 3, delay: 30s}", (4, 30, 1.0, None)),
        ("{count: 3, delay: 30s, backoff: 1.5}", (4, 30, 1.5, None)),
        ("{backoff: {type: fixed, base_delay: 5s}}", (3, 5, 1.0, None)),
        ("{backoff: {max_delay: 1m}, delay: 0s}", (3, 0, 2.0, 60)),
    ],
)
def test_a_retry_in_either_dialect(text, expected):
    found = step(f"{{id: a, run: x, retry: {text}}}").retry
    assert found is not None
    assert (found.max_attempts, found.base_delay, found.rate, found.max_delay) == expected
    assert found.jitter == "full"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{count: 3, max_attempts: 3}", ("conflicting-keys", "count")),
        ("{delay: 3s, backoff: {base_delay: 3s}}", ("conflicting-keys", "delay")),
        ("{max_attempts: 0}", ("out-of-range", "0")),
        ("{count: '3'}", ("wrong-type", "'3'")),
        ("{backoff: 0.5}", ("out-of-range", "0.5")),
        ("{backoff: {type: linear}}", ("unknown-value", "linear")),
        ("{conditions: [{}]}", ("missing-key", "{}")),
        ("{conditions: [{error: X}]}", ("foreign-key", "error")),
        ("{delay: 30}", ("bad-duration", "30")),
        ("3", ("wrong-type", "3")),
    ],
)
def test_a_retry_with_a_mistake(text, expected):
    assert step_mistakes(f"{{id: a, run: x, retry: {text}}}") == [expected]


def test_what_could_be_read_of_a_broken_step_stands():
    found, diagnostics = document(as_workflow("{id: a, run: x, timeout: 30, depends_on: []}"))
    workflow = decode(found, diagnostics)
    assert workflow is not None
    (broken,) = workflow.steps
    assert isinstance(broken, RunStep)
    assert broken.broken
    assert (broken.depends_on, broken.timeout) == ((), None)


def test_a_step_of_no_kind_keeps_its_id_known():
    found, diagnostics = document(as_workflow("{id: a, depends_on: [b]}"))
    workflow = decode(found, diagnostics)
    assert workflow is not None
    (unknown,) = workflow.steps
    assert isinstance(unknown, UnknownStep)
    assert (unknown.id, unknown.depends_on, unknown.broken) == ("a", ("b",), True)
