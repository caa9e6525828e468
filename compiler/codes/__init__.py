"""The diagnostic codes, one table a pass; `compiler.catalog` joins them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of diagnostic: `stepsmith explain SLUG` prints it, tests run its two examples.

    `wrong` is a whole small workflow file that gives this code (exactly this one, unless a
    second cannot be avoided); `right` is the same file mended, and gives none.
    """

    slug: str
    title: str
    explanation: str
    wrong: str
    right: str
