"""Manual steps and pauses: who decides, and by when."""

from __future__ import annotations

import re

from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.check.program import Constant, Escalation, Items, Manual, Value
from compiler.check.readers import Reader
from compiler.check.steptypes import manual_outputs
from compiler.check.suggest import suggestion
from compiler.check.valuetypes import type_of, without_nulls
from compiler.document.nodes import Path
from compiler.expressions.json_schema import from_json_schema
from compiler.expressions.types import TEXT, ListOf, Type, accepts, join, show
from compiler.spec import ManualStep
from compiler.spec.model import StepPart
from protocol.addresses import is_address
from protocol.identities import identity, plain_identities

_GROUP = "group:"
_READS = re.compile(r"item|(?:inputs|steps|vars|env|item)(?:\.[\w-]+)+")
_PEOPLE = join(TEXT, ListOf(TEXT))


def manual(checker: Checker, entry: Entry, reader: Reader) -> tuple[Manual, Type]:
    """Return a manual step, and the type of its outputs."""
    step = entry.step
    assert isinstance(step, ManualStep)
    assignees, count = _assignees(checker, step, reader)
    path = step.path
    timeout = step.timeout or 0
    if count and step.quorum > count:
        checker.error(
            "quorum-too-large",
            checker.context.span((*path, "quorum")),
            f"{step.quorum} people have to agree, and only {count} can",
            f"write `quorum: {count}` or less, or name more assignees",
        )
    if step.due_in is not None and step.due_in > timeout:
        checker.error(
            "due-after-timeout",
            checker.context.span((*path, "due_in")),
            "the task is due later than it times out",
            "make `due_in` the shorter one, or write a longer `timeout`"
            + ("" if checker.context.node((*path, "timeout")) else " (it is 72h if left out)"),
        )
    form = None if step.form is None else from_json_schema(step.form)
    kind = Manual(
        title=checker.value(step.title, (*path, "title"), reader),
        description=checker.value(step.description, (*path, "description"), reader),
        assignees=assignees,
        due_in=step.due_in,
        timeout=timeout,
        escalations=_escalations(checker, step, reader, assignees),
        quorum=step.quorum,
        form=step.form,
        auth=step.auth,
        self_approval=step.self_approval,
    )
    return kind, manual_outputs(form)


def _assignees(checker: Checker, step: ManualStep, reader: Reader) -> tuple[Value, int | None]:
    """Return the assignees and how many people they are, None where only the run can tell."""
    path = (*step.path, "assignees")
    written = step.assignees
    if written is None:
        return _approvers(checker, step)
    if not written:
        _nobody(checker, step, "write `assignees: [person@example.com]`, or leave it out: "
                "the approvers of the stage decide then")  # fmt: skip
    if isinstance(written, str):
        value = checker.value(written, path, reader)
        if isinstance(value, Constant) and isinstance(value.value, str):
            people = _check_people(checker, (value.value,), path)
            return Constant([value.value]), len(people)
        given = without_nulls(type_of(value))
        if not accepts(_PEOPLE, given):
            checker.error(
                "wrong-assignees",
                checker.context.span(path),
                f"the assignees are {show(given)} here",
                "give a mail address, or a list of them",
            )
        return value, None
    values = [checker.value(one, (*path, at), reader) for at, one in enumerate(written)]
    literal = [value.value for value in values if isinstance(value, Constant)]
    people = _check_people(checker, _texts(written, values), path)
    if len(literal) == len(values):
        return Constant(literal), len(people)
    return Items(tuple(values)), None


def _approvers(checker: Checker, step: ManualStep) -> tuple[Value, int | None]:
    stage = checker.context.surroundings.stage
    if stage.approvers:
        return Constant(list(stage.approvers)), len(_people(checker, stage.approvers))
    _nobody(
        checker,
        step,
        "write `assignees: [person@example.com]` here, "
        f"or `approvers` of the stage '{stage.name}' in stepsmith.yaml",
    )
    return Constant([]), None


def check_pause(checker: Checker, step: StepPart) -> None:
    """Warn of a pause in a stage where nobody can be asked: the step fails there at once."""
    stage = checker.context.surroundings.stage
    if step.on_error != "pause" or step.broken or stage.approvers:
        return
    checker.warn(
        "pause-asks-nobody",
        checker.context.span((*step.path, "on_error")),
        f"the stage '{stage.name}' has no approvers to ask when '{step.id}' fails: "
        "it fails there as with `on_error: fail`",
        f"write `approvers: [person@example.com]` for the stage '{stage.name}' in stepsmith.yaml",
    )


def _nobody(checker: Checker, step: ManualStep, advice: str) -> None:
    if step.broken:
        return
    path = (*step.path, "assignees")
    written = checker.context.node(path) is not None
    span = checker.context.key_span(path) if written else checker.context.name_span(step)
    checker.error("no-assignees", span, f"nobody is asked to decide '{step.id}'", advice)


def _texts(written: tuple[str, ...], values: list[Value]) -> tuple[str, ...]:
    """Return whom texts name; an expression that reads nothing names what it comes to."""
    return tuple(
        value.value if isinstance(value, Constant) and isinstance(value.value, str) else one
        for one, value in zip(written, values, strict=True)
    )


def _check_people(checker: Checker, written: tuple[str, ...], path: Path) -> dict[str, str]:
    """Return the people that literal assignees mean, as `_people`; none where one is wrong."""
    literal = []
    fine = True
    groups = checker.context.surroundings.stage.groups
    for at, one in enumerate(written):
        if "${{" in one:
            continue
        literal.append(one)
        span = checker.context.span((*path, at))
        if one.startswith(_GROUP):
            name = one.removeprefix(_GROUP).strip()
            if name not in groups:
                fine = False
                checker.error(
                    "unknown-group",
                    span,
                    f"there is no group '{name}'",
                    suggestion(name, groups, "the groups")
                    or "add it to `groups` in stepsmith.yaml",
                )
        elif not is_address(one.strip()):
            fine = False
            checker.error(
                "wrong-assignees",
                span,
                f"'{one}' is no mail address",
                _written(one),
            )
    return _people(checker, tuple(literal)) if fine else {}


def _written(one: str) -> str:
    """Return how to write what is no mail address."""
    if "@" in one:
        return "write one address, without a name beside it; others are entries of their own"
    if _READS.fullmatch(one):
        return f'write "${{{{ {one} }}}}"'
    return f"write an address such as `{one or 'person'}@example.com`, or `group:NAME`"


def _people(checker: Checker, assignees: tuple[str, ...]) -> dict[str, str]:
    """Return how each person that is meant is written first, by what tells people apart."""
    stage = checker.context.surroundings.stage
    known = plain_identities(stage.identities)
    people: dict[str, str] = {}
    for one in assignees:
        name = one.removeprefix(_GROUP).strip()
        members = stage.groups.get(name, ()) if one.startswith(_GROUP) else (one,)
        for member in members:
            people.setdefault(identity(member, known), member.strip())
    return people


def _escalations(
    checker: Checker, step: ManualStep, reader: Reader, assignees: Value
) -> tuple[Escalation, ...]:
    found: list[Escalation] = []
    for written in step.escalations:
        path = written.path
        if step.timeout is not None and written.after > step.timeout:
            checker.error(
                "escalation-after-timeout",
                checker.context.span((*path, "after")),
                "this escalation comes after the task has timed out",
                "write a shorter `after`, or a longer `timeout`"
                + (
                    ""
                    if checker.context.node((*step.path, "timeout"))
                    else " (it is 72h if left out)"
                ),
            )
        found.append(
            Escalation(
                written.after,
                notified(checker, written.notify, (*path, "notify"), reader)
                if written.notify
                else assignees,
                checker.value(written.message, (*path, "message"), reader),
            )
        )
    return tuple(sorted(found, key=lambda level: level.after))


def notified(checker: Checker, written: tuple[str, ...], path: Path, reader: Reader) -> Value:
    """Return whom to tell: addresses, groups, or expressions that give one."""
    node = checker.context.node(path)
    is_list = node is not None and not hasattr(node, "text")
    values = [
        checker.value(one, (*path, at) if is_list else path, reader)
        for at, one in enumerate(written)
    ]
    _check_people(checker, _texts(written, values), path)
    if all(isinstance(value, Constant) for value in values):
        return Constant([value.value for value in values if isinstance(value, Constant)])
    return Items(tuple(values))
