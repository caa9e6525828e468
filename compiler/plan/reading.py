"""What each step reads of others: found in every expression it holds, and in its guard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from compiler.check.program import (
    Action,
    AwsCall,
    Block,
    Computed,
    EventWait,
    Fields,
    Items,
    Manual,
    Pause,
    Program,
    Publish,
    Script,
    Step,
    SubWorkflow,
    Value,
)
from compiler.check.program import expressions as exprs_of_value
from compiler.expressions import Expr, Ref, Single, expressions, references
from compiler.plan.facts import step_named
from compiler.plan.model import AllOf, AnyOf, Counts, Ran, Reads, Test


@dataclass(frozen=True, slots=True)
class Read:
    """One read of a step's record. `inline`: the machine looks into the output itself."""

    step: str
    field: str  # status, error, reason, items, outputs, or "" for whether it ran
    output: str | None = None
    inline: bool = True


def reads_of_step(step: Step, steps: Mapping[str, Step]) -> Iterator[Read]:
    """Yield what a step reads of other steps, its condition included, its children not."""
    if isinstance(step.kind, Action | Script):
        for value in values_of_step(step):
            yield from reads_of_value(value, steps, step.id, travels=True)
        exprs = _steering(step)
    else:
        exprs = exprs_of_step(step)
    for expr in exprs:
        yield from reads_of_expr(expr, steps, step.id)


def exprs_of_step(step: Step) -> Iterator[Expr]:
    """Yield every expression a step holds, its children's not."""
    for value in values_of_step(step):
        yield from exprs_of_value(value)
    yield from _steering(step)


def _steering(step: Step) -> Iterator[Expr]:
    """Yield the expressions that say whether and how often a step is carried out."""
    if step.condition is not None:
        yield step.condition
    if isinstance(step.kind, EventWait) and step.kind.match is not None:
        yield step.kind.match
    if step.for_each is not None:
        yield from exprs_of_value(step.for_each.items)
    if step.repeat is not None:
        yield step.repeat.until
    if step.retry is not None:
        yield from step.retry.conditions


def values_of_step(step: Step) -> Iterator[Value]:
    """Yield what a step is carried out with, and what it gives: its children's not."""
    kind = step.kind
    match kind:
        case Action(inputs=inputs, variables=variables):
            yield inputs
            yield from (value for _, value in variables)
        case SubWorkflow(inputs=inputs):
            yield inputs
        case AwsCall(arguments=arguments):
            yield arguments
        case Script(variables=variables):
            yield from (value for _, value in variables)
        case Manual():
            yield from (kind.title, kind.description, kind.assignees)
            for escalation in kind.escalations:
                yield from (escalation.notify, escalation.message)
        case Pause(seconds=seconds, until=until):
            yield from (v for v in (seconds, until) if v is not None and not isinstance(v, int))
        case Publish(event=event, payload=payload):
            yield from (event, payload)
        case Block() | EventWait():
            pass
    yield from (value for _, value in step.env)
    yield from (output.value for output in step.outputs if output.value is not None)


def reads_of_value(
    value: Value, steps: Mapping[str, Step], reader: str | None, *, travels: bool
) -> Iterator[Read]:
    """Yield the reads of a value; `travels`: whole outputs may be passed on as references."""
    match value:
        case Computed(template=Single(expr=expr)):
            yield from reads_of_expr(expr, steps, reader, travels=travels)
        case Computed(template=template):
            for inner in expressions(template):
                yield from reads_of_expr(inner, steps, reader)
        case Fields(items=fields):
            for _, item in fields:
                yield from reads_of_value(item, steps, reader, travels=travels)
        case Items(items=items):
            for item in items:
                yield from reads_of_value(item, steps, reader, travels=travels)
        case _:
            pass


def reads_of_expr(
    expr: Expr, steps: Mapping[str, Step], reader: str | None, *, travels: bool = False
) -> Iterator[Read]:
    """Yield the reads of an expression; a step's reads of itself are left out."""
    for ref in references(expr):
        read = read_of_ref(ref, steps, inline=not (travels and ref is expr))
        if read is not None and read.step != reader:
            yield read


def read_of_ref(ref: Ref, steps: Mapping[str, Step], *, inline: bool) -> Read | None:
    """Return what a path below `steps` reads, None for any other path."""
    if ref.root != "steps":
        return None
    step = step_named(ref.keys, steps)
    if step is None:
        return None
    keys = ref.keys[1:]
    if not keys or keys[0] != "outputs":
        return Read(step.id, str(keys[0]) if keys else "all")
    if len(keys) < 2 or not isinstance(keys[1], str):
        return Read(step.id, "outputs", None)
    whole = len(ref.path) == 4  # steps . id . outputs . name
    return Read(step.id, "outputs", keys[1], inline or not whole)


def reads_of_test(test: Test | bool | None) -> Iterator[Read]:
    """Yield the records that a guard's test looks at, beside those of its condition."""
    match test:
        case Counts(step=step):
            yield Read(step, "status")
        case Ran(step=step, then=then, otherwise=otherwise):
            yield Read(step, "")
            yield from reads_of_test(then)
            yield from reads_of_test(otherwise)
        case AllOf(tests=tests) | AnyOf(tests=tests):
            for inner in tests:
                yield from reads_of_test(inner)
        case _:
            pass


def reads_of_outputs(program: Program, steps: Mapping[str, Step]) -> Iterator[Read]:
    """Yield what the workflow's outputs read."""
    for _, value in program.outputs:
        yield from reads_of_value(value, steps, None, travels=False)


def merged(reads: Iterable[Read]) -> Reads:
    """Return what a step's record has to hold for all its readers together."""
    found = list(reads)
    fields = {read.field for read in found}
    every = "all" in fields
    outputs = [read for read in found if read.field == "outputs"]
    return Reads(
        status=not fields.isdisjoint({"status", "", "reason"}) or every,
        error="error" in fields or every,
        reason="reason" in fields or every,
        items="items" in fields,
        outputs=frozenset(read.output for read in outputs if read.output is not None),
        all_outputs=every or any(read.output is None for read in outputs),
        inline=frozenset(r.output for r in outputs if r.inline and r.output is not None),
    )
