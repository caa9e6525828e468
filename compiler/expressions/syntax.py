"""The expressions of the language as values: what stands between `${{` and `}}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from compiler.source import Span

At: TypeAlias = Callable[[int, int], Span]


class Place(NamedTuple):
    """Characters `start` to `end` of an expression's text; its span is worked out on demand."""

    start: int
    end: int
    at: At = Span

    @property
    def span(self) -> Span:
        """Where the characters stand in the source."""
        return self.at(self.start, self.end)

    def to(self, other: Place) -> Place:
        """Return the place from the start of this one to the end of `other`."""
        return Place(self.start, other.end, self.at)


NOWHERE = Place(0, 0)
"""The place of expressions that no author wrote."""

_CONSTANT = (str, int)
"""The types of keys that are no expressions."""


class _Located:
    __slots__ = ()
    place: Place

    @property
    def span(self) -> Span:
        """Where this part of the expression stands in the source."""
        return self.place.span


@dataclass(frozen=True, slots=True)
class Literal(_Located):
    """`null`, `true`, `false`, a number or a quoted text; or a path whose value is known."""

    value: None | bool | int | float | str
    place: Place = field(default=NOWHERE, compare=False, repr=False)
    known_from: Ref | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Part(_Located):
    """One piece of a path: a name, an index, or an expression in brackets."""

    key: str | int | Expr
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Ref(_Located):
    """A context and what is read from it: `steps.build.outputs.x`, `inputs['a-b'].list[0]`.

    The first part is the context's name, a text; the others are accessors.
    """

    path: tuple[Part, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    @property
    def root(self) -> str:
        """The context's name."""
        key = self.path[0].key
        assert isinstance(key, str)
        return key

    @property
    def keys(self) -> tuple[str | int, ...]:
        """The constant keys after the root, up to the first that is computed."""
        keys: list[str | int] = []
        for part in self.path[1:]:
            if not isinstance(part.key, _CONSTANT):
                break
            keys.append(part.key)
        return tuple(keys)


@dataclass(frozen=True, slots=True)
class Index(_Located):
    """Access on something that is no path: `fromJSON(x).name`, `(a || b)[0]`."""

    base: Expr
    key: Expr
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not(_Located):
    """`!operand`."""

    operand: Expr
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary(_Located):
    """`left op right`; `op` is one of `== != < <= > >= && ||`."""

    op: str
    left: Expr
    right: Expr
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call(_Located):
    """`name(args)`; the name is one of `compiler.expressions.functions`."""

    name: str
    args: tuple[Expr, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Expr: TypeAlias = "Literal | Ref | Index | Not | Binary | Call"


@dataclass(frozen=True, slots=True)
class Constant:
    """Text without any expression."""

    text: str


@dataclass(frozen=True, slots=True)
class Single:
    """Text that is one expression and nothing else: the value keeps its type."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Joined:
    """Texts and expressions in turn, joined to one text."""

    parts: tuple[str | Expr, ...]


Template: TypeAlias = "Constant | Single | Joined"


def constant_key(key: Expr) -> str | int | Expr:
    """Return the name or place that a key in brackets is, or the key itself if it is computed."""
    if isinstance(key, Literal):
        value = key.value
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return value
    return key


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the expressions directly inside `expr`, in the order written."""
    match expr:
        case Literal():
            return ()
        case Ref(path=path):
            return tuple([part.key for part in path if not isinstance(part.key, _CONSTANT)])
        case Index(base=base, key=key):
            return (base, key)
        case Not(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Call(args=args):
            return args


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield `expr` and every expression inside it, outer ones first."""
    stack: list[Expr] = [expr]
    while stack:
        here = stack.pop()
        yield here
        inner = children(here)
        if inner:
            stack.extend(reversed(inner))


def references(expr: Expr) -> tuple[Ref, ...]:
    """Return every path that `expr` reads, those inside brackets of others included."""
    if isinstance(expr, Ref) and not children(expr):
        return (expr,)
    return tuple([inner for inner in walk(expr) if isinstance(inner, Ref)])


STATUS_FUNCTIONS = frozenset({"success", "failure", "always", "cancelled"})


def status_functions(expr: Expr) -> frozenset[str]:
    """Return the names of the status functions that stand anywhere in `expr`."""
    if isinstance(expr, Ref) and not children(expr):
        return frozenset()
    calls = [inner.name for inner in walk(expr) if isinstance(inner, Call)]
    return STATUS_FUNCTIONS.intersection(calls)


def expressions(template: Template) -> tuple[Expr, ...]:
    """Return the expressions of a template, in the order written."""
    match template:
        case Constant():
            return ()
        case Single(expr=expr):
            return (expr,)
        case Joined(parts=parts):
            return tuple(part for part in parts if not isinstance(part, str))
