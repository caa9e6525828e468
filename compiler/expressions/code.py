"""Pieces of JSONata with what is known about them, and how they are put together.

Facts of JSONata 2.0.6 used here (measured on its reference implementation): `=` and `!=` with an
undefined side are false, `&` takes undefined as the empty text, a test in `?:`, `and` and `or`
casts any value without failing, and undefined counts as false there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Protocol

from compiler.expressions.syntax import Ref
from compiler.expressions.types import BOOLEAN, NULL, Type, kinds, may_be_null, optional

LOWEST, CHOICE, OR, AND, COMPARE, CONCAT, ATOM = 0, 20, 25, 30, 40, 50, 100
"""How strongly the outermost operator of a piece binds, as in JSONata's own parser."""

_PATH = re.compile(r"\$[A-Za-z]\w*(?:\.(?:\w+|`[^`]+`)|\[\d+\])*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Code:
    """JSONata with what it gives: `type` is true of every value it has.

    What `emit` gives is never missing. A resolver may give code that can be missing (undefined);
    its `type` then speaks of the value where there is one.
    """

    text: str
    may_be_missing: bool
    type: Type
    binding: int = field(default=LOWEST, compare=False)

    def operand(self) -> str:
        """Return the text so that any operator can be put beside it."""
        return parenthesised(self.text, self.binding, ATOM)


class Resolver(Protocol):
    """Where the values of contexts are found; given by the pass that lays out variables."""

    def ref(self, ref: Ref) -> tuple[Code, int]:
        """Return JSONata for the longest part of a path it knows, from the root on.

        The number says how many of `ref.path` (at least 1, the root) the code stands for; the
        other accessors are added here, guarded. Text like `$a.b[0]` is best: it may be
        repeated. A local variable must not be `$v` followed by digits.
        """
        ...

    def status(self, name: str) -> str:
        """Return JSONata giving true or false for `success`, `failure`, `always`, `cancelled`."""
        ...


@dataclass(frozen=True, slots=True)
class Value:
    """JSONata on the way: undefined if `missing`, and of no meaning unless all `guards` hold.

    A value whose guards do not hold is missing. Guards are JSONata comparisons that never fail.
    `pure` text may be repeated.
    """

    text: str
    type: Type
    binding: int = ATOM
    missing: bool = False
    guards: tuple[str, ...] = ()
    pure: bool = False

    @property
    def may_be_absent(self) -> bool:
        """Whether the text may be undefined, or a guard fail."""
        return self.missing or bool(self.guards)

    @property
    def may_be_null(self) -> bool:
        """Whether the value may be null in the language's sense, missing included."""
        return self.may_be_absent or may_be_null(self.type)

    def is_only(self, kind: str) -> bool:
        """Whether the value is always there and of this kind."""
        return not self.may_be_absent and kinds(self.type) == {kind}

    def at(self, binding: int) -> str:
        """Return the text as an operand of an operator that binds so strongly."""
        return parenthesised(self.text, self.binding, binding)


NULL_VALUE = Value("null", NULL, pure=True)


@dataclass(frozen=True, slots=True)
class Truth:
    """JSONata as a test; unless `exact` it may be of any type, or undefined, and needs a cast."""

    text: str
    binding: int = COMPARE
    exact: bool = True
    opposite: Truth | None = field(default=None, compare=False)

    def at(self, binding: int) -> str:
        """Return the text as an operand of an operator that binds so strongly."""
        return parenthesised(self.text, self.binding, binding)


TRUE, FALSE = Truth("true", ATOM), Truth("false", ATOM)


def parenthesised(text: str, binding: int, wanted: int) -> str:
    """Return the text, in parentheses if it binds less strongly than wanted."""
    return text if binding >= wanted else f"({text})"


def is_path(text: str) -> bool:
    """Whether JSONata is a variable with plain steps, which may be repeated."""
    return _PATH.fullmatch(text) is not None


def from_code(code: Code) -> Value:
    """Return a resolver's code as a value."""
    if is_path(code.text):
        return Value(code.text, code.type, ATOM, code.may_be_missing, pure=True)
    return Value(code.text, code.type, code.binding, code.may_be_missing)


def both(tests: list[Truth]) -> Truth:
    """Return the test that holds if all of `tests` hold; constants are folded."""
    left = [test for test in tests if test != TRUE]
    if FALSE in left:
        return FALSE
    if len(left) <= 1:
        return left[0] if left else TRUE
    return Truth(" and ".join(test.at(AND) for test in left), AND)


def either(tests: list[Truth]) -> Truth:
    """Return the test that holds if one of `tests` holds; constants are folded."""
    left = [test for test in tests if test != FALSE]
    if TRUE in left:
        return TRUE
    if len(left) <= 1:
        return left[0] if left else FALSE
    return Truth(" or ".join(test.at(OR) for test in left), OR)


def guarded(guards: tuple[str, ...], test: Truth) -> Truth:
    """Return the test that holds if the guards and then `test` hold."""
    return both([*(Truth(guard) for guard in guards), test])


def negate(test: Truth) -> Truth:
    """Return the opposite of a test."""
    if test == TRUE:
        return FALSE
    if test == FALSE:
        return TRUE
    if test.opposite is not None:
        return replace(test.opposite, opposite=test)
    if test.exact:
        return Truth(f"$not({test.text})", ATOM, opposite=test)
    return Truth(f"{test.at(OR)} ? false : true", CHOICE, opposite=test)


def boolean(test: Truth) -> Value:
    """Return a test as a value that is true or false and nothing else."""
    if test.exact:
        return Value(test.text, BOOLEAN, test.binding, pure=test in (TRUE, FALSE))
    return Value(f"$boolean({test.text}) = true", BOOLEAN, COMPARE)


def choose(test: Truth, yes: Value, no: Value, type_: Type) -> Value:
    """Return `test ? yes : no`; both must be free of guards."""
    if test in (TRUE, FALSE):
        return replace(yes if test == TRUE else no, type=type_)
    text = f"{test.at(OR)} ? {yes.at(OR)} : {no.text}"
    return Value(text, type_, CHOICE, yes.missing or no.missing)


def settled(value: Value) -> Value:
    """Return the value without guards: undefined where they do not hold."""
    if not value.guards:
        return value
    test = guarded(value.guards[:-1], Truth(value.guards[-1]))
    return Value(f"{test.at(OR)} ? {value.at(OR)}", value.type, CHOICE, missing=True)


def total(value: Value) -> Value:
    """Return a pure value so that it is never missing but null instead."""
    if not value.may_be_absent:
        return value
    exists = (Truth(f"$exists({value.text})", ATOM),) if value.missing else ()
    test = both([*(Truth(guard) for guard in value.guards), *exists])
    return Value(f"{test.at(OR)} ? {value.text} : null", optional(value.type), CHOICE)
