"""Values as fields of states: plain JSON where nothing is computed, expressions where it is."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.asl.resolver import ScopeResolver, member
from compiler.check.program import Computed, Constant, Fields, Items, Secret, Value
from compiler.document.nodes import Json
from compiler.expressions import Ref, Single
from compiler.expressions.jsonata import emit_template, template_field
from compiler.expressions.quoting import json_literal, literal, text_literal, wrap
from compiler.expressions.types import kinds
from compiler.plan.reading import Read, read_of_ref


def field_of(value: Value, resolve: ScopeResolver) -> Json:
    """Return the value of a state's field that yields `value`; secrets come out as null."""
    match value:
        case Constant(value=plain):
            return literal(plain)
        case Computed(template=template):
            return template_field(template, resolve)  # type: ignore[return-value]
        case Secret():
            return literal(None)
        case Items(items=items):
            return [_item_of(item, resolve) for item in items]
        case Fields(items=fields):
            if any("${" in key for key, _ in fields):
                return wrap(code_of(value, resolve))
            return {key: field_of(item, resolve) for key, item in fields}


def _item_of(item: Value, resolve: ScopeResolver) -> Json:
    """Return an item of a list; a list in it is an expression, as in `quoting.literal`."""
    is_list = isinstance(item, Constant) and isinstance(item.value, list)
    if is_list or isinstance(item, Items):
        return wrap(code_of(item, resolve))
    return field_of(item, resolve)


def code_of(value: Value, resolve: ScopeResolver) -> str:
    """Return a value as one JSONata expression."""
    match value:
        case Constant(value=plain):
            return json_literal(plain)
        case Computed(template=template):
            code = emit_template(template, resolve)
            return f"({code.text})"
        case Secret():
            return "null"
        case Items(items=items):
            return list_code([_item_code(item, resolve) for item in items])
        case Fields(items=fields):
            inner = (f"{text_literal(key)}: {code_of(item, resolve)}" for key, item in fields)
            return f"{{{', '.join(inner)}}}"


def _item_code(item: Value, resolve: ScopeResolver) -> tuple[str, bool]:
    """Return an item of a list as JSONata, and whether it may be a list when it is evaluated."""
    code = code_of(item, resolve)
    if isinstance(item, Items) and not code.startswith("["):
        code = f"[{code}]"
    return code, isinstance(item, Computed) and "list" in kinds(item.type)


def list_code(items: Sequence[tuple[str, bool]]) -> str:
    """Return a list as JSONata, which takes the items of a list found inside `[...]` one by one.

    So what may be a list is put into brackets twice if it is one, and appended.
    """
    parts: list[str] = []
    plain: list[str] = []
    for code, may_be_list in items:
        if not may_be_list:
            plain.append(code)
            continue
        if plain:
            parts.append(f"[{', '.join(plain)}]")
            plain = []
        parts.append(f"($w := {code}; $type($w) = 'array' ? [[$w]] : [$w])")
    if plain or not parts:
        parts.append(f"[{', '.join(plain)}]")
    whole = parts[0]
    for part in parts[1:]:
        whole = f"$append({whole}, {part})"
    return whole


def secrets_of(value: Value, pointer: str) -> dict[str, Json]:
    """Return, by JSON pointer, what the wrapper has to put in the place of secrets."""
    found: dict[str, Json] = {}
    match value:
        case Secret(parts=parts):
            whole = len(parts) == 1 and parts[0][0] == "secret"
            found[pointer] = parts[0][1] if whole else [[kind, text] for kind, text in parts]
        case Fields(items=fields):
            for key, item in fields:
                found |= secrets_of(item, f"{pointer}/{escaped(key)}")
        case Items(items=items):
            for at, item in enumerate(items):
                found |= secrets_of(item, f"{pointer}/{at}")
        case _:
            pass
    return found


def references_of(value: Value, pointer: str, resolve: ScopeResolver) -> dict[str, Json]:
    """Return, by JSON pointer, where to look for a reference instead of the value itself.

    Only whole outputs of steps whose wrapper may have stored them elsewhere travel so.
    """
    found: dict[str, Json] = {}
    match value:
        case Computed(template=Single(expr=Ref() as ref)):
            reference = _reference(ref, resolve)
            if reference is not None:
                found[pointer] = reference
        case Fields(items=fields):
            for key, item in fields:
                found |= references_of(item, f"{pointer}/{escaped(key)}", resolve)
        case Items(items=items):
            for at, item in enumerate(items):
                found |= references_of(item, f"{pointer}/{at}", resolve)
        case _:
            pass
    return found


def _reference(ref: Ref, resolve: ScopeResolver) -> str | None:
    read = read_of_ref(ref, {**resolve.plan.stored, **resolve.plan.program.by_id}, inline=False)
    if read is None or read.output is None or read.inline:
        return None
    record = _record_of(read, resolve)
    if record is None:
        return None
    path = member(f"{record}.refs", read.output)
    return wrap(f"$exists({path}) ? {path} : null")


def _record_of(read: Read, resolve: ScopeResolver) -> str | None:
    """Return JSONata of the record that may refer to an output, None where none does."""
    plan = resolve.plan
    if read.step not in plan.program.by_id:
        return resolve.stored_record(plan.stored[read.step])
    variable = plan.variable(read.step, resolve.scope)
    travels = read.output in plan.travelling(read.step)
    return f"${variable}" if travels and variable is not None else None


def escaped(key: str) -> str:
    """Return a key as a token of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
