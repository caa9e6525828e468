"""Expressions: parsed, typed, and compiled to JSONata; knows nothing of YAML."""

from __future__ import annotations

from compiler.expressions.infer import infer, shown
from compiler.expressions.parser import parse
from compiler.expressions.syntax import (
    Binary,
    Call,
    Constant,
    Expr,
    Index,
    Joined,
    Literal,
    Not,
    Part,
    Place,
    Ref,
    Single,
    Template,
    expressions,
    references,
    status_functions,
    walk,
)
from compiler.expressions.templates import parse_condition, parse_template

__all__ = [
    "Binary",
    "Call",
    "Constant",
    "Expr",
    "Index",
    "Joined",
    "Literal",
    "Not",
    "Part",
    "Place",
    "Ref",
    "Single",
    "Template",
    "expressions",
    "infer",
    "parse",
    "parse_condition",
    "parse_template",
    "references",
    "shown",
    "status_functions",
    "walk",
]
