"""One step after the other, in the order of the graph, each with what is known before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from compiler.check.asks import asks
from compiler.check.calls import action, aws_call, sub_workflow
from compiler.check.checker import Checker
from compiler.check.contexts import in_handlers
from compiler.check.groups import Entry, Group
from compiler.check.lengths import length
from compiler.check.outputs import outputs, written
from compiler.check.people import check_pause, manual
from compiler.check.program import (
    Block,
    ForEach,
    Kind,
    Pause,
    Script,
    Step,
    SubWorkflow,
    Value,
)
from compiler.check.readers import Reader
from compiler.check.retries import repeat, retry
from compiler.check.rules import rule
from compiler.check.scripts import script
from compiler.check.surroundings import ActionContract
from compiler.check.timing import check_step, is_deadline
from compiler.check.valuetypes import type_of, without_nulls
from compiler.check.waits import publish, wait
from compiler.check.warnings import check_condition, check_constant
from compiler.expressions import Expr, status_functions
from compiler.expressions.types import (
    NUMBER,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    Unknown,
    show,
)

_Kind = Callable[[Checker, Entry, Reader], tuple[Kind, Type]]
_KINDS: Mapping[str, _Kind] = {
    "action": action,
    "aws": aws_call,
    "run": script,
    "manual": manual,
    "subworkflow": sub_workflow,
    "wait": wait,
    "publish": publish,
}
MOST_ITEMS = 1000
"""Items whose results, of some 200 bytes each, fit into one state: its data has 256 KiB.

https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
"""
_UNKNOWN = Pause(0, None)
"""Stands for a step whose kind could not be read; nothing is planned then."""


def build(checker: Checker, group: Group, env: Mapping[str, Value]) -> tuple[Step, ...]:
    """Return the steps of a group in file order; `env` are the variables around it."""
    contexts = checker.contexts
    if group.kind == "handlers":
        contexts = in_handlers(contexts)
    around = Reader(None, "value", contexts, env, is_stopped_by_failures=group.kind == "steps")
    return _group(checker, group, around)


def _group(checker: Checker, group: Group, around: Reader) -> tuple[Step, ...]:
    steps: dict[int, Step] = {}
    for position in group.sequence:
        steps[position] = _step(checker, group.entries[position], around)
    return tuple(steps[position] for position in range(len(group.entries)))


def _step(checker: Checker, entry: Entry, around: Reader) -> Step:
    written_step = entry.step
    condition, outside = _condition(checker, entry, replace(around, entry=entry))
    for_each, inside = _for_each(checker, entry, outside)
    if written_step.env.entries:
        own_env, _ = checker.values(written_step.env, replace(inside, secrets=True, part="env"))
        inside = replace(inside, env={**inside.env, **dict(own_env)})
    kind, given = _kind(checker, entry, inside)
    checker.reads.written[entry.id] = written(entry, given)
    declared, known = outputs(checker, entry, given, inside)
    checker.reads.outputs[entry.id] = known
    # What an undo reads is stored, so it knows the step's item too.
    undo = None if entry.undo is None else _step(checker, entry.undo, inside)
    contract = _contract(checker, entry)
    timeout = written_step.timeout
    if for_each is not None and is_deadline(checker, written_step):
        for_each, timeout = replace(for_each, deadline=timeout), None
    step = Step(
        id=entry.id,
        name=written_step.name,
        index=entry.index,
        span=checker.context.name_span(written_step),
        kind=kind,
        rule=rule(entry, condition, checker.groups, checker.typed.manual),
        condition=condition,
        retry=retry(checker, entry, inside),
        timeout=timeout,
        on_error=written_step.on_error,
        outputs=declared,
        env=tuple(inside.env.items()),
        for_each=for_each,
        repeat=repeat(checker, entry, inside),
        compensate=undo,
        checkpoint=written_step.checkpoint or undo is not None or _undoes(kind),
        artifacts=written_step.artifacts,
        reads_files=isinstance(kind, Script) or (contract is not None and contract.reads_files),
        makes_files=contract is not None and contract.makes_files,
        repeatable=contract is not None and contract.repeatable,
    )
    check_step(checker, entry, step)
    check_pause(checker, written_step)
    return step


def _undoes(kind: Kind) -> bool:
    return isinstance(kind, SubWorkflow) and kind.undoes


def _condition(checker: Checker, entry: Entry, reader: Reader) -> tuple[Expr | None, Reader]:
    """Return a step's condition, and the reader of everything that is evaluated behind it."""
    text = entry.step.condition
    if entry.group.kind == "undo":
        reader = replace(reader, is_stopped_by_failures=False)
    if text is None:
        return None, reader
    path = (*entry.step.path, "condition")
    parsed = checker.typed.parsed(text, path)
    if parsed is None:
        return None, replace(reader, is_stopped_by_failures=False)
    if status_functions(parsed) or asks(parsed, checker.typed.manual):
        reader = replace(reader, is_stopped_by_failures=False)
    condition, type_ = checker.typed.resolve(parsed, replace(reader, part="condition"))
    if type_ != UNKNOWN:  # nothing was wrong with it
        check_constant(checker, entry, parsed)
    check_condition(checker, entry, condition)
    return condition, reader


def _kind(checker: Checker, entry: Entry, reader: Reader) -> tuple[Kind, Type]:
    if entry.block is not None:
        fail_fast = getattr(entry.step, "fail_fast", False)
        return Block(_group(checker, entry.block, reader), fail_fast), Record({})
    make = _KINDS.get(entry.step.kind)
    return (_UNKNOWN, UNKNOWN) if make is None else make(checker, entry, reader)


def _for_each(checker: Checker, entry: Entry, reader: Reader) -> tuple[ForEach | None, Reader]:
    """Return what a step is repeated for, and the reader of its parts that know the item."""
    written_each = entry.step.for_each
    if written_each is None:
        return None, reader
    path = (*entry.step.path, "for_each")
    items = checker.value(written_each.items, path, reader)
    given = without_nulls(type_of(items))
    item: Type = UNKNOWN
    if isinstance(given, ListOf):
        item = given.item
    elif written_each.items is not None and not isinstance(given, Unknown):
        checker.error(
            "for-each-not-a-list",
            checker.context.span(path),
            f"`for_each` is {show(given)} here",
            "give a list, or an expression that gives one",
        )
    count = length(items) or 0
    if written_each.max_items > MOST_ITEMS:
        _too_many(checker, entry, written_each.max_items)
    elif count > MOST_ITEMS:
        _too_many(checker, entry, count)
    elif count > written_each.max_items:
        checker.error(
            "too-many-items",
            checker.context.span(path),
            f"{count} items are more than `max_items` ({written_each.max_items}) lets through",
            f"write `max_items: {count}`",
        )
    contexts = {**reader.contexts, "item": item, "index": NUMBER}
    each = ForEach(
        items,
        written_each.max_items,
        written_each.max_concurrency,
        fail_fast=written_each.fail_fast,
    )
    return each, replace(reader, contexts=contexts)


def _too_many(checker: Checker, entry: Entry, count: int) -> None:
    path = (*entry.step.path, "max_items")
    written = checker.context.node(path)
    checker.error(
        "too-many-items",
        checker.context.span((*entry.step.path, "for_each") if written is None else path),
        f"'{entry.id}' may have {count:,} items, and at most {MOST_ITEMS:,} are carried out: "
        "the results of all of them meet in one state of 256 KiB",
        "split the list over several runs, or over calls of a sub-workflow",
    )


def _contract(checker: Checker, entry: Entry) -> ActionContract | None:
    if entry.step.kind != "action":
        return None
    return checker.context.surroundings.catalogue.get(getattr(entry.step, "action", ""))
