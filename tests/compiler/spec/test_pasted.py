"""Keys of GitHub Actions whose value says what to write: the help is the finished line."""

from __future__ import annotations

import pytest

from compiler.spec import decode
from tests.compiler.spec.reading import as_workflow, document, helps, mistakes

STEPS = "steps: [{id: a, run: x}]\n"
_SHELLS = ("pwsh", "perl {0}")
_PULLS = "it starts on pull requests that are opened, synchronized or reopened"


@pytest.mark.parametrize(
    ("value", "help_"),
    [
        ("true", "write `on_conflict: cancel_running`"),
        ("false", "write `on_conflict: queue`"),
        ("${{ github.ref != 'refs/heads/main' }}",
         ("write `on_conflict: cancel_running` where it is true, "
         "`on_conflict: queue` where it is not")),
    ],
)  # fmt: skip
def test_what_a_further_run_does_to_the_one_in_progress(value, help_):
    text = f"concurrency:\n  group: x\n  cancel-in-progress: {value}\n{STEPS}"
    assert [code for code, _ in mistakes(text)] == ["foreign-key"]
    assert helps(text) == [help_]


@pytest.mark.parametrize(
    ("value", "help_"),
    [
        ("production", "for reviewers put a step with `type: manual` before it"),
        ("{name: prod, url: https://example.com}",
         "for reviewers put a step with `type: manual` before it"),
        ("{TOKEN: x}",
         "for reviewers put a step with `type: manual` before it; for variables write `env`"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "text",
    [
        as_workflow("{id: a, run: x, environment: VALUE}"),
        "jobs: {a: {uses: b, environment: VALUE}}\n",
    ],
)
def test_an_environment_is_an_approval_before_it_is_variables(text, value, help_):
    assert helps(text.replace("VALUE", value)) == [help_]


def test_the_environment_of_an_action_may_be_an_input_of_it():
    assert helps(as_workflow("{id: a, action: deploy, environment: prod}")) == [
        (
            "for reviewers put a step with `type: manual` before it; "
            "what the action is given stands in its `inputs`"
        )
    ]


@pytest.mark.parametrize("value", ["production", "{group: x}"])
def test_concurrency_of_one_step_belongs_into_a_workflow_of_its_own(value):
    text = as_workflow(f"{{id: a, run: x, concurrency: {value}}}")
    assert mistakes(text) == [("foreign-key", "concurrency")]
    assert helps(text) == ["write it at the root; for one step, put that into its own workflow"]


def test_the_value_of_a_key_that_was_only_guessed_is_not_judged():
    assert mistakes(as_workflow("{id: a, run: x, for_each: [1], max_concurency: all}")) == [
        ("unknown-key", "max_concurency")
    ]


@pytest.mark.parametrize(
    ("value", "help_"),
    [
        ("push", "write `trigger: {type: git-push}`"),
        ("[push, pull_request]", "write `trigger: {type: git-push, event: [push, pull_request]}`"),
        ("{push: {branches: [main], paths-ignore: [docs/**]}}",
         'write `trigger: {type: git-push, branch: main, paths: "!docs/**"}`'),
        ("{push: {branches: ['**'], branches-ignore: [wip]}}",
         'write `trigger: {type: git-push, branch: ["**", "!wip"]}`'),
        ("{push: {branches: [main]}, pull_request: {branches: [main], types: [opened]}}",
         "write `trigger: {type: git-push, event: [push, pull_request], branch: main}`"),
        ("{push: {branches: [main]}, pull_request: {}}",
         ("write `trigger: [{type: git-push, branch: main}, "
         "{type: git-push, event: pull_request}]`")),
        ("{schedule: [{cron: 0 6 * * 1-5}]}",
         'write `trigger: {type: schedule, cron: "0 6 * * 1-5"}`'),
        ("workflow_dispatch", "leave `workflow_dispatch` out: any workflow can be started"),
        ("{workflow_call: {inputs: {x: {type: string}}, outputs: {}}}",
         ("leave `workflow_call` out: any workflow can be called; "
         "write its `inputs:` and `outputs:` at the root")),
        ("{push: {}, release: {types: [published]}}",
         ("write `trigger: {type: git-push}`; "
         "there is none for release: `type: http` takes a webhook")),
        ("{pusj: {}}", "for pusj did you mean `push`?"),
        ("{'${{ x }}': {}}",
         'there is none for "${{ x }}": `type: http` takes a webhook'),
        ("1", "write `trigger`, with a `type`"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("key", ["on", '"on"', "true"])
def test_what_starts_a_workflow_is_told_as_the_finished_trigger(key, value, help_):
    text = f"{key}: {value}\n{STEPS}"
    assert [code for code, _ in mistakes(text)] == ["foreign-key"]
    assert helps(text) == [help_]


def test_a_trigger_of_many_branches_is_told_its_form_only():
    branches = ", ".join(f"a-long-name-of-a-branch-{n}" for n in range(20))
    (help_,) = helps(f"on: {{push: {{branches: [{branches}]}}}}\n{STEPS}")
    assert help_ is not None
    assert help_.startswith("write `trigger: {type: git-push, event: [push, pull_request], branch:")


def test_a_value_of_many_lines_is_not_shown():
    text = 'on: {push: {branches: ["a\\nb", "' + "x" * 500 + f'"]}}}}\n{STEPS}'
    assert helps(text) == ["write `trigger: {type: git-push, branch: [..., ...]}`"]


def test_what_the_help_says_for_on_is_read():
    text = "on: {push: {branches: ['**', \"it's\", 1.2], tags: [v1.2], paths-ignore: ['*.md']}}\n"
    (help_,) = helps(text + STEPS)
    assert help_ is not None
    assert "1.2" in help_
    assert mistakes(help_.removeprefix("write `").removesuffix("`") + "\n" + STEPS) == []


@pytest.mark.parametrize(
    ("trigger", "code", "help_"),
    [
        ("{push: {branches: [main]}}", "missing-key",
         "write `trigger: {type: git-push, branch: main}`"),
        ("{workflow_dispatch: {}}", "missing-key",
         "leave `workflow_dispatch` out: any workflow can be started"),
        ("{type: workflow_call}", "unknown-value",
         "leave it out: any workflow can be called; write `inputs:` at the root"),
        ("{type: workflow_dispatch}", "unknown-value",
         "leave it out: any workflow can be started; write `inputs:` at the root"),
        ("{type: release}", "unknown-value",
         "there is none for `release`; `type: http` takes a webhook"),
        ("{type: git-push, types: [opened]}", "foreign-key",
         "leave it out; filter with `condition: event.action == 'opened'`"),
        ("{type: git-push, types: [opened, reopened]}", "foreign-key",
         ("leave it out; filter with "
         "`condition: event.action == 'opened' || event.action == 'reopened'`")),
        ("{type: git-push, types: [opened, synchronize, reopened]}", "foreign-key",
         f"leave it out: {_PULLS}"),
        ("{type: git-push, types: [closed]}", "foreign-key",
         f"leave it out: {_PULLS}, and on nothing like closed"),
        ("{type: git-push, paths-ignore: [docs/**]}", "foreign-key",
         "write `paths` with the patterns after a `!`"),
    ],
)  # fmt: skip
def test_a_trigger_with_words_of_on(trigger, code, help_):
    text = f"trigger: {trigger}\n{STEPS}"
    assert [found for found, _ in mistakes(text)] == [code]
    assert helps(text) == [help_]


@pytest.mark.parametrize(
    ("line", "help_"),
    [
        ("timeout-minutes: 30", "write `timeout: 30m`"),
        ("timeout-minutes: 0.5", "write `timeout` with a unit, such as 30m"),
        ("continue-on-error: true", "write `on_error: continue`"),
        ("continue-on-error: false",
         "leave it out: a failure fails the run unless a step says `on_error: continue`"),
        ("continue-on-error: ${{ item.x }}",
         "write `on_error: continue` or leave it out: it is decided before the run"),
        ("strategy: {matrix: {os: [a, b]}, max-parallel: 2, fail-fast: true}",
         "write `for_each: [a, b]`, and `max_concurrency: 2` and `fail_fast: true`"),
        ("shell: bash", "scripts run in bash; leave it out"),
        ("shell: python",
         "scripts run in bash; begin this one with `python - <<'EOF'`, and end it with `EOF`"),
        ("services: {db: {image: postgres}}",
         "there are none; start it in the script: `docker run -d ...`"),
        ("defaults: {run: {working-directory: app}}",
         "write it at the root; for `working-directory` write `cd` in the script"),
        ("strategy: {matrix: {os: [a, b]}}", "write `for_each: [a, b]`"),
        ("strategy: {matrix: {os: [a, b], py: [3.10, 3.11], include: [{os: c}]}}",
         "write the list of combinations: `for_each: [{os: a, py: 3.10}, ...]`"),
        ("strategy: {matrix: '${{ fromJSON(inputs.x) }}'}",
         "write `for_each` with the list of items"),
    ],
)  # fmt: skip
def test_a_step_with_keys_of_there(line, help_):
    text = as_workflow(f"id: a\nrun: x\n{line}")
    assert [code for code, _ in mistakes(text)] == ["foreign-key"]
    assert helps(text) == [help_]


def test_a_script_for_another_shell_is_not_told_to_leave_that_out():
    assert [helps(as_workflow(f"{{id: a, run: x, shell: '{shell}'}}")) for shell in _SHELLS] == [
        ["scripts run in bash, on Linux: write this one in bash"],
        ["scripts run in bash: call `perl` in the script"],
    ]


@pytest.mark.parametrize(
    ("input_", "found", "help_"),
    [
        ("{type: choice, options: [info, debug], default: info}", ("unknown-value", "choice"),
         "write `type: string` and `enum: [info, debug]`"),
        ("{type: choice}", ("unknown-value", "choice"), "write `string`"),
        ("{options: [1, 2.50, a b]}", ("unknown-key", "options"),
         'write `enum: [1, 2.50, "a b"]`'),
        ("{type: environment}", ("unknown-value", "environment"),
         "write `string`; for its reviewers put in a step with `type: manual`"),
    ],
)  # fmt: skip
def test_an_input_of_workflow_dispatch(input_, found, help_):
    text = f"inputs: {{x: {input_}}}\n{STEPS}"
    assert (mistakes(text), helps(text)) == ([found], [help_])


def test_the_default_of_a_choice_is_held_against_its_options():
    text = f"inputs: {{x: {{type: choice, options: [a, b], default: c}}}}\n{STEPS}"
    assert [code for code, _ in mistakes(text)] == ["unknown-value", "bad-default"]


def test_a_job_with_steps_is_one_mistake_with_all_that_it_becomes():
    text = """
        jobs:
          build:
            runs-on: ubuntu-latest
            timeout-minutes: 10
            concurrency: x
            outputs: {version: "${{ steps.meta.outputs.version }}"}
            steps:
              - {id: meta, run: x}
          deploy:
            needs: build
            if: always()
            steps: [{run: x}]
        """
    assert mistakes(text) == [("foreign-key", "steps"), ("foreign-key", "steps")]
    assert set(helps(text)) == {
        (
            "a job with `steps` becomes a step under `steps:` at the root; join its `run`s into "
            "one script, and write its `needs` as `depends_on`"
        )
    }


@pytest.mark.parametrize(
    ("uses", "help_"),
    [
        ("actions/checkout@v4", "leave the step out: every script finds the source in its folder"),
        ("actions/setup-node@v4",
         "leave the step out; `image:` of a script is a container with what it needs"),
        ("owner/action@v1",
         "write `action:` with an action of this project, or a script under `run:`"),
        ("./.github/actions/foo",
         "write the script of ./.github/actions/foo under `run:`, or an action of this project"),
        ("docker://alpine:3", "write what it runs under `run:`, with `image: alpine:3`"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["", "name: A\n"])
def test_a_step_that_uses_something_is_one_mistake(name, uses, help_):
    text = as_workflow(f"{name}uses: {uses}\nwith: {{x: 1}}")
    assert mistakes(text)[:1] == [("foreign-key", "uses")]
    assert helps(text)[:1] == [help_]
    assert len(mistakes(text)) == 1


def test_an_empty_item_is_shown_at_its_dash():
    text = "steps:\n  - {id: a, run: x}\n  - # nothing - yet\n\n  - {id: b, run: x}\n"
    assert mistakes(text) == [("wrong-type", "-")]
    found, diagnostics = document(text)
    decode(found, diagnostics)
    (told,) = diagnostics
    assert (found.source.line_column(told.span.start), told.help) == (
        (3, 3),
        "write it, or take the dash out",
    )


@pytest.mark.parametrize(
    ("line", "code", "help_"),
    [
        ("name: Test (${{ matrix.os }})", "fixed-value",
         "write a plain name: the items of a `for_each` are told apart by themselves"),
        ("name: Test (${{ item.os }})", "fixed-value",
         "write a plain name: the items of a `for_each` are told apart by themselves"),
        ("name: Test ${{ inputs.x }}", "fixed-value", "write the value itself"),
        ("for_each: {os: [a, b], py: [1, 2]}", "wrong-type",
         "write the list of combinations: `for_each: [{os: a, py: 1}, ...]`"),
        ("for_each: {matrix: {os: [a, b]}}", "wrong-type", "write `for_each: [a, b]`"),
        ("for_each: {a: 1}", "wrong-type", "write the list of items: `for_each: [a, b]`"),
    ],
)  # fmt: skip
def test_a_matrix_in_other_words(line, code, help_):
    text = as_workflow(f"id: a\nrun: x\n{line}")
    assert ([found for found, _ in mistakes(text)], helps(text)) == ([code], [help_])


def test_a_job_that_was_moved_under_steps_as_it_is():
    text = """
        steps:
          - id: build
            runs-on: ubuntu-latest
            needs: []
            outputs: {version: "${{ steps.meta.outputs.version }}"}
            steps: [{id: meta, run: x}]
        """
    assert mistakes(text) == [("foreign-key", "needs"), ("foreign-key", "steps")]
    assert helps(text)[1] == (
        "join the `run`s of these into one script under `run:`, and leave `runs-on` out"
    )


def test_the_approval_of_a_job_with_steps_is_not_lost():
    (help_,) = helps("jobs: {a: {environment: production, steps: [{run: x}]}}\n")
    assert help_ is not None
    assert help_.endswith(
        "; for the reviewers of its `environment` put a step with `type: manual` before it"
    )
