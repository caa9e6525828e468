"""Expressions and the documents they read, as odd as JSON allows."""

from __future__ import annotations

import json
import string
from dataclasses import dataclass

from hypothesis import strategies as st

from compiler.expressions import Binary, Call, Expr, Index, Literal, Not, Part, Ref
from compiler.expressions.jsonata import Code
from compiler.expressions.quoting import Json
from compiler.expressions.types import (
    BOOLEAN,
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Null,
    Record,
    Type,
    Union,
    join,
    optional,
)

TEXTS = st.sampled_from(
    [
        *("", "a", "b", "false", "true", "0", "{% $x %}", "${Token}", "it's", 'say "x"', "\\"),
        *("a\\n", "line\nbreak", "tab\t\x00", "é😀", "$v1", "`", "\u2028", "/* x */", "a,b"),
        *("%}", "{{", '{"a":[1,{"b":null}]}', "[]", "-1.50e2", "nul", '"x', "[1,]", '{"a":1,}'),
        *(" 1 ", "01"),
    ]
) | st.text(string.printable, max_size=4)
KEYS = st.sampled_from(["a", "b"]) | st.sampled_from(
    [
        *("a", "b", "c", "image-tag", "a b", "and", "null", "true", "é", "", "`", "$x", "${x}"),
        *("constructor", "toString", "__proto__", "length", "sequence", "'", '"', "a.b", "v1"),
    ]
)
NUMBERS = (
    st.sampled_from([0, 1, 2, -1, 1.5, 0.1, 503, 1e21, 1e-7, 123456789012345, 2**53 - 1])
    | st.integers(-3, 3)
    | st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: number or 0)
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
JSON: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)

_SIMPLE: list[Type] = [TEXT, NUMBER, BOOLEAN, UNKNOWN]
TYPES: st.SearchStrategy[Type] = st.recursive(
    st.sampled_from(_SIMPLE),
    lambda inner: (
        st.builds(ListOf, inner)
        | st.builds(Record, st.dictionaries(KEYS, inner, max_size=3), st.booleans())
        | st.builds(optional, inner)
        | st.builds(join, inner, inner)
    ),
    max_leaves=4,
)


def values_of(type_: Type) -> st.SearchStrategy[Json]:
    """Return values of a type; a member that may be null may also be missing."""
    match type_:
        case Union(options=options):
            return st.one_of(*map(values_of, options))
        case ListOf(item=item):
            return st.lists(values_of(item), max_size=2)
        case Record(fields=fields, open=is_open):
            needed = {name: inner for name, inner in fields.items() if not _may_miss(inner)}
            others = {name: inner for name, inner in fields.items() if _may_miss(inner)}
            known = st.fixed_dictionaries(
                {name: values_of(inner) for name, inner in needed.items()},
                optional={name: values_of(inner) for name, inner in others.items()},
            )
            if not is_open:
                return known
            more = st.dictionaries(KEYS.filter(lambda key: key not in fields), JSON, max_size=2)
            return st.tuples(more, known).map(lambda both: {**both[0], **both[1]})
        case _:
            simple: dict[Type, st.SearchStrategy[Json]] = {
                TEXT: TEXTS,
                NUMBER: NUMBERS,
                BOOLEAN: st.booleans(),
                UNKNOWN: JSON,
            }
            return simple.get(type_, st.none())


def _may_miss(type_: Type) -> bool:
    return type_ == UNKNOWN or any(
        isinstance(option, Null) for option in getattr(type_, "options", (type_,))
    )


@dataclass(frozen=True)
class Document:
    """Contexts with their types and values, and what the status functions give."""

    types: dict[str, Type]
    values: dict[str, Json]
    statuses: dict[str, bool]

    def ref(self, ref: Ref) -> tuple[Code, int]:
        """Resolve a path as the compiler does: the root is one variable."""
        type_ = self.types[ref.root]
        return Code(f"$c_{ref.root}", _may_miss(type_), type_), 1

    def status(self, name: str) -> str:
        """Give a status function as a variable, always() and cancelled() as constants."""
        constants = {"always": "true", "cancelled": "false"}
        return constants.get(name, f"$status.{name} = true and 1 = 1")

    @property
    def variables(self) -> dict[str, Json]:
        """The variables that the emitted code reads."""
        contexts: dict[str, Json] = {f"c_{name}": value for name, value in self.values.items()}
        return {**contexts, "status": dict(self.statuses)}


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Contexts `event` (anything), `inputs` (a record) and `item` (of some type)."""
    inputs: dict[str, Type] = {"a": draw(TYPES), "image-tag": draw(TYPES), "b": draw(TYPES)}
    types: dict[str, Type] = {
        "event": UNKNOWN,
        "inputs": Record(inputs),
        "item": draw(TYPES),
    }
    values = {name: draw(values_of(type_)) for name, type_ in types.items()}
    missing = [name for name, type_ in types.items() if _may_miss(type_)]
    for name in draw(st.sets(st.sampled_from(missing), max_size=1)) if missing else ():
        del values[name]
    bad = draw(st.booleans())
    statuses = {"success": not bad, "failure": bad, "always": True, "cancelled": False}
    return Document(types, values, statuses)


def _literal(value: Json) -> Literal:
    """Return a literal as the parser gives it: a whole number has no point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return Literal(value)


_LITERALS = SCALARS.map(_literal)
_ROOTS = st.sampled_from(["event", "inputs", "item"]).map(Part)
_PLACES = st.integers(-1, 2)
_STATUS = st.sampled_from(["success", "failure", "always", "cancelled"]).map(
    lambda name: Call(name, ())
)


def _paths(keys: st.SearchStrategy[Part]) -> st.SearchStrategy[Expr]:
    return st.builds(
        lambda root, rest: Ref((root, *rest)), _ROOTS, st.lists(keys, min_size=0, max_size=3)
    )


_CONSTANT_PARTS = (KEYS | st.sampled_from(["a", "b", "image-tag"]) | _PLACES).map(Part)


def _composed(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    parts = _CONSTANT_PARTS | inner.filter(lambda key: not isinstance(key, Literal)).map(Part)
    operators = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "&&", "||", "&&", "||"])
    bases = inner.filter(lambda base: not isinstance(base, Ref))
    one, two = (
        st.sampled_from(["toJSON", "fromJSON", "length", "keys", "join"]),
        st.sampled_from(["contains", "startsWith", "endsWith", "join", "coalesce"]),
    )
    patterns = st.sampled_from(["{0}", "{0} x {1}", "{{{1}}}{0}{0}", "it's", ""]).map(Literal)
    return st.one_of(
        _paths(parts),
        st.builds(Index, bases, (KEYS | _PLACES).map(Literal) | inner),
        st.builds(Not, inner),
        st.builds(Binary, operators, inner, inner),
        st.builds(lambda name, arg: Call(name, (arg,)), one, inner),
        st.builds(lambda name, a, b: Call(name, (a, b)), two, inner, inner),
        st.builds(lambda pattern, a, b: Call("format", (pattern, a, b)), patterns, inner, inner),
    )


EXPRESSIONS: st.SearchStrategy[Expr] = st.recursive(
    _LITERALS | _paths(_CONSTANT_PARTS) | _STATUS, _composed, max_leaves=5
)


def written(expr: Expr) -> str:
    """Return the text that an expression is written as."""
    match expr:
        case Literal(value=str() as text):
            return "'" + text.replace("'", "''") + "'"
        case Literal(value=value):
            return json.dumps(value)
        case Ref(path=path):
            return str(path[0].key) + "".join(_bracket(part.key) for part in path[1:])
        case Index(base=base, key=key):
            return f"({written(base)})[{written(key)}]"
        case Not(operand=operand):
            return f"!({written(operand)})"
        case Binary(op=op, left=left, right=right):
            return f"({written(left)}) {op} ({written(right)})"
        case Call(name=name, args=args):
            return f"{name}({', '.join(map(written, args))})"


def _bracket(key: str | int | Expr) -> str:
    if isinstance(key, str | int):
        return f"[{written(Literal(key))}]"
    return f"[{written(key)}]"
