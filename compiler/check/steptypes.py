"""What `steps.<id>` is known to hold, from the contract of what the step does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiler.check.contexts import ERROR
from compiler.check.program import Output
from compiler.expressions.types import (
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    join,
    may_be_null,
    optional,
    without_null,
)

_MAYBE = optional(TEXT)


def manual_outputs(form: Type | None) -> Record:
    """Return the outputs of a manual step: the decision."""
    return Record(
        {
            "status": TEXT,
            "comments": _MAYBE,
            "decided_by": _MAYBE,
            "decided_at": _MAYBE,
            "timeout_reason": _MAYBE,
            "form": UNKNOWN if form is None else optional(form),
        }
    )


def with_declared(
    given: Record, outputs: tuple[Output, ...], type_of: Callable[[Output], Type]
) -> Record:
    """Return the outputs of a step: what its contract gives with what the author declared.

    A literal stands in where the step gives nothing, an expression always wins.
    """
    fields: dict[str, Type] = dict(given.fields)
    for output in outputs:
        if output.form == "declared":
            fields[output.name] = without_null(fields.get(output.name, UNKNOWN))
        elif output.form == "literal":
            literal = type_of(output)
            own = fields.get(output.name)
            fields[output.name] = literal if own is None else _or_literal(own, literal)
        else:
            fields[output.name] = type_of(output)
    return Record(fields, given.open)


def _or_literal(own: Type, literal: Type) -> Type:
    return join(without_null(own), literal) if may_be_null(own) else own


def record(outputs: Type, *, is_sure: bool, each: bool) -> Record:
    """Return the type of `steps.<id>`; `each` is a step with for_each.

    `is_sure`: whoever reads knows that the step succeeded; else its outputs may be null.
    """
    fields: dict[str, Type] = {
        "status": TEXT,
        "reason": _MAYBE,
        "error": optional(ERROR),
    }
    if each:
        item = Record(
            {
                "index": NUMBER,
                "status": TEXT,
                "outputs": maybe(outputs),
                "error": optional(ERROR),
            }
        )
        whole: Type = ListOf(maybe(outputs))
        fields["items"] = ListOf(item) if is_sure else optional(ListOf(item))
        fields["outputs"] = whole if is_sure else optional(whole)
    else:
        fields["outputs"] = outputs if is_sure else maybe(outputs)
    return Record(fields)


def maybe(outputs: Type) -> Type:
    """Return the type of outputs that are null for a step that failed or was skipped."""
    if isinstance(outputs, Record):
        fields: Mapping[str, Type] = {
            name: optional(type_) for name, type_ in outputs.fields.items()
        }
        outputs = Record(fields, outputs.open)
    return optional(outputs)
