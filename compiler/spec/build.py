"""What each kind of step adds to what all steps have."""

from __future__ import annotations

from typing import Literal, TypedDict

from compiler.document.nodes import Path
from compiler.spec import contract, model
from compiler.spec.parts import conflict, refuse, values
from compiler.spec.parts import pattern as pattern_of
from compiler.spec.report import Reporter
from compiler.spec.written import steps as written
from compiler.spec.written.scalars import OPEN

_NOT_OF_AWS = {
    "callback": "write an action that calls it",
    "runner": "Step Functions calls it itself; leave it out",
    "image": "Step Functions calls it itself; leave it out",
}


class Common(TypedDict):
    """The fields that steps of all kinds have."""

    path: Path
    id: str
    name: str
    given_id: bool
    broken: bool
    description: str | None
    depends_on: tuple[str, ...] | None
    condition: str | None
    retry: model.Retry | None
    timeout: int | None
    on_error: Literal["fail", "continue", "pause"]
    outputs: model.Values
    env: model.Values
    for_each: model.ForEach | None
    repeat: model.Repeat | None
    compensate: model.Step | None
    checkpoint: bool
    artifacts: tuple[str, ...]


def _with_defaults(defaults: model.Defaults, common: Common) -> Common:
    """Give a step that is carried out the workflow's defaults."""
    if common["retry"] is None:
        common["retry"] = defaults.retry
    if common["timeout"] is None:
        common["timeout"] = defaults.timeout
    return common


def action(
    report: Reporter, defaults: model.Defaults, part: written.ActionStep, common: Common
) -> model.Step:
    """Return a call of an action or of an AWS API."""
    path = common["path"]
    common = _with_defaults(defaults, common)
    inputs = values(part.inputs, (*path, "inputs"))
    if part.action != "aws" and not part.action.startswith("aws:"):
        return model.ActionStep(
            **common,
            action=part.action,
            inputs=inputs,
            callback=bool(part.callback),
            runner=_runner(report, defaults, part, common),
            image=part.image,
        )
    for key, advice in _NOT_OF_AWS.items():
        if getattr(part, key) is not None:
            refuse(report, path, key, "an AWS call", advice)
            common["broken"] = True
    words = part.action.split(":")
    if len(words) != 3 or not all(words):
        report.error(
            "bad-action",
            (*path, "action"),
            f"'{part.action}' names no AWS call",
            "write aws:SERVICE:OPERATION, such as aws:dynamodb:putItem",
        )
        common["broken"] = True
        return model.UnknownStep(**common)
    return model.AwsStep(
        **common, action=part.action, service=words[1], operation=words[2], inputs=inputs
    )


def run(
    report: Reporter, defaults: model.Defaults, part: written.RunStep, common: Common
) -> model.Step:
    """Return a script."""
    runner = _runner(report, defaults, part, common)
    return model.RunStep(
        **_with_defaults(defaults, common), run=part.run, runner=runner, image=part.image
    )


def _runner(
    report: Reporter,
    defaults: model.Defaults,
    part: written.RunStep | written.ActionStep,
    common: Common,
) -> Literal["lambda", "codebuild"] | None:
    """Return where a step says that it runs, by itself or by the defaults."""
    if part.runner == "lambda" and part.image is not None:
        path, advice = common["path"], "an image runs on CodeBuild; leave out `runner`"
        conflict(report, path, "image", "runner", advice)
        common["broken"] = True
    return part.runner or (defaults.runner if part.image is None else None)


def manual(report: Reporter, part: written.ManualStep, common: Common) -> model.Step:
    """Return a step for a person."""
    path = common["path"]
    for key in ("on_error", "continue_on_failure"):
        if getattr(part, key) is not None:
            refuse(report, path, key, part.place, "write `on_reject` or `on_timeout: continue`")
            common["broken"] = True
    common["on_error"] = "fail"
    if common["timeout"] is None:
        common["timeout"] = model.MANUAL_TIMEOUT
    before = report.count
    form = contract.form(report, part.form, (*path, "form")) if part.form else None
    common["broken"] = common["broken"] or report.count > before
    return model.ManualStep(
        **common,
        title=part.title or common["name"],
        assignees=_assignees(part),
        due_in=part.due_in,
        escalations=tuple(
            model.Escalation(
                path=(*path, "escalations", index),
                after=escalation.after,
                notify=escalation.notify or (),
                message=escalation.message,
            )
            for index, escalation in enumerate(part.escalations or ())
        ),
        quorum=part.quorum or 1,
        form=form,
        auth=part.auth or "link",
        self_approval=bool(part.self_approval),
        on_reject=part.on_reject or "fail",
        on_timeout=part.on_timeout or "fail",
    )


def _assignees(part: written.ManualStep) -> tuple[str, ...] | str | None:
    people = part.assignees
    if people is None:
        return None
    # One text with an expression may give a list; in a list each is one person or group.
    return people[0] if len(people) == 1 and OPEN in people[0] else people


def call(
    report: Reporter,
    defaults: model.Defaults,
    part: written.SubworkflowStep | written.Job,
    common: Common,
) -> model.Step:
    """Return a call of another workflow, from a step or from a job."""
    path = common["path"]
    common = _with_defaults(defaults, common)
    key: Literal["workflow", "uses"] = "uses"
    reference, inputs = "", model.Values(path=path)
    if isinstance(part, written.Job):
        reference, inputs = part.uses, values(part.with_, (*path, "with"))
    else:
        key, reference = "workflow", part.workflow
        inputs = values(part.inputs, (*path, "inputs"))
    is_file = reference.startswith(("./", "../")) or reference.endswith((".yaml", ".yml"))
    name, _, version = reference.partition("@")
    elsewhere = "://" in reference or (not is_file and "/" in reference)
    if elsewhere or not name or reference.endswith("@"):
        report.error(
            "bad-reference",
            (*path, key),
            f"'{reference}' names no workflow of this project",
            "write its id, id@version, or ./path of its file",
        )
        common["broken"] = True
        return model.UnknownStep(**common)
    return model.SubworkflowStep(
        **common,
        reference=reference,
        reference_key=key,
        workflow=None if is_file else name,
        version=None if is_file else version or None,
        file=reference if is_file else None,
        inputs=inputs,
    )


def publish(defaults: model.Defaults, part: written.PublishStep, common: Common) -> model.Step:
    """Return a step that publishes an event."""
    payload = values(part.payload, (*common["path"], "payload"))
    return model.PublishStep(**_with_defaults(defaults, common), event=part.event, payload=payload)


def wait(report: Reporter, part: written.WaitStep, common: Common) -> model.Step:
    """Return a wait for one thing: a time or an event."""
    path = common["path"]
    given = {"for": part.for_, "until": part.until, "event": part.event}
    names = [name for name, value in given.items() if value is not None]
    pattern = None
    if not names:
        if not common["broken"]:
            report.error(
                "missing-key",
                path,
                "a wait step needs `for`, `until` or `event`",
                "add `for: 10m`, `until:` or `event:`",
            )
        common["broken"] = True
    for extra in names[1:]:
        conflict(report, path, extra, names[0], "a step waits for one thing")
        common["broken"] = True
    if "event" in names:
        pattern = pattern_of(report, part.event, (*path, "event"))
        common["broken"] = common["broken"] or pattern is None
        common["timeout"] = common["timeout"] or model.EVENT_TIMEOUT
    elif names:
        for key in ("match", "timeout"):
            if getattr(part, key) is not None:
                refuse(report, path, key, "a wait without `event`", "leave it out")
                common["broken"] = True
    return model.WaitStep(
        **common, duration=part.for_, until=part.until, pattern=pattern, match=part.match
    )
