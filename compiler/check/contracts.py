"""Values against JSON Schemas: what an action, a call or another workflow takes."""

from __future__ import annotations

import re
from collections.abc import Mapping as Mapped
from dataclasses import dataclass, field, replace

from compiler.check import schemas
from compiler.check.context import Context
from compiler.check.failed import FAILED
from compiler.check.program import Computed, Constant, Fields, Items, Secret, Value
from compiler.check.schemas import Schema
from compiler.check.suggest import listed, nearest, suggestion
from compiler.check.valuetypes import type_of, without_nulls
from compiler.diagnostics import Diagnostics
from compiler.document.nodes import Json, Mapping, Node, Scalar, Sequence
from compiler.expressions.json_schema import from_json_schema
from compiler.expressions.types import Null, Number, Type, Unknown, accepts, show
from compiler.source import Span

_DEPTH = 40
_PATH = re.compile(
    r"(?:inputs|event|steps|vars|item|github|trigger|run|failure)(?:\.[A-Za-z0-9_-]+)+"
)


@dataclass(frozen=True, slots=True)
class Taker:
    """Who takes the values, as messages call them: `action 'run-tests'` takes an `input`.

    `whole` is what messages call the value where it is no part of a mapping. `codes` are for a
    name that is not taken, one that is missing, a value that does not fit. `wants` stands before
    what is taken in place of "and NAME takes". `lacking` says why names can be missing.
    """

    name: str
    word: str = "input"
    whole: str = ""
    codes: tuple[str, str, str] = ("unknown-input", "missing-input", "wrong-input")
    wants: str = ""
    lacking: Mapped[str, str] = field(default_factory=dict)

    def takes(self, what: str) -> str:
        """Return the end of a message on a value of the wrong type."""
        return f"{self.wants or f'and {self.name} takes'} {what}"


def fit(
    value: Value, node: Node | None, schema: Schema, taker: Taker, context: Context, span: Span
) -> Value:
    """Return the value as the schema wants it, reporting what does not fit.

    A number written where a text is wanted is the text as it was written: `3.10`. `span` is
    where something that is missing would stand.
    """
    return _Fitting(schema, taker, context).fit(value, schema, _Spot(node, span))


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a value stands: its node, where its name stands, what messages call it."""

    node: Node | None
    key: Span
    path: str = ""
    depth: int = _DEPTH

    @property
    def span(self) -> Span:
        return self.key if self.node is None else self.node.span

    def member(self, name: str) -> _Spot:
        path = f"{self.path}.{name}" if self.path else name
        if isinstance(self.node, Mapping):
            key = self.node.key(name)
            if key is not None:
                return _Spot(self.node.get(name), key.span, path, self.depth - 1)
        return _Spot(None, self.key, path, self.depth - 1)

    def has(self, name: str) -> bool:
        """Whether the name is written, be its value readable or not."""
        return isinstance(self.node, Mapping) and self.node.get(name) is not None

    def item(self, at: int, count: int) -> _Spot:
        node = self.node
        has_own = isinstance(node, Sequence) and len(node.items) == count
        inner = node.items[at] if has_own and isinstance(node, Sequence) else None
        return _Spot(inner, self.span, f"{self.path}[{at}]", self.depth - 1)


class _Fitting:
    def __init__(self, root: Schema, taker: Taker, context: Context) -> None:
        self._root = root
        self._taker = taker
        self._context = context

    def fit(self, value: Value, schema: Json | Schema, spot: _Spot) -> Value:
        schema = schemas.resolved(schema, self._root)
        if schema is None or spot.depth == 0 or value is FAILED:
            return value
        if isinstance(value, Computed | Secret):
            self._computed(value, schema, spot)
            return value
        choices = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(choices, list) and "type" not in schema:
            return self._choice(value, choices, spot)
        fields = _fields(value)
        if fields is not None and schemas.wants(schema, "object"):
            return self._object(value, fields, schema, spot)
        items = _items(value)
        if items is not None and schemas.wants(schema, "array"):
            return self._list(value, items, schema, spot)
        return self._scalar(value, schema, spot)

    # -- one kind of value each

    def _computed(self, value: Computed | Secret, schema: Schema, spot: _Spot) -> None:
        given = type_of(value)
        if isinstance(given, Unknown):
            return
        target = self._type(schema)
        bare = without_nulls(given)
        if accepts(target, bare):
            return
        is_now = "always null" if isinstance(bare, Null) else show(bare)
        wanted = schemas.wanted(schema) if isinstance(target, Number) else show(target)
        self._wrong(
            value.span,
            f"{self._called(spot)} is {is_now} here, {self._taker.takes(wanted)}",
            schemas.converted(bare, target),
        )

    def _type(self, schema: Schema) -> Type:
        definitions = self._root.get("$defs")
        if definitions is None or definitions is schema.get("$defs"):
            return self._context.type_of_schema(schema)
        return from_json_schema({**schema, "$defs": definitions})

    def _choice(self, value: Value, choices: list[Json], spot: _Spot) -> Value:
        """Take the first choice that fits; where none does, say what the nearest one says."""
        found: Diagnostics | None = None
        for choice in choices:
            scratch = Diagnostics(self._context.diagnostics.source)
            trial = _Fitting(self._root, self._taker, replace(self._context, diagnostics=scratch))
            result = trial.fit(value, choice, replace(spot, depth=spot.depth - 1))
            if not scratch.has_errors:
                return result
            if found is None or self._is_kind(value, choice):
                found = scratch
        for one in found or ():
            self._context.diagnostics.error(one.code, one.span, one.message, help=one.help)
        return value

    def _is_kind(self, value: Value, choice: Json) -> bool:
        schema = schemas.resolved(choice, self._root)
        if schema is None:
            return False
        if _fields(value) is not None:
            return schemas.wants(schema, "object")
        return _items(value) is not None and schemas.wants(schema, "array")

    def _object(self, value: Value, fields: dict[str, Value], schema: Schema, spot: _Spot) -> Value:
        known = schema.get("properties")
        properties = known if isinstance(known, dict) else {}
        others = schema.get("additionalProperties", True)
        fitted: dict[str, Value] = {}
        meant: set[str | None] = set()
        for name, inner in fields.items():
            below = spot.member(name)
            if name in properties:
                fitted[name] = self.fit(inner, properties[name], below)
            elif others is False:
                meant.add(self._unknown(name, below.key, properties, spot))
                fitted[name] = inner
            else:
                fitted[name] = self.fit(inner, others, below)
        required = schema.get("required")
        for needed in required if isinstance(required, list) else ():
            if not isinstance(needed, str) or needed in fields or needed in meant:
                continue
            if not spot.has(needed):
                self._missing(needed, properties.get(needed), spot)
        if isinstance(value, Constant):
            return Constant({n: v.value for n, v in fitted.items() if isinstance(v, Constant)})
        return Fields(tuple(fitted.items()))

    def _list(self, value: Value, items: list[Value], schema: Schema, spot: _Spot) -> Value:
        inner = schema.get("items")
        count = len(items)
        fitted = [self.fit(item, inner, spot.item(at, count)) for at, item in enumerate(items)]
        self._between(count, ("minItems", "maxItems"), schema, spot, f"has {count} items")
        if isinstance(value, Constant):
            return Constant([item.value for item in fitted if isinstance(item, Constant)])
        return Items(tuple(fitted))

    def _scalar(self, value: Value, schema: Schema, spot: _Spot) -> Value:
        if not isinstance(value, Constant):
            self._kind(show(type_of(value)), schema, spot)
            return value
        plain = value.value
        is_number = isinstance(plain, int | float) and not isinstance(plain, bool)
        if is_number and schemas.only_text(schema) and isinstance(spot.node, Scalar):
            # The text of what an expression came to is the expression's, not the number's.
            plain = plain if isinstance(spot.node.value, str) else spot.node.text
            value = Constant(plain)
        if schemas.fits(plain, schema):
            self._limits(plain, schema, spot)
        else:
            self._kind(schemas.shown(plain), schema, spot, _reading(plain))
        return value

    def _limits(self, plain: Json, schema: Schema, spot: _Spot) -> None:
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        quoted = schemas.shown(plain)
        if isinstance(values, list) and plain not in values:
            words = [str(word) for word in values]
            advice = suggestion(str(plain), words, "one of") or listed(words)
            advice = _reading(plain) or advice
            self._wrong(spot.span, f"{self._called(spot)} cannot be {quoted}", advice)
            return
        pattern = schema.get("pattern")
        is_text = isinstance(plain, str)
        if isinstance(plain, str) and isinstance(pattern, str):
            if not schemas.matches(pattern, plain):
                message = f"{self._called(spot)} is {quoted}, which is not of the form wanted"
                self._wrong(spot.span, message, f"it has to match `{pattern}`")
            return
        number = len(plain) if isinstance(plain, str) else plain
        if isinstance(number, int | float) and not isinstance(number, bool):
            words_ = ("minLength", "maxLength") if is_text else ("minimum", "maximum")
            unit = " characters" if is_text else ""
            self._between(number, words_, schema, spot, f"is {quoted}", unit)

    def _between(
        self,
        number: float,
        words: tuple[str, str],
        schema: Schema,
        spot: _Spot,
        said: str,
        unit: str = "",
    ) -> None:
        least, most = schema.get(words[0]), schema.get(words[1])
        if isinstance(least, int | float) and number < least:
            self._wrong(spot.span, f"{self._called(spot)} {said}", f"at least {least}{unit}")
        if isinstance(most, int | float) and number > most:
            self._wrong(spot.span, f"{self._called(spot)} {said}", f"at most {most}{unit}")

    # -- messages

    def _called(self, spot: _Spot) -> str:
        return f"{self._taker.word} '{spot.path}'" if spot.path else self._taker.whole

    def _unknown(
        self, name: str, key: Span, properties: dict[str, Json], spot: _Spot
    ) -> str | None:
        """Report a name that is not taken; return the one it is most likely a slip of."""
        where = f" in '{spot.path}'" if spot.path else ""
        self._context.diagnostics.error(
            self._taker.codes[0],
            key,
            f"{self._taker.name} takes no {self._taker.word} '{name}'{where}",
            help=suggestion(name, properties, "it takes") or "leave it out: it takes none",
        )
        return nearest(name, properties)

    def _missing(self, name: str, schema: Json, spot: _Spot) -> None:
        where = f" in '{spot.path}'" if spot.path else ""
        wanted = show(self._type(schemas.resolved(schema, self._root) or {}))
        shown = "" if wanted == "anything" else f" ({wanted})"
        why = self._taker.lacking.get(name)
        because = "" if why is None or spot.path else f"{why}: give it a default in `inputs`, or "
        self._context.diagnostics.error(
            self._taker.codes[1],
            spot.key,
            f"{self._taker.name} needs the {self._taker.word} '{name}'{where}",
            help=f"{because}add `{name}: ...`{shown}",
        )

    def _kind(self, quoted: str, schema: Schema, spot: _Spot, advice: str | None = None) -> None:
        wanted = schemas.wanted(schema)
        message = f"{self._called(spot)} is {quoted}, {self._taker.takes(wanted)}"
        self._wrong(spot.span, message, advice or schemas.instead(quoted, schema))

    def _wrong(self, span: Span, message: str, advice: str | None) -> None:
        self._context.diagnostics.error(self._taker.codes[2], span, message, help=advice)


def _reading(plain: Json) -> str | None:
    """Return how to read what a text names that was all but certainly meant as an expression."""
    meant = isinstance(plain, str) and _PATH.fullmatch(plain)
    return f"write ${{{{ {plain} }}}}" if meant else None


def _fields(value: Value) -> dict[str, Value] | None:
    match value:
        case Fields(items=items):
            return dict(items)
        case Constant(value=dict() as plain):
            return {name: Constant(inner) for name, inner in plain.items()}
        case _:
            return None


def _items(value: Value) -> list[Value] | None:
    match value:
        case Items(items=items):
            return list(items)
        case Constant(value=list() as plain):
            return [Constant(inner) for inner in plain]
        case _:
            return None
