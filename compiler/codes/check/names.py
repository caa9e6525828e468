"""Codes of the check pass: names in expressions."""

from __future__ import annotations

from compiler.codes import Code
from compiler.codes.check.examples import condition, file, steps

CODES: tuple[Code, ...] = (
    Code(
        "unknown-step-member",
        "Something is read of a step that steps do not have",
        "Of a step can be read `status`, `outputs.<name>`, `error`, `reason`, and with `for_each` "
        "also `items`.",
        condition("steps.build.result == 'succeeded'"),
        condition("steps.build.status == 'succeeded'"),
    ),
    Code(
        "unknown-output",
        "An output is read that the step does not give",
        "The outputs of a step are those of its action's or workflow's contract and those it "
        "declares under `outputs`. A name that nobody gives would be empty when the step runs.",
        steps(
            "- {id: build, run: echo, outputs: {image: app}}",
            '- {id: test, run: "echo ${{ steps.build.outputs.imgae }}"}',
        ),
        steps(
            "- {id: build, run: echo, outputs: {image: app}}",
            '- {id: test, run: "echo ${{ steps.build.outputs.image }}"}',
        ),
    ),
    Code(
        "undeclared-output",
        "An output is read that the script writes but does not declare",
        "A script gives the outputs that the step declares; what else it writes to "
        "$GITHUB_OUTPUT is dropped. The line to add is printed.",
        steps(
            '- {id: build, run: "echo image=app >> $GITHUB_OUTPUT"}',
            '- {id: test, run: "echo ${{ steps.build.outputs.image }}"}',
        ),
        steps(
            "- id: build",
            '  run: "echo image=app >> $GITHUB_OUTPUT"',
            "  outputs: {image: '${{ steps.build.outputs.image }}'}",
            '- {id: test, run: "echo ${{ steps.build.outputs.image }}"}',
        ),
    ),
    Code(
        "output-without-value",
        "An output of the workflow has no value",
        "Without `value`, an output is the one step output of the same name; there has to be "
        "exactly one.",
        file("outputs:", "  image: string", "steps:", "  - {id: build, run: make}"),
        file(
            "outputs:",
            "  image: string",
            "steps:",
            "  - {id: build, run: make, outputs: {image: app}}",
        ),
    ),
    Code(
        "unknown-status",
        "A status is compared with a text that no status ever is",
        "Whoever reads a step waits for its end, so its status is succeeded, failed, timed_out, "
        "rejected, skipped or cancelled; the decision of a manual step (`outputs.status`) is "
        "approved, rejected or timed_out.",
        condition("steps.build.status == 'success'"),
        condition("steps.build.status == 'succeeded'"),
    ),
    Code(
        "no-git-push",
        "What only a git push gives is read in a workflow that none starts",
        "`github.workflow` and `github.job` are always there; `ref`, `sha`, `event` and the others "
        "come from the push or pull request that started the run.",
        steps('- {id: build, run: "echo ${{ github.sha }}"}'),
        file(
            "trigger: {type: git-push, repository: github.com/org/app}",
            "steps:",
            '  - {id: build, run: "echo ${{ github.sha }}"}',
        ),
    ),
    Code(
        "context-not-here",
        "A context is read where it does not exist",
        "`item` and `index` belong to a step with `for_each` and the steps inside of it; "
        "`failure` belongs to the handlers of `on_failure`.",
        steps('- {id: build, run: "echo ${{ item }}"}'),
        steps('- {id: build, run: "echo ${{ item }}", for_each: [a, b]}'),
    ),
    Code(
        "env-whole",
        "`env` is read without naming a variable",
        "Variables are read one at a time: `env.NAME`.",
        file("env: {A: a}", "steps:", '  - {id: build, run: "echo ${{ toJSON(env) }}"}'),
        file("env: {A: a}", "steps:", '  - {id: build, run: "echo ${{ toJSON(env.A) }}"}'),
    ),
    Code(
        "unknown-variable",
        "A variable of the environment is read that is not set",
        "`env.NAME` knows the variables of the workflow's `env` and of the `env` of the step and "
        "the blocks around it; variables of the same `env` cannot read each other. What a script "
        "exports is known to that script only.",
        file("env: {STAGE: test}", "steps:", '  - {id: build, run: "echo ${{ env.STAEG }}"}'),
        file("env: {STAGE: test}", "steps:", '  - {id: build, run: "echo ${{ env.STAGE }}"}'),
    ),
    Code(
        "env-not-readable",
        "A variable is read that expressions cannot read",
        "A variable that holds a secret is there for the script only.",
        file(
            "env: {TOKEN: '${{ secrets.TOKEN }}'}",
            "steps:",
            '  - {id: build, run: "echo ${{ env.TOKEN }}"}',
        ),
        file(
            "env: {TOKEN: '${{ secrets.TOKEN }}'}",
            "steps:",
            '  - {id: build, run: "echo $TOKEN"}',
        ),
    ),
    Code(
        "status-function-not-here",
        "A status function is used outside of a condition",
        "`success()`, `failure()`, `always()` and `cancelled()` ask about the steps above, which "
        "only a `condition` does; in `retry.conditions` they ask about the attempt.",
        steps('- {id: build, run: "echo ${{ success() }}"}'),
        steps("- {id: build, run: echo, condition: success()}"),
    ),
    Code(
        "secret-not-here",
        "A secret stands where none is allowed",
        "`${{ secrets.NAME }}` may stand in `env`, `inputs` of actions, `run` and `to` of "
        "`notify`, as an expression of its own. It is looked up by the function that needs it and "
        "never stands in the state machine, a log or a record.",
        condition("secrets.TOKEN != ''"),
        steps("- {id: build, run: make, env: {TOKEN: '${{ secrets.TOKEN }}'}}"),
    ),
    Code(
        "secret-mixed",
        "A text holds a secret and another expression",
        "A text with secrets in it holds plain text beside them only: it is put together where "
        "the secret is looked up, after all other expressions.",
        steps(
            "- id: build",
            "  run: make",
            "  env: {URL: 'https://${{ secrets.TOKEN }}@${{ run.id }}'}",
        ),
        steps(
            "- id: build",
            "  run: make",
            "  env: {TOKEN: '${{ secrets.TOKEN }}', ID: '${{ run.id }}'}",
        ),
    ),
)
