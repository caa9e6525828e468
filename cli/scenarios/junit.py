"""Played scenarios as JUnit XML, which CI systems read.

https://github.com/testmoapp/junitxml describes what they have in common.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree as ET

from cli.scenarios.cases import Case, Played, Scenario
from cli.scenarios.text import sentence
from compiler.diagnostics import Diagnostic

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write. https://www.w3.org/TR/xml/#charsets"""


class JUnitReport:
    """Writes one document at the end: a suite a file, a test case a case."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._suites: dict[str, list[ET.Element]] = {}

    def broken(self, path: Path, diagnostics: Sequence[Diagnostic]) -> None:
        """Take note of a file that cannot be played."""
        case = ET.Element("testcase", name="the file can be played", classname=_text(str(path)))
        lines = [_line(one) for one in diagnostics] or ["its workflow has mistakes"]
        error = ET.SubElement(case, "error", message=_text(lines[0]), type="invalid")
        error.text = _text("\n".join(lines))
        self._suites.setdefault(str(path), []).append(case)

    def began(self, scenario: Scenario) -> None:
        """Take note that the cases of a file begin."""
        self._suites.setdefault(scenario.source.name, [])

    def played(self, scenario: Scenario, played: Played, seconds: float) -> None:
        """Take note of a case that was played."""
        case = self._case(scenario, played.case, seconds)
        if played.passed:
            return
        lines = []
        for one in played.differences:
            line = scenario.source.line_column(one.expected.span.start)[0]
            lines.append(f"{scenario.source.name}:{line}: {sentence(one)}")
            lines += [] if one.hint is None else [f"  {one.hint}"]
        lines += [f"note: {remark}" for remark in played.remarks]
        message = _text(sentence(played.differences[0]))
        failure = ET.SubElement(case, "failure", message=message, type="difference")
        failure.text = _text("\n".join(lines))

    def faulted(self, scenario: Scenario, case: Case, fault: str, seconds: float) -> None:
        """Take note of a case that the engine could not carry out."""
        element = self._case(scenario, case, seconds)
        ET.SubElement(element, "error", message=_text(fault), type="fault")

    def end(self) -> None:
        """Write the document."""
        root = ET.Element("testsuites", name="stepsmith")
        for name, cases in self._suites.items():
            suite = ET.SubElement(root, "testsuite", {"name": _text(name), **_sums(cases)})
            suite.extend(cases)
        every = [case for cases in self._suites.values() for case in cases]
        root.attrib.update(_sums(every))
        ET.indent(root)
        text = ET.tostring(root, encoding="unicode")
        self._stream.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')

    def _case(self, scenario: Scenario, case: Case, seconds: float) -> ET.Element:
        name = scenario.source.name
        element = ET.Element(
            "testcase",
            name=_text(case.name),
            classname=_text(name),
            file=_text(name),
            line=str(scenario.source.line_column(case.span.start)[0]),
            time=f"{seconds:.3f}",
        )
        self._suites.setdefault(name, []).append(element)
        return element


def _sums(cases: Sequence[ET.Element]) -> dict[str, str]:
    seconds = sum(float(case.get("time", "0")) for case in cases)
    return {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
        "time": f"{seconds:.3f}",
    }


def _line(found: Diagnostic) -> str:
    line, column = found.source.line_column(found.span.start)
    return f"{found.source.name}:{line}:{column}: {found.severity}[{found.code}]: {found.message}"


def _text(text: str) -> str:
    return _NOT_XML.sub("�", text)
