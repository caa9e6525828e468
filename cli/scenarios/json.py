"""Played scenarios for programs; all of it is stable but the wording of messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from cli.output.json import as_json
from cli.scenarios.cases import Case, Difference, Played, Scenario
from cli.scenarios.text import sentence
from compiler.diagnostics import Diagnostic
from compiler.document.nodes import Json


class JsonReport:
    """Writes one object at the end: all files, their cases, what differs, and the records."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._cases: list[Mapping[str, object]] = []
        self._broken: list[Mapping[str, object]] = []

    def broken(self, path: Path, diagnostics: Sequence[Diagnostic]) -> None:
        """Take note of a file that cannot be played."""
        said = [as_json(one) for one in diagnostics]
        self._broken.append({"file": str(path), "diagnostics": said})

    def began(self, scenario: Scenario) -> None:
        """Take note that the cases of a file begin."""

    def played(self, scenario: Scenario, played: Played, seconds: float) -> None:
        """Take note of a case that was played."""
        self._cases.append(
            {
                **_named(scenario, played.case, seconds),
                "passed": played.passed,
                "differences": [_difference(scenario, one) for one in played.differences],
                "remarks": list(played.remarks),
                "fault": None,
                "takes": played.takes,
                "record": played.record,
            }
        )

    def faulted(self, scenario: Scenario, case: Case, fault: str, seconds: float) -> None:
        """Take note of a case that the engine could not carry out."""
        nothing: dict[str, object] = {"differences": [], "remarks": [], "takes": None}
        named = _named(scenario, case, seconds)
        self._cases.append({**named, "passed": False, **nothing, "fault": fault, "record": None})

    def end(self) -> None:
        """Write it all."""
        passed = sum(bool(one["passed"]) for one in self._cases)
        report = {
            "format": 1,
            "passed": passed,
            "failed": len(self._cases) - passed,
            "cases": self._cases,
            "not_played": self._broken,
        }
        self._stream.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")


def _named(scenario: Scenario, case: Case, seconds: float) -> dict[str, object]:
    return {
        "file": scenario.source.name,
        "workflow": scenario.workflow.as_posix(),
        "name": case.name,
        "line": scenario.source.line_column(case.span.start)[0],
        "seconds": round(seconds, 3),
    }


def _difference(scenario: Scenario, one: Difference) -> dict[str, Json]:
    line, column = scenario.source.line_column(one.expected.span.start)
    return {
        "subject": one.expected.subject,
        "step": one.expected.step,
        "expected": one.expected.value,
        "got": one.got,
        "message": sentence(one),
        "hint": one.hint,
        "line": line,
        "column": column,
    }
