"""The root of a workflow: three ways to write it, its contract, its triggers, its people."""

from __future__ import annotations

import pytest

from compiler.spec import (
    DatabaseTrigger,
    EventTrigger,
    GitPushTrigger,
    HttpTrigger,
    QueueTrigger,
    ScheduleTrigger,
    decode,
)
from tests.compiler.spec.reading import document, good, mistakes

STEPS = "steps: [{id: a, run: x}]\n"


def test_the_three_ways_to_write_the_root_mean_the_same():
    plain = good("name: A\ntimeout: 1h\n" + STEPS)
    nested = good("workflow:\n  name: A\n  timeout: 1h\n  " + STEPS)
    jobs = good("name: A\ntimeout: 1h\njobs: {a: {uses: b}}")
    for workflow in (plain, nested, jobs):
        assert (workflow.id, workflow.timeout, workflow.steps[0].id) == ("a", 3600, "a")
    assert nested.path == ("workflow",)
    assert jobs.form == "jobs"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- id: a\n", [("not-a-workflow", "- id: a\n")]),
        ("just text\n", [("not-a-workflow", "just text")]),
        ("workflow: release.yaml\ncases: []\n", [("not-a-workflow", "cases")]),
        ("workflow:\nname: A\n" + STEPS, [("wrong-type", "workflow")]),
        ("workflow: {steps: [{id: a, run: x}]}\ntrigger: {type: http}\n",
         [("unknown-key", "trigger")]),
        ("name: A\n", [("missing-key", "name")]),
        ("steps: []\n", [("missing-key", "steps")]),
        ("steps: {a: {run: x}}\n", [("wrong-type", "a")]),
        (STEPS + "jobs: {a: {uses: b}}\n", [("conflicting-keys", "jobs")]),
        ("jobs: {a: {runs-on: x, steps: []}}\n",
         [("foreign-key", "steps")]),
        ("jobs: {a: {uses: b, if: x, secrets: inherit}}\n",
         [("foreign-key", "if"), ("foreign-key", "secrets")]),
        ("jobs: {a b: {uses: b}}\n", [("bad-id", "a b")]),
    ],
)  # fmt: skip
def test_a_root_that_is_no_workflow(text, expected):
    found = mistakes(text)
    assert [code for code, _ in found] == [code for code, _ in sorted_codes(expected, found)]
    assert {place.strip() for _, place in found} == {place.strip() for _, place in expected}


def sorted_codes(expected, found):
    """Mistakes at one place may come in either order."""
    assert sorted(code for code, _ in expected) == sorted(code for code, _ in found)
    return found


def test_a_job_has_the_keys_of_a_step():
    workflow = good("""
        jobs:
          build: {uses: build-app@2, with: {branch: main}}
          deploy: {uses: ./deploy.yaml, depends_on: build, condition: success(), timeout: 1h}
    """)
    build, deploy = workflow.steps
    assert (build.depends_on, deploy.depends_on) == ((), ("build",))
    assert (deploy.condition, deploy.timeout) == ("success()", 3600)


def test_the_rest_of_the_root():
    workflow = good("""
        id: rel-app
        version: 2
        source: {repository: github.com/org/app, ref: main}
        concurrency: {group: "${{ inputs.env }}", on_conflict: reject}
        notify: [{on: [failed, paused], to: ada@example.com}, {to: ["group:ops"]}]
        env: {A: 1}
        steps: [{id: a, run: x}]
        on_failure: [{id: tell, run: x}]
    """)
    assert (workflow.id, workflow.version) == ("rel-app", "2")
    assert workflow.source is not None
    assert workflow.source.ref == "main"
    assert workflow.concurrency is not None
    assert (workflow.concurrency.limit, workflow.concurrency.on_conflict) == (1, "reject")
    assert [(n.on, n.to) for n in workflow.notify] == [
        (("failed", "paused"), ("ada@example.com",)), (("failed",), ("group:ops",)),
    ]  # fmt: skip
    assert workflow.env.entries == {"A": "1"}
    assert [step.id for step in workflow.all_steps()] == ["a", "tell"]


# --- contracts ------------------------------------------------------------------------------


def test_shorthand_is_required_and_the_long_form_only_if_it_says_so():
    workflow = good("""
        inputs:
          a: string
          b: {type: number}
          c: {type: string, required: true, enum: [x, 3.10]}
          d: {type: string, default: 3.10}
          e: {type: array, items: string}
          f: {type: object, properties: {g: integer, h: {type: string}}, required: [h]}
        """ + STEPS)  # fmt: skip
    assert workflow.inputs is not None
    schema = workflow.inputs.json_schema
    assert schema["required"] == ["a", "c"]
    assert schema["additionalProperties"] is False
    assert schema["properties"] == {
        "a": {"type": "string"},
        "b": {"type": "number"},
        "c": {"type": "string", "enum": ["x", "3.10"]},
        "d": {"type": "string", "default": "3.10"},
        "e": {"type": "array", "items": {"type": "string"}},
        "f": {
            "type": "object",
            "properties": {"g": {"type": "integer"}, "h": {"type": "string"}},
            "required": ["h"],
            "additionalProperties": False,
        },
    }


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("strng", ("unknown-value", "strng")),
        ("int", ("unknown-value", "int")),
        ("true", ("wrong-type", "true")),
        ("{type: string, requird: true}", ("unknown-key", "requird")),
        ("{type: string, optional: true}", ("unknown-key", "optional")),
        ("{type: string, required: maybe}", ("wrong-type", "maybe")),
        ("{type: number, default: ten}", ("bad-default", "ten")),
        ("{type: string, default: true}", ("bad-default", "true")),
        ("{type: string, enum: [a, b], default: c}", ("bad-default", "c")),
        ("{type: string, pattern: '('}", ("bad-pattern", "'('")),
        ("{type: string, minLength: -1}", ("wrong-type", "-1")),
        ("{type: object, properties: {a: {tpye: string}}}", ("unknown-key", "tpye")),
        ("{type: object, properties: {a: string}, required: [b]}", ("unknown-value", "b")),
        ("{type: array, items: strin}", ("unknown-value", "strin")),
        ("{value: 1}", ("unknown-key", "value")),
    ],
)
def test_a_contract_with_a_mistake(field, expected):
    assert mistakes(f"inputs: {{x: {field}}}\n{STEPS}") == [expected]


def test_an_output_has_a_value_or_only_a_type():
    workflow = good("outputs: {a: {value: '${{ steps.a.outputs.b }}'}, b: string}\n" + STEPS)
    assert workflow.outputs is not None
    first, second = workflow.outputs.fields
    assert (first.has_value, first.value) == (True, "${{ steps.a.outputs.b }}")
    assert (second.has_value, second.json_schema) == (False, {"type": "string"})
    assert mistakes("outputs: {a: '${{ steps.a.outputs.b }}'}\n" + STEPS) == [
        ("wrong-type", "'${{ steps.a.outputs.b }}'")
    ]


def test_a_contract_stands_in_one_place():
    assert mistakes("inputs: {a: string}\nschema: {inputs: {a: string}}\n" + STEPS) == [
        ("conflicting-keys", "inputs")
    ]


# --- triggers -------------------------------------------------------------------------------


def test_every_type_of_trigger():
    workflow = good("""
        name: app
        trigger:
          - type: git-push
            event: [push, pull_request]
            branch: [main, release/*]
            tags: [v*, '!v0*']
            paths: src/**
            forks: true
          - {type: schedule, cron: "0 6 * * 1-5", timezone: Europe/Berlin, missed: skip}
          - {type: schedule, rate: 15m}
          - {type: event, pattern: {source: [aws.s3]}, dedupe: {key: "${{ event.id }}", window: 1h}}
          - {type: queue, queue: orders, condition: "event.total > 10"}
          - {type: http, name: hook, inputs: {body: "${{ event.body }}"}}
          - {type: database, table: users, operations: [insert]}
        steps: [{id: a, run: x}]
    """)
    push, cron, rate, event, queue, http, database = workflow.triggers
    assert isinstance(push, GitPushTrigger)
    assert (push.events, push.branches, push.tags, push.paths) == (
        ("push", "pull_request"), ("main", "release/*"), ("v*", "!v0*"), ("src/**",),
    )  # fmt: skip
    assert isinstance(cron, ScheduleTrigger)
    assert (cron.name, cron.timezone, cron.missed) == ("app-schedule", "Europe/Berlin", "skip")
    assert isinstance(rate, ScheduleTrigger)
    assert (rate.name, rate.rate) == ("app-schedule-2", 900)
    assert isinstance(event, EventTrigger)
    assert (event.pattern, event.pattern_key) == ({"source": ["aws.s3"]}, "pattern")
    assert event.dedupe is not None
    assert event.dedupe.window == 3600
    assert isinstance(queue, QueueTrigger)
    assert queue.condition == "event.total > 10"
    assert isinstance(http, HttpTrigger)
    assert http.inputs.path == ("trigger", 5, "inputs")
    assert isinstance(database, DatabaseTrigger)
    assert database.operations == ("insert",)


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("{repository: x}", ("missing-key", "repository")),
        ("{type: git-psh}", ("unknown-value", "git-psh")),
        ("{type: cron, cron: '0 6 * * *'}", ("unknown-value", "cron")),
        ("{type: kafka}", ("unknown-value", "kafka")),
        ("{type: git-push, branches: [main]}", ("foreign-key", "branches")),
        ("{type: git-push, event: tag}", ("unknown-value", "tag")),
        ("{type: git-push, tag: v*}", ("foreign-key", "tag")),
        ("{type: git-push, tags-ignore: v*}", ("foreign-key", "tags-ignore")),
        ("{type: git-push, paths-ignore: docs/**}", ("foreign-key", "paths-ignore")),
        ("{type: git-push, event: pull_request, types: [opened]}", ("foreign-key", "types")),
        ("{type: git-push, event: pull_request, tags: v*}", ("not-here", "tags")),
        ("{type: git-push, tags: v*, paths: 'src/**'}", ("conflicting-keys", "paths")),
        ("{type: git-push, tags: refs/tags/v*}", ("bad-ref-pattern", "refs/tags/v*")),
        ("{type: git-push, tags: [v*, '!']}", ("bad-ref-pattern", "'!'")),
        ("{type: git-push, tags: ['']}", ("wrong-type", "''")),
        ("{type: git-push, tags: ['v 1']}", ("bad-ref-pattern", "'v 1'")),
        ("{type: git-push, tags: ['v[0-9']}", ("bad-ref-pattern", "'v[0-9'")),
        ("{type: git-push, tags: ['v*?']}", ("bad-ref-pattern", "'v*?'")),
        ("{type: git-push, branch: refs/heads/main}", ("bad-ref-pattern", "refs/heads/main")),
        ("{type: git-push, branch: ['?']}", ("bad-ref-pattern", "'?'")),
        ("{type: schedule}", ("missing-key", "type")),
        ("{type: schedule, cron: '0 6'}", ("bad-cron", "'0 6'")),
        ("{type: schedule, cron: '0 6 * * *', rate: 1h}", ("conflicting-keys", "rate")),
        ("{type: schedule, rate: 30s}", ("out-of-range", "30s")),
        ("{type: event}", ("missing-key", "type")),
        ("{type: queue}", ("missing-key", "type")),
        ("{type: http, dedupe: {windw: 1h}}", ("unknown-key", "windw")),
        ("push", ("wrong-type", "push")),
        ("[{type: http, name: a}, {type: http, name: a}]", ("duplicate-trigger", "a")),
    ],
)
def test_a_trigger_with_a_mistake(trigger, expected):
    assert mistakes(f"trigger: {trigger}\n{STEPS}") == [expected]


def test_a_workflow_with_mistakes_at_its_root_says_so():
    found, diagnostics = document("timeout: 30\n" + STEPS)
    workflow = decode(found, diagnostics)
    assert workflow is not None
    assert workflow.broken
    assert not workflow.steps[0].broken
