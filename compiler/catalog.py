"""Every diagnostic code, by its slug."""

from __future__ import annotations

from compiler.codes import Code, check, document, expressions, plan, shell, spec

_TABLES = (
    document.CODES,
    spec.CODES,
    expressions.CODES,
    check.CODES,
    shell.CODES,
    plan.CODES,
)

CATALOG: dict[str, Code] = {code.slug: code for table in _TABLES for code in table}
