"""Codes of the check pass: the order of steps and what they may read."""

from __future__ import annotations

from compiler.codes import Code
from compiler.codes.check.examples import (
    EACH,
    MADE,
    MAKES,
    READS,
    block,
    condition,
    file,
    handler,
    steps,
    two,
)

CODES: tuple[Code, ...] = (
    Code(
        "unknown-step",
        "A step is named that is not there",
        "`depends_on` takes ids or names of steps, `steps.<id>` ids; `-` and `_` are alike. The "
        "nearest step is named with its line.",
        two("biuld"),
        two("build"),
    ),
    Code(
        "ambiguous-name",
        "A name in `depends_on` belongs to several steps",
        "Steps with ids of their own may have the same name; then only the id says which is meant.",
        steps(
            "- {id: east, name: Deploy, run: echo east}",
            "- {id: west, name: Deploy, run: echo west}",
            "- {id: test, run: echo tested, depends_on: [Deploy]}",
        ),
        steps(
            "- {id: east, name: Deploy, run: echo east}",
            "- {id: west, name: Deploy, run: echo west}",
            "- {id: test, run: echo tested, depends_on: [east]}",
        ),
    ),
    Code(
        "outside-step",
        "A step depends on one that belongs to another graph",
        "A parallel step is one node: steps outside depend on it as a whole, and may then read its "
        "children; its own steps start when it does and depend on each other only. Handlers of "
        "`on_failure` depend on handlers only, and nothing depends on an undo.",
        block("- id: test", "  run: echo tested", "  depends_on: [east]"),
        block("- id: test", "  run: echo tested", "  depends_on: [regions]"),
    ),
    Code(
        "cycle",
        "Steps wait for each other",
        "Following `depends_on` (or, where it is left out, the step above) leads back to where it "
        "began, so none of these steps could ever start. They are listed in that order.",
        steps(
            "- {id: build, run: echo built, depends_on: [test]}",
            "- {id: test, run: echo tested, depends_on: [build]}",
        ),
        steps(
            "- {id: build, run: echo built}",
            "- {id: test, run: echo tested, depends_on: [build]}",
        ),
    ),
    Code(
        "not-an-ancestor",
        "A step reads one that it does not come after",
        "Reading `steps.x` needs x to have ended. Only what a step depends on, directly or "
        "through other steps, is sure to have; the missing line is printed.",
        steps(
            "- {id: build, run: echo built}",
            '- {id: test, run: "echo ${{ steps.build.status }}", depends_on: []}',
        ),
        steps(
            "- {id: build, run: echo built}",
            '- {id: test, run: "echo ${{ steps.build.status }}", depends_on: [build]}',
        ),
    ),
    Code(
        "reads-itself",
        "A step reads itself where nothing of it is there yet",
        "What a step wrote itself can be read in its own `outputs`, `retry.conditions`, "
        "`repeat.until` and `compensate`.",
        steps("- id: build", '  run: "echo ${{ steps.build.outputs.x }}"'),
        steps(
            "- id: build",
            '  run: "echo x=1 >> $GITHUB_OUTPUT"',
            "  outputs:",
            "    x: ${{ steps.build.outputs.x }}",
        ),
    ),
    Code(
        "reads-own-block",
        "A step reads the block it is in",
        "A block has its status and outputs when all its steps have ended, so none of them can "
        "read it.",
        block('    - {id: north, run: "echo ${{ steps.regions.status }}"}'),
        block('- {id: north, run: "echo ${{ steps.regions.status }}"}'),
    ),
    Code(
        "reads-later-step",
        "A handler is read before it has run",
        "The handlers of `on_failure` run after all steps have ended; steps and the workflow's "
        "outputs cannot read them.",
        handler("echo ${{ steps.clean.status }}", "echo cleaned"),
        handler("echo built", "echo ${{ steps.build.status }}"),
    ),
    Code(
        "reads-undo",
        "An undo is read",
        "A `compensate` step runs after the run has failed, if at all. Nothing can read it.",
        steps(
            "- id: book",
            "  run: echo booked",
            "  compensate: {id: cancel, run: echo cancelled}",
            '- {id: tell, run: "echo ${{ steps.cancel.status }}"}',
        ),
        steps(
            "- id: book",
            "  run: echo booked",
            "  compensate: {id: cancel, run: echo cancelled}",
            '- {id: tell, run: "echo ${{ steps.book.status }}"}',
        ),
    ),
    Code(
        "reads-into-for-each",
        "One step inside of a `for_each` is read from outside",
        "A step inside of a block with `for_each` runs once for every item, so there is no one "
        "status or output of it outside.",
        steps(
            *EACH,
            "    - {id: one, run: echo one}",
            '- {id: tell, run: "echo ${{ steps.one.status }}"}',
        ),
        steps(
            *EACH,
            "    - {id: one, run: echo one}",
            '- {id: tell, run: "echo ${{ steps.each.items }}"}',
        ),
    ),
    Code(
        "steps-whole",
        "`steps` is read without naming a step",
        "Which steps are read has to be known when the workflow is compiled, so the id is written "
        "out.",
        condition("length(steps) == 1"),
        condition("steps.build.status == 'succeeded'"),
    ),
    Code(
        "steps-not-here",
        "A step is read where none has run yet",
        "The workflow's own `env`, `concurrency` and `source`, and the inputs and conditions of "
        "triggers, are evaluated before any step.",
        file("env:", "  WHAT: ${{ steps.build.status }}", "steps:", "  - {id: build, run: make}"),
        file("env:", "  WHAT: ${{ run.id }}", "steps:", "  - {id: build, run: make}"),
    ),
    Code(
        "file-not-there-yet",
        "A file is read by a step that does not come after the one that makes it",
        "Files named by `artifacts`, or by a literal under `outputs`, are laid into the workspace "
        "of all steps behind their maker, and of no others.",
        steps(*MAKES, *MADE, "  depends_on: []", *READS),
        steps(*MAKES, *MADE, "  depends_on: [build]", *READS),
    ),
    Code(
        "unusable-path",
        "A path under `artifacts` is none at which a step can leave something",
        "It is a file or a folder below the one that the script begins in, written as it is: no "
        "shell reads it, so patterns, `~` and variables mean nothing.",
        steps("- {id: build, run: make, artifacts: [dist/*.js]}"),
        steps("- {id: build, run: make, artifacts: [dist]}"),
    ),
)
