"""Codes of the check pass: what actions, operations and workflows take and give."""

from __future__ import annotations

from compiler.codes import Code
from compiler.codes.check.examples import call, file, put, steps, test

CODES: tuple[Code, ...] = (
    Code(
        "unknown-action",
        "An action is called that is not there",
        "Actions are those that come with Stepsmith and the project's own under `actions/`.",
        steps("- {id: test, action: run-test, inputs: {artifact: app}}"),
        steps("- {id: test, action: run-tests, inputs: {artifact: app}}"),
    ),
    Code(
        "callback-goes-nowhere",
        "An action with `callback: true` hands its callback to nobody",
        "Of the actions that come with Stepsmith `http-request` sends the address to answer to, in "
        "the header `Stepsmith-Callback`; actions of your own find it in `context.callback`.",
        steps("- {id: test, action: run-tests, inputs: {artifact: app}, callback: true}"),
        steps("- {id: test, action: run-tests, inputs: {artifact: app}}"),
    ),
    Code(
        "wrong-runner",
        "An action is to be carried out where it cannot be",
        "Actions run on Lambda. Those that need programs which are not there are for CodeBuild, "
        "`build-artifact` and `run-tests` among them: a step may name an `image` for them, or "
        "say `runner: lambda`. No other action goes to CodeBuild.",
        steps(
            "- {id: get, action: http-request, inputs: {url: 'https://example.com'}, "
            "runner: codebuild}"
        ),
        steps("- {id: get, action: http-request, inputs: {url: 'https://example.com'}}"),
    ),
    Code(
        "unknown-input",
        "An input is given that nobody takes",
        "Inputs are checked against the contract of the action or the workflow that is called; "
        "those of a trigger against the workflow's own.",
        test("artifact: app", "enviroment: staging"),
        test("artifact: app", "environment: staging"),
    ),
    Code(
        "missing-input",
        "An input that is needed is not given",
        "The contract of the action or the workflow that is called requires it, and it has no "
        "default.",
        call("build-app", "branch: main"),
        call("build-app", "source: app", "branch: main"),
    ),
    Code(
        "wrong-input",
        "An input is not what its contract takes",
        "A literal is checked against the whole schema, an expression by its type. A number "
        "written where text is wanted is taken as it was written.",
        test("artifact: [app]"),
        test("artifact: app"),
    ),
    Code(
        "unknown-operation",
        "An AWS operation is called that is not there",
        "`aws:<service>:<operation>` is checked against the models of the AWS SDK.",
        steps("- {id: put, action: 'aws:dynamodb:putItm'}"),
        put("TableName: users", "Item: {id: {S: a}}"),
    ),
    Code(
        "unknown-parameter",
        "An AWS operation is given a parameter that it does not take",
        "Parameters are checked, level by level, against the model of the AWS SDK.",
        put("TableName: users", "Items: {}", "Item: {}"),
        put("TableName: users", "Item: {}"),
    ),
    Code(
        "missing-parameter",
        "A required parameter of an AWS operation is missing",
        "Parameters are checked, level by level, against the model of the AWS SDK.",
        put("Item: {}"),
        put("TableName: users", "Item: {}"),
    ),
    Code(
        "wrong-parameter",
        "A parameter of an AWS operation is of the wrong type",
        "Parameters are checked, level by level, against the model of the AWS SDK.",
        put("TableName: [users]", "Item: {}"),
        put("TableName: users", "Item: {}"),
    ),
    Code(
        "unknown-workflow",
        "A workflow is called that is not there",
        "A call names a workflow of the project by id, `id@version`, or by its file, which is "
        "looked up from the project's root, then beside the calling file.",
        call("build-ap", "source: app", "branch: main"),
        call("build-app", "source: app", "branch: main"),
    ),
    Code(
        "workflow-cycle",
        "Workflows call each other",
        "A call waits for the workflow that is called, so a workflow that calls itself, directly "
        "or through others, would never end.",
        "name: Caller\nsteps:\n  - {id: again, type: subworkflow, workflow: calls-caller}\n",
        "name: Caller\nsteps:\n  - {id: again, run: echo again}\n",
    ),
    Code(
        "wrong-output",
        "An output of the workflow is not what its contract says",
        "The value of an output is checked against its own schema.",
        file(
            "outputs: {count: {type: number, value: '${{ run.id }}'}}",
            "steps:",
            "  - {id: build, run: make}",
        ),
        file(
            "outputs: {count: {type: string, value: '${{ run.id }}'}}",
            "steps:",
            "  - {id: build, run: make}",
        ),
    ),
    Code(
        "for-each-not-a-list",
        "`for_each` is no list",
        "A step is repeated for the items of a list: a literal one, or an expression that gives "
        "one.",
        steps('- {id: each, run: "echo ${{ item }}", for_each: "${{ run.id }}"}'),
        steps('- {id: each, run: "echo ${{ item }}", for_each: ["${{ run.id }}"]}'),
    ),
    Code(
        "too-many-items",
        "A `for_each` has more items than are carried out",
        "`max_items` (100 if left out) bounds what a run may cost; a longer list fails the step. "
        "It is 1,000 at most: the results of all items meet in one state, whose data has 256 KiB. "
        "A longer list is split over several runs or calls of a sub-workflow.",
        steps('- {id: each, run: "echo ${{ item }}", for_each: [1, 2, 3], max_items: 2}'),
        steps('- {id: each, run: "echo ${{ item }}", for_each: [1, 2, 3], max_items: 3}'),
    ),
    Code(
        "wrong-wait",
        "A wait is given something that is no time",
        "`for` takes a duration or an expression that gives seconds, `until` a time stamp with its "
        "zone, such as 2030-01-31T12:00:00Z, or an expression that gives one.",
        steps("- {id: rest, type: wait, for: '${{ run.id }}'}"),
        steps("- {id: rest, type: wait, for: '${{ run.attempt }}'}"),
    ),
)
