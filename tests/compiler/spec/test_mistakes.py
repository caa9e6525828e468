"""Mistakes in keys and types: each is reported once, at its place, with what to write instead."""

from __future__ import annotations

from textwrap import dedent

import pytest

from compiler.codes.spec import CODES
from compiler.diagnostics import Diagnostics
from compiler.document import read
from compiler.source import Source
from compiler.spec import decode
from tests.compiler.spec.reading import (
    as_workflow,
    document,
    good,
    helps,
    mistakes,
    step,
    step_mistakes,
)


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.slug)
def test_the_examples_of_a_code_are_one_file_with_it_and_one_without(code):
    assert [slug for slug, _ in mistakes(code.wrong)] == [code.slug]
    assert good(code.right).steps


@pytest.mark.parametrize(
    ("line", "expected", "help_"),
    [
        ("conditon: always()", ("unknown-key", "conditon"), "did you mean `condition`?"),
        ("depends-on: [b]", ("unknown-key", "depends-on"), "write `depends_on`"),
        ("dependsOn: [b]", ("unknown-key", "dependsOn"), "write `depends_on`"),
        ("maxItems: 3", ("unknown-key", "maxItems"), "write `max_items`"),
        ("if: always()", ("foreign-key", "if"), "write `condition`"),
        ("needs: [b]", ("foreign-key", "needs"), "write `depends_on`"),
        ("runs-on: x", ("foreign-key", "runs-on"),
         "write `runner: lambda` or `runner: codebuild`, on a script"),
        ("continue-on-error: true", ("foreign-key", "continue-on-error"),
         "write `on_error: continue`"),
        ("timeout-minutes: 5", ("foreign-key", "timeout-minutes"), "write `timeout: 5m`"),
        ("strategy: {matrix: {x: [1]}}", ("foreign-key", "strategy"), "write `for_each: [1]`"),
        ("as: file", ("foreign-key", "as"),
         "an item is read as item, and its place in the list as index"),
        ("for_each: [1]\nparallelism: 3", ("foreign-key", "parallelism"),
         "write `max_concurrency`"),
        ("secrets: inherit", ("foreign-key", "secrets"),
         "name each secret where it is used: ${{ secrets.NAME }}"),
        ("with: {x: 1}", ("foreign-key", "with"),
         "a script takes its values from `env` and ${{ ... }}"),
        ("quorum: 2", ("unknown-key", "quorum"), "`quorum` belongs to a manual step"),
        ("inputs: {x: 1}", ("foreign-key", "inputs"),
         "a script takes its values from `env` and ${{ ... }}"),
    ],
)  # fmt: skip
def test_a_key_that_a_script_does_not_have(line, expected, help_):
    text = as_workflow(f"id: a\nrun: x\n{line}").replace("maxItems", "for_each: [1]\n    maxItems")
    assert mistakes(text) == [expected]
    assert helps(text) == [help_]


@pytest.mark.parametrize(
    ("line", "expected", "help_"),
    [
        ("retry: 3", ("wrong-type", "3"), "write `retry: {count: 3}`"),
        ("retry: always", ("wrong-type", "always"), None),
        ("retry: {backoff: exponential}", ("wrong-type", "exponential"),
         "write `backoff: {type: exponential}`"),
        ("retry: {conditions: NetworkError}", ("wrong-type", "NetworkError"),
         "write `conditions: [{error_type: NetworkError}]`"),
        ("retry: {conditions: {error_type: NetworkError}}", ("wrong-type", "error_type"),
         "write it as an item of a list: `conditions: [{error_type: ...}]`"),
        ("retry: {conditions: '${{ failure() }}'}", ("wrong-type", "'${{ failure() }}'"),
         'write it as an item of a list: `conditions: ["${{ failure() }}"]`'),
        ("retry: {conditions: [NetworkError]}", ("wrong-type", "NetworkError"),
         "write `{error_type: NetworkError}`"),
        ("retry: {conditions: [States.Timeout]}", ("wrong-type", "States.Timeout"),
         "write `{error_type: States.Timeout}`"),
    ],
)  # fmt: skip
def test_a_word_in_the_place_of_a_mapping_is_told_the_mapping(line, expected, help_):
    text = as_workflow(f"id: a\nrun: x\n{line}")
    assert (mistakes(text), helps(text)) == ([expected], [help_])


@pytest.mark.parametrize(
    ("line", "help_"),
    [
        ("concurrency: release", "write `concurrency: {group: release}`"),
        ("concurrency: to-${{ vars.x }}", 'write `concurrency: {group: "to-${{ vars.x }}"}`'),
        ("source: github.com/o/app", "write `source: {repository: github.com/o/app}`"),
        ("notify: a@example.com", "write `notify: {to: a@example.com}`"),
        ("notify: [group:team]", "write `{to: group:team}`"),
        ("trigger: push", "write `trigger: {type: git-push, event: push}`"),
        ("trigger: [schedule]", "write `{type: schedule}`"),
        ("trigger: sometimes", None),
    ],
)
def test_of_the_whole_workflow_as_well(line, help_):
    text = f"{line}\nsteps: [{{id: a, run: x}}]\n"
    assert [code for code, _ in mistakes(text)] == ["wrong-type"]
    assert helps(text) == [help_]


def test_a_list_that_is_written_as_words_with_commas_is_told_its_brackets():
    assert helps(as_workflow("{id: a, run: x, for_each: 'eu, us'}")) == ["write [eu, us]"]
    assert helps(as_workflow("{id: a, run: x, for_each: inputs.a}")) == ["write ${{ inputs.a }}"]


@pytest.mark.parametrize("word", ["yes", "on", '"true"'])
def test_a_flag_is_told_how_it_is_written_wherever_it_stands(word):
    flags = (
        f"steps: [{{id: a, run: x, checkpoint: {word}}}]\n",
        f"inputs: {{x: {{type: string, required: {word}}}}}\nsteps: [{{id: a, run: x}}]\n",
    )
    for text in flags:
        assert helps(text) == ["write true; yes, on and quoted words are text in YAML 1.2"]


@pytest.mark.parametrize("place", ["trigger: {type: http, secret: %s}", "name: %s"])
def test_nobody_is_told_to_write_the_value_of_a_secret_into_a_file(place):
    text = place % "'${{ secrets.PAGER }}'" + "\nsteps: [{id: a, run: x}]\n"
    assert [code for code, _ in mistakes(text)] == ["fixed-value"]
    assert helps(text) == ["write the secret's name alone: PAGER"]


def test_a_trigger_that_is_named_by_its_key_is_told_its_type():
    text = "trigger: {schedule: [{cron: 0 2 * * *}]}\nsteps: [{id: a, run: x}]\n"
    assert [code for code, _ in mistakes(text)] == ["missing-key"]
    assert helps(text) == ["write `type: schedule`, and the keys of it beside"]


def test_with_on_an_action_is_inputs():
    assert helps(as_workflow("{id: a, action: x, with: {y: 1}}")) == ["write `inputs`"]


def test_a_key_near_nothing_gets_the_list_of_keys():
    (help_,) = helps("steps: [{id: a, run: x, repeat: {until: y, zzz: 1}}]")
    assert help_ == "the keys here are until, delay, max_attempts"


def test_a_key_in_another_spelling_counts_so_that_nothing_follows_from_it():
    found, diagnostics = document(as_workflow("{id: a, run: x, needs: [b], tiemout: 5m}"))
    workflow = decode(found, diagnostics)
    assert workflow is not None
    assert workflow.steps[0].depends_on == ("b",)
    assert workflow.steps[0].timeout == 300
    assert len(diagnostics) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{id: a, uses: actions/checkout@v4}", ("foreign-key", "uses")),
        ("{id: a, uses: ./other.yaml, with: {x: 1}}", ("foreign-key", "uses")),
        ("{id: a, script: make}", ("foreign-key", "script")),
        ("{id: a, actoin: make}", ("unknown-key", "actoin")),
        ("{id: a, assignees: [x]}", ("step-kind", "id")),
        ("{id: a, payload: {x: 1}, event: y}", ("step-kind", "id")),
        ("{id: a}", ("step-kind", "id")),
        ("{id: a, type: manaul}", ("unknown-value", "manaul")),
        ("{id: a, type: script, run: x}", ("unknown-value", "script")),
        ("{id: a, type: manual, run: x}", ("conflicting-keys", "run")),
        ("{id: a, run: x, action: y}", ("conflicting-keys", "run")),
        ("{id: a, type: 3}", ("wrong-type", "3")),
        ("just a text", ("wrong-type", "just a text")),
        ("{run: x}", ("missing-key", "run")),
        ("{id: true, run: x}", ("wrong-type", "true")),
        ("{name: , run: x}", ("wrong-type", "name")),
        ("{id: a, run: }", ("wrong-type", "run")),
        ("{id: a, type: publish}", ("missing-key", "id")),
        ("{id: a, type: subworkflow, inputs: {x: 1}}", ("missing-key", "id")),
    ],
)
def test_a_step_that_is_not_exactly_one_thing(text, expected):
    found = step_mistakes(text)
    assert found[0] == expected
    assert len(found) == (2 if text.startswith("{id: a, uses: ./other") else 1)


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("{id: a, type: notify, to: x}",
         "leave it out and write `action: notify` with `inputs: {to: ..., message: ...}`"),
        ("{id: a, type: http-request, url: x}",
         "leave it out and write `action: http-request` with `inputs: {url: ...}`"),
        ("{id: a, type: aws:s3:listBuckets}",
         "leave it out and write `action: aws:s3:listBuckets`"),
        ("{id: a, type: Map}",
         "leave it out and write `for_each:` with the list, beside what is done with each item"),
        ("{id: a, type: Choice}",
         "leave the step out, and write `condition:` on the steps behind it"),
        ("{id: a, type: Pass}", "leave the step out"),
        ("{id: a, rnu: x}", "did you mean `run`?"),
        ("{id: a, run: x, for_each: 1..5}", "write the list of items: `for_each: [a, b]`"),
        ("{id: a, run: x, for_each: 5}", "write the list of items: `for_each: [a, b]`"),
        ("{id: a, run: x, for_each: inputs.x}", "write ${{ inputs.x }}"),
        ("{id: a, run: x, for_each: fromJSON(inputs.x)}", "write ${{ fromJSON(inputs.x) }}"),
    ],
)  # fmt: skip
def test_what_is_no_kind_of_step_or_list_is_answered_once_with_what_to_write(text, help_):
    found, diagnostics = document(as_workflow(text))
    decode(found, diagnostics)
    assert [d.help for d in diagnostics] == [help_]


@pytest.mark.parametrize(
    ("line", "expected", "message"),
    [
        ("checkpoint: yes", ("wrong-type", "yes"),
         "`checkpoint` is the text 'yes', but must be true or false"),
        ("description: true", ("wrong-type", "true"),
         "`description` is true, but must be text"),
        ("env: [x]", ("wrong-type", "[x]"),
         "`env` is a list, but must be a mapping of names to values"),
        ("depends_on: {b: 1}", ("wrong-type", "b"),
         "`depends_on` is a mapping, but must be a list"),
        ("depends_on: [b, true]", ("wrong-type", "true"),
         "an item of `depends_on` is true, but must be text"),
        ("condition:", ("wrong-type", "condition"), "`condition` has no value"),
        ("timeout: 90", ("bad-duration", "90"),
         "`timeout` is the number 90, which is not a duration"),
        ("timeout: '${{ inputs.t }}'", ("fixed-value", "'${{ inputs.t }}'"),
         "`timeout` holds an expression, but must be known before the run"),
        ("on_error: ignore", ("unknown-value", "ignore"),
         "`on_error` is the text 'ignore', but must be `fail`, `continue` or `pause`"),
        ("env: {A: }", ("wrong-type", "A"), "`A` has no value"),
        ("env: {A-B: x}", ("bad-name", "A-B"), "`A-B` cannot be an environment variable"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_type_is_named_in_the_words_of_yaml(line, expected, message):
    text = as_workflow(f"id: a\nrun: x\n{line}")
    assert mistakes(text) == [expected]
    found, diagnostics = document(text)
    decode(found, diagnostics)
    assert [d.message for d in diagnostics] == [message]


def test_a_text_field_keeps_numbers_as_they_were_written():
    workflow = good("{version: 3.10, name: 1e3, steps: [{id: a, run: 0755, description: 1_000}]}")
    assert (workflow.version, workflow.name) == ("3.10", "1e3")
    assert workflow.steps[0].description == "1_000"


def test_free_values_are_kept_as_they_are():
    found = step("{id: a, action: x, inputs: {n: 3.10, t: true, z: null, l: [1, {a: b}]}}")
    inputs = getattr(found, "inputs").entries  # noqa: B009 - one of several kinds
    assert inputs == {"n": 3.1, "t": True, "z": None, "l": [1, {"a": "b"}]}


def test_all_mistakes_of_a_file_are_reported_in_one_run():
    found = mistakes("""
        name: Many
        on: push
        timeout: 30
        inputs: {a: strng}
        steps:
          - id: a
            run: x
            retry: {count: 2, dely: 3s, backoff: {tpye: fixed}}
          - id: a
            type: manual
            escalations: [{notify: x}, {after: soon}]
          - id: b
            runn: x
            needs: a
    """)
    assert found == [
        ("foreign-key", "on"),
        ("bad-duration", "30"),
        ("unknown-value", "strng"),
        ("unknown-key", "dely"),
        ("unknown-key", "tpye"),
        ("duplicate-step", "a"),
        ("missing-key", "notify"),
        ("bad-duration", "soon"),
        ("unknown-key", "runn"),
        ("foreign-key", "needs"),
    ]


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("inputs: {a: {type: boolean, default: no}}", "write false, without quotes"),
        ("inputs: {a: {type: boolean, default: 'true'}}", "write true, without quotes"),
        ("inputs: {a: {type: integer, default: '3'}}", "write 3, without quotes"),
        ("inputs: {a: {type: integer, default: '3.5'}}", None),
        ("env: [A=b, C=d]", "write `A: b`"),
        ("outputs: https://example.com",
         "write `name: string`, or `name: {value: ...}` with an expression"),
        ("outputs: {url: https://example.com}", "write `url: {value: https://example.com}`"),
        ("outputs: {a: '${{ b }}'}", 'write `a: {value: "${{ b }}"}`'),
        ("inputs: {'': string}", "use letters, digits, _ and -, with a letter first"),
    ],
)  # fmt: skip
def test_what_to_write_at_the_root_instead(text, help_):
    assert helps(text + "\nsteps: [{id: a, run: x}]\n") == [help_]


@pytest.mark.parametrize(
    ("line", "help_"),
    [
        ("outputs: [x]", "write `x: ...`"),
        ("env: [A=b]", "write `A: b`"),
        ("depends_on: {build: , test: }", "write `depends_on: [build, test]`"),
        ("artifacts: {dist: app}", "write `artifacts: [dist]`"),
        ("outputs: {'${{ x }}': done}", "use letters, digits, _ and -, with a letter first"),
    ],
)
def test_what_to_write_on_a_step_instead(line, help_):
    assert helps(as_workflow(f"id: a\nrun: x\n{line}")) == [help_]


@pytest.mark.parametrize(
    ("uses", "help_"),
    [
        ("actions/checkout@v4", "leave the step out: every script finds the source"),
        ("actions/upload-artifact@v4", "leave the step out, and write `artifacts: [PATH]`"),
        ("actions/download-artifact@v4", "leave the step out: artifacts of the steps before"),
        ("actions/cache@v4", "leave the step out: nothing is kept from one run to the next"),
        ("actions/checkouts@v4", "write `action:` with an action of this project, or a script"),
    ],
)
def test_what_nearly_every_workflow_of_github_has_is_told_where_it_went(uses, help_):
    (said,) = helps(as_workflow(f"id: a\nuses: {uses}"))
    assert said.startswith(help_)


def test_a_script_is_a_block_of_lines():
    assert helps(as_workflow("{id: a, run: [make, make test]}")) == [
        "write the lines below `run: |`"
    ]


def test_what_could_not_be_read_has_no_mistakes_that_follow():
    text = """
        inputs: {a: {type: number, default: .inf}}
        steps:
          - id: a
            run: *script
            retry: *retry
            depends_on: [b, *c]
            env: {X: *x}
          - *step
          - id: d
            action: e
            inputs: *inputs
        """
    source = Source("flow.yaml", dedent(text))
    diagnostics = Diagnostics(source)
    (found,) = read(source, diagnostics)
    before = len(diagnostics)
    workflow = decode(found, diagnostics)
    assert workflow is not None
    assert len(diagnostics) == before == 7
    assert all(step.broken for step in workflow.steps)


def test_an_id_that_is_proposed_does_not_collide():
    text = "steps: [{name: Vérifier, run: x}, {id: Vérifier, run: x}, {id: 2nd, run: x}]\n"
    assert [code for code, _ in mistakes(text)] == ["bad-id", "bad-id"]
