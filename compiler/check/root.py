"""The workflow's own keys: contract, outputs, environment, concurrency, notifications, source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.check.checker import Checker
from compiler.check.contexts import in_handlers
from compiler.check.contracts import Taker, fit
from compiler.check.groups import Entry
from compiler.check.people import notified
from compiler.check.program import (
    Checkout,
    Computed,
    Concurrency,
    Constant,
    Input,
    Notify,
    Value,
)
from compiler.check.readers import Reader
from compiler.check.suggest import listed, nearest
from compiler.document.nodes import Json
from compiler.expressions import Part, Ref, Single
from compiler.expressions.json_schema import from_json_schema
from compiler.expressions.types import UNKNOWN, Record, Unknown, optional, without_null
from compiler.source import Span
from compiler.spec import Input as Field
from compiler.spec import Output

NO_STEPS = "read `inputs`, or move it into a step"


@dataclass(frozen=True, slots=True)
class Readers:
    """Who reads at the root: before any step, and after all of them."""

    before: Reader
    after: Reader


def readers(checker: Checker, env: Mapping[str, Value]) -> Readers:
    """Return the readers of the workflow's own keys."""
    before = Reader(None, "value", checker.contexts, env, no_steps=NO_STEPS)
    after = Reader(None, "value", checker.contexts, env, is_stopped_by_failures=True)
    return Readers(before, after)


def environment(checker: Checker) -> dict[str, Value]:
    """Return the variables that every step has."""
    secret = Reader(
        None,
        "env",
        checker.contexts,
        secrets=True,
        no_steps=(
            "the workflow's `env` is the same for every step; write it in the `env` of a step"
        ),
    )
    return dict(checker.values(checker.context.workflow.env, secret)[0])


def inputs(checker: Checker) -> tuple[Input, ...] | None:
    """Return the contract of the inputs, None where there is none; checks the defaults."""
    written = checker.context.workflow.inputs
    if written is None:
        return None
    found: list[Input] = []
    for field in written.fields:
        schema = {name: inner for name, inner in field.json_schema.items() if name != "default"}
        if field.has_default:
            _check_default(checker, field, schema)
        type_ = from_json_schema(field.json_schema)
        if not field.required and not field.has_default:
            type_ = optional(type_)
        found.append(Input(field.name, schema, type_, field.required, field.default))
    return tuple(found)


def _check_default(checker: Checker, field: Field, schema: dict[str, Json]) -> None:
    """Report a default that the input's own schema refuses, unless that is done already."""
    path = (*field.path, "default")
    span = checker.context.span(path)
    said = (found.code for found in checker.context.diagnostics if found.span == span)
    if _DEFAULT in said:
        return
    codes = (_DEFAULT, _DEFAULT, _DEFAULT)
    taker = Taker(f"input '{field.name}'", "default", "`default`", codes)
    node = checker.context.node(path)
    fit(Constant(field.default), node, schema, taker, checker.context, span)


_DEFAULT = "bad-default"


def outputs(checker: Checker, reader: Reader) -> tuple[tuple[str, Value], ...]:
    """Return what a run gives: the expressions written, or the step outputs of the same name."""
    written = checker.context.workflow.outputs
    found: list[tuple[str, Value]] = []
    for field in () if written is None else written.fields:
        if not field.has_value:
            value = _by_name(checker, field, reader)
        else:
            path = (*field.path, "value")
            raw = checker.value(field.value, path, reader)
            name = f"output '{field.name}'"
            wants = "but its contract says"
            taker = Taker(f"the contract of {name}", "member", name, _OUTPUT, wants)
            node, span = checker.context.node(path), checker.context.span(path)
            value = fit(raw, node, field.json_schema, taker, checker.context, span)
        found.append((field.name, value))
    return tuple(found)


_OUTPUT = ("wrong-output", "wrong-output", "wrong-output")


def _by_name(checker: Checker, field: Output, reader: Reader) -> Value:
    """Return the one step output that is called as the workflow's output."""
    span = checker.context.key_span(field.path)
    having: list[Entry] = []
    others: dict[str, str] = {}
    for entry in checker.groups.entries():
        known = checker.reads.outputs.get(entry.id, UNKNOWN)
        if not _is_visible(entry) or not isinstance(known, Record):
            continue
        if field.name in known.fields:
            having.append(entry)
        others.update((name, entry.id) for name in known.fields)
    if len(having) == 1:
        return _read(checker, having[0], field.name, span, reader)
    line = f"value: ${{{{ steps.<id>.outputs.{field.name} }}}}"
    if having:
        message = f"several steps give an output '{field.name}': {listed(e.id for e in having)}"
        advice = f"say which one: `{line}`"
    else:
        message = f"no step gives an output '{field.name}'"
        close = nearest(field.name, others)
        advice = f"say where it comes from: `{line}`"
        if close is not None:
            advice = f"did you mean '{close}' of '{others[close]}'? " + advice
    if having or not _is_unclear(checker):
        checker.error("output-without-value", span, message, advice)
    return Constant(None)


def _is_unclear(checker: Checker) -> bool:
    """Whether some step's outputs are not known after a mistake that is already reported."""
    if any(step.broken for step in checker.context.workflow.all_steps()):
        return True
    return any(
        isinstance(checker.reads.outputs.get(entry.id), Unknown)
        for entry in checker.groups.entries()
    )


def _is_visible(entry: Entry) -> bool:
    if entry.group.is_of_handlers or entry.undoes is not None:
        return False
    return all(outer.step.for_each is None for outer in entry.enclosing())


def _read(checker: Checker, entry: Entry, name: str, span: Span, reader: Reader) -> Value:
    path = tuple(Part(key) for key in ("steps", entry.id, "outputs", name))
    ref = Ref(path)
    _, type_ = checker.reads.step(ref, reader)
    for key in ("outputs", name):
        bare = without_null(type_)
        type_ = bare.fields.get(key, UNKNOWN) if isinstance(bare, Record) else UNKNOWN
    return Computed(Single(ref), type_, span)


def concurrency(checker: Checker, reader: Reader) -> Concurrency | None:
    """Return how many runs may be under way at once."""
    written = checker.context.workflow.concurrency
    if written is None:
        return None
    group = checker.value(written.group, (*written.path, "group"), reader)
    return Concurrency(group, written.limit, written.on_conflict)


def notify(checker: Checker, reader: Reader) -> tuple[Notify, ...]:
    """Return whom to tell of what."""
    found: list[Notify] = []
    contexts = in_handlers(checker.contexts)
    told = Reader(None, "value", contexts, reader.env, secrets=True)
    for written in checker.context.workflow.notify:
        path = (*written.path, "to")
        found.append(Notify(written.on, notified(checker, written.to, path, told)))
    return tuple(found)


def checkout(checker: Checker, reader: Reader) -> Checkout | None:
    """Return which files the steps work on, None where the workflow does not say."""
    written = checker.context.workflow.source
    if written is None:
        return None
    return Checkout(
        checker.value(written.repository, (*written.path, "repository"), reader),
        checker.value(written.ref, (*written.path, "ref"), reader),
    )


def contract(checker: Checker) -> Json:
    """Return the JSON Schemas of inputs and outputs."""
    workflow = checker.context.workflow
    if workflow.inputs is None and workflow.outputs is None:
        return None
    return {
        "inputs": None if workflow.inputs is None else workflow.inputs.json_schema,
        "outputs": None if workflow.outputs is None else workflow.outputs.json_schema,
    }
