"""Codes of the check pass: what compiles, but hardly does what was meant."""

from __future__ import annotations

from compiler.codes import Code
from compiler.codes.check.examples import HOST, PARTS, condition, file, steps

CODES: tuple[Code, ...] = (
    Code(
        "constant-condition",
        "A condition reads nothing",
        "The step always runs, or never.",
        condition("true"),
        condition("always()"),
    ),
    Code(
        "unmarked-expression",
        "A text names what there is to read, and is no expression",
        "Only what stands in `${{ }}` is an expression. Any other text stays as it is, also in the "
        "braces of other tools.",
        steps("- {id: a, run: make, outputs: {size: steps.a.outputs.size}}"),
        steps('- {id: a, run: make, outputs: {size: "${{ steps.a.outputs.size }}"}}'),
    ),
    Code(
        "status-function-in-or",
        "A status function stands in one arm of `||`",
        "A condition with a status function anywhere is taken exactly as it says: the usual check "
        "that nothing above has gone wrong is off for the other arm too.",
        condition("run.attempt == 1 || !failure()"),
        condition('"!failure() && (run.attempt == 1 || run.attempt == 2)"'),
    ),
    Code(
        "failure-sees-some",
        "`failure()` does not see all other steps",
        "`failure()` asks about the steps that its own one comes after. What runs beside it may "
        "fail unnoticed; a handler under `on_failure` sees everything.",
        steps(
            *PARTS,
            "  depends_on: []",
            "- {id: tell, run: echo failed, depends_on: [build], condition: failure()}",
        ),
        steps(
            *PARTS,
            "  depends_on: []",
            "- {id: tell, run: echo failed, depends_on: [build, clean], condition: failure()}",
        ),
    ),
    Code(
        "redundant-dependency",
        "A step depends on two steps of which one comes after the other and may be skipped",
        "One dependency that was not skipped is enough for a step to run: the earlier one lets it "
        "run though the later one was skipped.",
        steps(*HOST, "- {id: deploy, run: ./deploy, depends_on: [plan, host]}"),
        steps(*HOST, "- {id: deploy, run: ./deploy, depends_on: [host]}"),
    ),
    Code(
        "cancels-unfinished-work",
        "`cancel_running` stops a run that has something left to do",
        "A run that is stopped runs no `always()` step and no undo, and what people were asked is "
        "closed.",
        file(
            "concurrency: {group: deploy, on_conflict: cancel_running}",
            "steps:",
            "  - {id: build, run: make}",
            "  - {id: clean, run: echo, condition: always()}",
        ),
        file(
            "concurrency: {group: deploy, on_conflict: queue}",
            "steps:",
            "  - {id: build, run: make}",
            "  - {id: clean, run: echo, condition: always()}",
        ),
    ),
    Code(
        "starts-itself",
        "A workflow publishes the event that starts it",
        "Each run would start the next one. Runs in such a chain are refused after a while.",
        file(
            "trigger: {type: event, event: app.built}",
            "steps:",
            "  - {id: tell, type: publish, event: app.built}",
        ),
        file(
            "trigger: {type: event, event: app.built}",
            "steps:",
            "  - {id: tell, type: publish, event: app.tested}",
        ),
    ),
    Code(
        "time-in-dedupe-key",
        "A time in the key that events are known by",
        "Events with the same key count as one. A time differs when a sender tries again, so the "
        "event would start a second run.",
        file(
            "trigger: {type: queue, queue: orders, dedupe: {key: '${{ event.sent_at }}'}}",
            "steps:",
            "  - {id: build, run: make}",
        ),
        file(
            "trigger: {type: queue, queue: orders, dedupe: {key: '${{ event.order_id }}'}}",
            "steps:",
            "  - {id: build, run: make}",
        ),
    ),
    Code(
        "unused-input",
        "Nothing reads an input of the workflow",
        "Callers have to give it, or think that it does something.",
        file("inputs: {stage: string}", "steps:", "  - {id: build, run: make}"),
        file(
            "inputs: {stage: string}",
            "steps:",
            '  - {id: build, run: "echo ${{ inputs.stage }}"}',
        ),
    ),
    Code(
        "var-not-in-stage",
        "A variable is read that other stages have, and this one lacks",
        "Each stage has `vars` of its own in stepsmith.yaml. What it lacks is null there.",
        steps("- {id: build, run: make, env: {REGION: '${{ vars.region }}'}}"),
        steps("- {id: build, run: make, env: {REGION: eu-central-1}}"),
    ),
    Code(
        "github-command",
        "A script prints a command for the runner of GitHub Actions",
        "Commands such as `::set-output` are acted on by GitHub's runner; here they are text in "
        "the log. Those that only shape a log (`::group::`) do no harm.",
        steps(
            "- id: build",
            '  run: echo "::set-output name=version::1.0"',
            "- {id: publish, run: make publish}",
        ),
        steps(
            "- id: build",
            "  run: |",
            '    echo "version=1.0" >> "$GITHUB_OUTPUT"',
            "  outputs: {version: '${{ steps.build.outputs.version }}'}",
            "- id: publish",
            "  run: make publish VERSION=$VERSION",
            "  env: {VERSION: '${{ steps.build.outputs.version }}'}",
        ),
    ),
)
