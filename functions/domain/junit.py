"""Results of tests in the form most test runners can write: JUnit's XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

MOST_BYTES = 20_971_520
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Results:
    """How many tests there were, and what is wrong with those that failed."""

    tests: int = 0
    skipped: int = 0
    failed: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> int:
        """Return how many passed."""
        return self.tests - self.skipped - len(self.failed)

    def __add__(self, other: Results) -> Results:
        return Results(
            self.tests + other.tests, self.skipped + other.skipped, self.failed + other.failed
        )


def parse(text: bytes) -> Results:
    """Return the results in a report; raises ValueError where it is none.

    A document type is refused: no test runner writes one, and entities can grow without end.
    """
    if len(text) > MOST_BYTES:
        raise ValueError(f"the report of the tests is larger than {MOST_BYTES} bytes")
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise ValueError("the report of the tests has a document type of its own")
    try:
        root = ET.fromstring(text)  # noqa: S314 (no document type, hence no entities)
    except ET.ParseError as error:
        raise ValueError(f"the report of the tests is no XML: {error}") from None
    if root.tag not in ("testsuites", "testsuite"):
        raise ValueError(f"the report of the tests begins with '{root.tag}', not a suite of tests")
    tests = skipped = 0
    failed: list[str] = []
    for case in root.iter("testcase"):
        tests += 1
        problem = case.find("failure")
        problem = case.find("error") if problem is None else problem
        if problem is not None:
            failed.append(_told(case, problem))
        elif case.find("skipped") is not None:
            skipped += 1
    return Results(tests, skipped, tuple(failed))


def _told(case: ET.Element, problem: ET.Element) -> str:
    """Return `TestLogin.test_redirects: what it says`, as one line."""
    group = case.get("classname", "").rpartition(".")[2]
    name = ".".join(filter(None, (group, case.get("name", ""))))
    said = problem.get("message") or next(iter((problem.text or "").strip().splitlines()), "")
    line = " ".join(said.split())[:_LONGEST]
    return f"{name}: {line}" if line else name
