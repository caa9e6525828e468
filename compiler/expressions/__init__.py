"""Expressions: parsed, typed, and compiled to JSONata; knows nothing of YAML."""

from __future__ import annotations

from compiler.expressions.code import Code, Resolver
from compiler.expressions.infer import infer, shown
from compiler.expressions.jsonata import emit, emit_condition, emit_template, template_field
from compiler.expressions.parser import parse
from compiler.expressions.portable import template_to_portable, to_portable
from compiler.expressions.quoting import literal
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
    "Code",
    "Constant",
    "Expr",
    "Index",
    "Joined",
    "Literal",
    "Not",
    "Part",
    "Place",
    "Ref",
    "Resolver",
    "Single",
    "Template",
    "emit",
    "emit_condition",
    "emit_template",
    "expressions",
    "infer",
    "literal",
    "parse",
    "parse_condition",
    "parse_template",
    "references",
    "shown",
    "status_functions",
    "template_field",
    "template_to_portable",
    "to_portable",
    "walk",
]
