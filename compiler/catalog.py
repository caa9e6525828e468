"""Every diagnostic code, by its slug."""

from __future__ import annotations

from compiler.codes import Code, check, document, expressions, plan, spec

CATALOG: dict[str, Code] = {
    code.slug: code
    for table in (document.CODES, spec.CODES, expressions.CODES, check.CODES, plan.CODES)
    for code in table
}
