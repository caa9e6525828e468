"""Diagnostic codes of the `spec` pass."""

from __future__ import annotations

from compiler.codes import Code

_HELLO = "name: Hello\nsteps:\n  - id: hello\n    run: echo hello\n"
_PUSH = "name: Hello\ntrigger:\n  type: git-push\n  repository: github.com/org/app\n"
_STEPS = "steps:\n  - id: hello\n    run: echo hello\n"


def _reading(name: str) -> str:
    """Return a step that reads an input."""
    return f"steps:\n  - id: hello\n    run: echo ${{{{ inputs.{name} }}}}\n"


def _step(*lines: str) -> str:
    return "name: Hello\nsteps:\n  - " + "\n    ".join(lines) + "\n"


CODES: tuple[Code, ...] = (
    Code(
        "not-a-workflow",
        "The file holds no workflow",
        "A workflow file is a mapping with `steps:` (or `jobs:`), at its root or under one key "
        "`workflow:`. Scenarios stand in a file of their own, named `*.test.yaml`.",
        "- id: hello\n  run: echo hello\n",
        _HELLO,
    ),
    Code(
        "wrong-type",
        "A value has another type than its key takes",
        "Every key takes one type of value: text, a number, true or false, a list, or a mapping. "
        "YAML 1.2 knows only `true` and `false` as booleans; `yes` and `on` are text. A key "
        "without a value says nothing: write one, or leave the key out. Where text is wanted, a "
        "number is taken as it was written; `true` has to be quoted.",
        _step("id: hello", "run: echo hello", "checkpoint: yes"),
        _step("id: hello", "run: echo hello", "checkpoint: true"),
    ),
    Code(
        "unknown-key",
        "A mapping has a key that it does not take",
        "A key that is not known would be ignored, and with it what it was meant to do; so it is "
        "an error. The nearest known key is named; a key of another kind of step says so.",
        _step("id: hello", "run: echo hello", "conditon: always()"),
        _step("id: hello", "run: echo hello", "condition: always()"),
    ),
    Code(
        "foreign-key",
        "A key of another tool",
        "Other tools spell it so. Here it has another name, or another place: `if` is `condition`, "
        "`needs` is `depends_on`, `on` is `trigger`, `runs-on` is `runner`, `continue-on-error` is "
        "`on_error: continue`, `with` is `inputs`, `timeout-minutes` is `timeout` with a unit, and "
        "a matrix is `for_each`.",
        _step("id: hello", "run: echo hello", "if: always()"),
        _step("id: hello", "run: echo hello", "condition: always()"),
    ),
    Code(
        "missing-key",
        "A key that must be there is missing",
        "A step needs an `id` or a `name` and what it does; each kind of step, trigger and part "
        "says which keys it needs.",
        _step("run: echo hello"),
        _step("id: hello", "run: echo hello"),
    ),
    Code(
        "conflicting-keys",
        "Two keys that cannot stand together",
        "Both keys say the same thing, or two things of which only one can be: `max_attempts` "
        "(calls in all) and `count` (retries), `action` and `run`, `for` and `until`.",
        _step("id: hello", "run: echo hello", "retry: {max_attempts: 3, count: 2}"),
        _step("id: hello", "run: echo hello", "retry: {max_attempts: 3}"),
    ),
    Code(
        "not-here",
        "A key that cannot stand on this step",
        "The key exists, but would do nothing or harm here. A parallel step is not retried as a "
        "whole and does not pause: put `retry` and `on_error: pause` on the steps inside. What a "
        "rejection or silence does is said by `on_reject` and `on_timeout` of a manual step, not "
        "by `on_error`. The step of a `compensate` is carried out by itself, once for each result: "
        "what asks, waits, repeats or decides is put into a workflow that it calls.",
        _step("id: review", "type: manual", "assignees: [ada@example.com]", "on_error: continue"),
        _step("id: review", "type: manual", "assignees: [ada@example.com]", "on_reject: continue"),
    ),
    Code(
        "unknown-value",
        "A word that is none of the choices",
        "The key takes one of a few words. The message lists them.",
        _step("id: hello", "run: echo hello", "on_error: contine"),
        _step("id: hello", "run: echo hello", "on_error: continue"),
    ),
    Code(
        "out-of-range",
        "A number outside its range",
        "Counts are at least 1; a duration that bounds something is at least a second.",
        _step("id: hello", "run: echo hello", "retry: {max_attempts: 0}"),
        _step("id: hello", "run: echo hello", "retry: {max_attempts: 3}"),
    ),
    Code(
        "bad-duration",
        "A duration that cannot be read",
        "A duration is a whole number with its unit, `30s`, `15m`, `72h` or `3d`, or ISO 8601 with "
        "days and smaller (`PT1H30M`). A bare number has no unit, and months and years have no "
        "fixed length. A run ends after a year at the latest.",
        _step("id: hello", "run: echo hello", "timeout: 30"),
        _step("id: hello", "run: echo hello", "timeout: 30m"),
    ),
    Code(
        "fixed-value",
        "An expression where the value must be known before the run",
        "Ids, names, durations and references to other workflows become part of the state machine "
        "when it is compiled; an expression has its value only in the run.",
        "name: Hello\ninputs:\n  limit: {type: string, default: 5m}\n"
        + _reading("limit")
        + "    timeout: ${{ inputs.limit }}\n",
        "name: Hello\ninputs:\n  limit: {type: string, default: 5m}\n"
        + _reading("limit")
        + "    timeout: 5m\n",
    ),
    Code(
        "step-kind",
        "A step that does not say what it does",
        "A step is exactly one of: `action:` (an action, or `aws:SERVICE:OPERATION`), `run:` (a "
        "script), or `type:` with `manual`, `parallel`, `subworkflow`, `wait` or `publish`.",
        _step("id: review", "assignees: [ada@example.com]"),
        _step("id: review", "type: manual", "assignees: [ada@example.com]"),
    ),
    Code(
        "duplicate-step",
        "Two steps with one id",
        "Ids are unique in the file, inside parallel steps and handlers too. `-` and `_` are "
        "alike, and so are small and capital letters. Where the id comes from the name, two names "
        "may give the same one: 'Vérifier' and 'Verifier' do. Give one of them an `id`.",
        "name: Hello\nsteps:\n  - name: Say hello\n    run: echo hello\n"
        "  - id: say-hello\n    run: echo again\n",
        "name: Hello\nsteps:\n  - name: Say hello\n    run: echo hello\n"
        "  - id: say-again\n    run: echo again\n",
    ),
    Code(
        "duplicate-trigger",
        "Two triggers with one name",
        "A trigger's name is its address in the API and in the records. One without a name is "
        "called after the workflow and its type, and numbered.",
        _PUSH.replace("  type", "  - name: push\n    type").replace("  repo", "    repo")
        + "  - name: push\n    type: http\n"
        + _STEPS,
        _PUSH.replace("  type", "  - name: push\n    type").replace("  repo", "    repo")
        + "  - name: hook\n    type: http\n"
        + _STEPS,
    ),
    Code(
        "bad-id",
        "A text that cannot be an id",
        "An id has letters, digits, `-` and `_`, starts with a letter, and has 64 characters at "
        "most, since it becomes the name of a state. A name may be anything; its slug is the id, "
        "unless no letter or digit of it is left.",
        _step("id: say hello", "run: echo hello"),
        _step("id: say-hello", "run: echo hello"),
    ),
    Code(
        "bad-name",
        "A text that cannot be the name of a variable or an input",
        "Names of environment variables have letters, digits and `_`, names of inputs and outputs "
        "also `-`; neither starts with a digit.",
        _step("id: hello", "run: echo hello", "env: {MY-NAME: Ada}"),
        _step("id: hello", "run: echo hello", "env: {MY_NAME: Ada}"),
    ),
    Code(
        "bad-action",
        "An AWS call that cannot be read",
        "A direct call is written `aws:SERVICE:OPERATION`, spelled as in the AWS SDK integrations "
        "of Step Functions: `aws:dynamodb:putItem`, `aws:sns:publish`.",
        _step("id: list", "action: aws:s3"),
        _step("id: list", "action: aws:s3:listBuckets"),
    ),
    Code(
        "bad-reference",
        "A reference that names no workflow",
        "Another workflow is named by its id (`build-app`), by id and version (`build-app@1`), or "
        "by the path of its file (`./build_app.yaml`), from the root of the project or beside "
        "this file. Workflows of other repositories cannot be called.",
        _step("id: build", "type: subworkflow", "workflow: org/app@v1"),
        _HELLO,
    ),
    Code(
        "bad-default",
        "A default that does not fit its type",
        "What stands in for an input must be what the input's type allows.",
        "name: Hello\ninputs:\n  count: {type: integer, default: many}\n" + _reading("count"),
        "name: Hello\ninputs:\n  count: {type: integer, default: 3}\n" + _reading("count"),
    ),
    Code(
        "bad-event-pattern",
        "A pattern of events that EventBridge does not take",
        "What a field is to be stands in a list, even a single value; operators such as `prefix`, "
        "`anything-but` and `exists` stand in it as mappings.",
        "name: Hello\ntrigger: {type: event, pattern: {source: aws.s3}}\n"
        "steps:\n  - {id: say, run: echo hello}\n",
        "name: Hello\ntrigger: {type: event, pattern: {source: [aws.s3]}}\n"
        "steps:\n  - {id: say, run: echo hello}\n",
    ),
    Code(
        "bad-pattern",
        "A pattern that is no regular expression",
        "`pattern` in a type is a regular expression, as in JSON Schema.",
        "name: Hello\ninputs:\n  tag: {type: string, required: true, pattern: '[a-z'}\n"
        + _reading("tag"),
        "name: Hello\ninputs:\n  tag: {type: string, required: true, pattern: '[a-z]+'}\n"
        + _reading("tag"),
    ),
    Code(
        "bad-ref-pattern",
        "A pattern that no branch or tag matches",
        "`branch` and `tags` are GitHub's patterns of bare names: `main`, `release/**`, `v*`. `?` "
        "and `+` are about the character before, `[a-z]` is one character, and `!` at the start "
        "leaves out what matches.",
        _PUSH + "  tags: refs/tags/v*\n" + _STEPS,
        _PUSH + "  tags: v*\n" + _STEPS,
    ),
    Code(
        "bad-cron",
        "A schedule that cannot be read",
        "`cron` has five fields: minute, hour, day of the month, month, day of the week. A sixth "
        "may name the year. `timezone` says in which zone, UTC if left out.",
        "name: Hello\ntrigger: {type: schedule, cron: '0 6'}\n" + _STEPS,
        "name: Hello\ntrigger: {type: schedule, cron: '0 6 * * 1-5'}\n" + _STEPS,
    ),
    Code(
        "bad-timezone",
        "A time zone that cannot be read",
        "`timezone` is a name of the IANA data base, area and place: `Europe/Berlin`, "
        "`America/New_York`; or `UTC`, which holds if it is left out.",
        "name: Hello\ntrigger: {type: schedule, cron: '0 6 * * 1-5', timezone: Berlin}\n" + _STEPS,
        "name: Hello\ntrigger: {type: schedule, cron: '0 6 * * 1-5', timezone: Europe/Berlin}\n"
        + _STEPS,
    ),
)
