"""Codes of the check pass: manual steps and pauses."""

from __future__ import annotations

from compiler.codes import Code
from compiler.codes.check.examples import review, steps

CODES: tuple[Code, ...] = (
    Code(
        "no-assignees",
        "Nobody is asked to decide a manual step",
        "A manual step needs `assignees`, or the stage `approvers`; an empty list never means "
        "anyone.",
        review("assignees: []"),
        review("assignees: [ann@example.com]"),
    ),
    Code(
        "pause-asks-nobody",
        "A failed step is to pause, and the stage has nobody to ask",
        "`on_error: pause` asks the `approvers` of the stage. Where there are none, the step fails "
        "at once.",
        steps("- {id: migrate, run: make migrate, on_error: pause}"),
        steps("- {id: migrate, run: make migrate, on_error: fail}"),
    ),
    Code(
        "wrong-assignees",
        "An assignee is neither a mail address nor a group",
        "An assignee is a mail address or `group:NAME`; an expression gives one of them, or a "
        "list.",
        review("assignees: [ann]"),
        review("assignees: [ann@example.com]"),
    ),
    Code(
        "unknown-group",
        "A group is named that the stage does not have",
        "`group:NAME` means the members listed under `groups` of the stage in stepsmith.yaml.",
        review("assignees: ['group:relaese']"),
        review("assignees: ['group:release']"),
    ),
    Code(
        "quorum-too-large",
        "More people have to agree than are asked",
        "`quorum` counts different people; a group counts as its members, and each person once.",
        review("assignees: [ann@example.com]", "quorum: 2"),
        review("assignees: [ann@example.com, bob@example.com]", "quorum: 2"),
    ),
    Code(
        "due-after-timeout",
        "A task is due after it has timed out",
        "`due_in` is when people should have decided, `timeout` when nobody can any more.",
        review("assignees: [ann@example.com]", "due_in: 3d", "timeout: 2d"),
        review("assignees: [ann@example.com]", "due_in: 2d", "timeout: 3d"),
    ),
    Code(
        "escalation-after-timeout",
        "An escalation comes after the task has timed out",
        "An escalation at the very time of the timeout is sent with it; a later one never would "
        "be.",
        review(
            "assignees: [ann@example.com]",
            "timeout: 48h",
            "escalations: [{after: 72h, message: Please look}]",
        ),
        review(
            "assignees: [ann@example.com]",
            "timeout: 72h",
            "escalations: [{after: 48h, message: Please look}]",
        ),
    ),
)
