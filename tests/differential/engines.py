"""The two JSONata engines that emitted code must agree on, asked one expression at a time."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from local.evaluator import EvaluationError, evaluate
from protocol.evaluate import Json

_ROOT = Path(__file__).parents[2]
_PACKAGE = _ROOT / "node_modules" / "jsonata"
_SCRIPT = Path(__file__).with_name("jsonata_lines.js")
_NOW = datetime(2026, 1, 1, tzinfo=UTC)

_NO_CODE = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|(?<=[(,] )/(?:\\.|[^\\/])+/|`[^`]*`")
_FORBIDDEN = re.compile(r"\?\?|\?:|\$\$|\$(?![A-Za-z])|\$eval\b|\{%|%\}")


@dataclass(frozen=True, slots=True)
class Failed:
    """What an engine says instead of a value."""

    message: str


def refused_by_step_functions(code: str) -> str | None:
    """Return what in JSONata code Step Functions refuses when a state machine is created."""
    found = _FORBIDDEN.search(_NO_CODE.sub("''", code))
    return None if found is None else found[0]


class Reference:
    """Reference JSONata 2.0.6 in one node process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["node", str(_SCRIPT), str(_PACKAGE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def evaluate(self, code: str, variables: Mapping[str, Json]) -> Json | Failed:
        """Return the value of an expression, or Failed."""
        assert self._process.stdin
        assert self._process.stdout
        request = json.dumps({"expression": code, "variables": variables})
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        value: Json = answer.get("value")
        return value if "value" in answer else Failed(answer["error"])

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


def reference() -> Reference:
    """Return the reference engine; without its package tests are skipped, but not in CI."""
    if not _PACKAGE.is_dir() and "CI" not in os.environ:
        pytest.skip("node_modules/jsonata is missing: run `make setup`")
    return Reference()


class Local:
    """The engine of local runs: jsonata-python, repaired."""

    def evaluate(self, code: str, variables: Mapping[str, Json]) -> Json | Failed:
        """Return the value of an expression, or Failed."""
        try:
            return evaluate(code, variables, {}, _NOW)
        except EvaluationError as error:
            return Failed(str(error))
