"""Workflows compiled and run with stubs, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Any

from cli.project.compile_file import compile_path
from local.clock import Clock
from local.program import Program
from local.record import RunRecord, build
from local.stubs import Stub
from local.workflow import Ran, Request, run_workflow
from protocol.payloads import MachineInput

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def compiled(text: str, **others: str) -> Program:
    """Return a workflow, with other workflows of its project by the names of their files."""
    with TemporaryDirectory() as folder:
        workflows = Path(folder) / "workflows"
        workflows.mkdir()
        (Path(folder) / "stepsmith.yaml").write_text("stages: {local: {}}\n")
        for name, other in others.items():
            (workflows / f"{name}.yaml").write_text(dedent(other))
        file = workflows / "w.yaml"
        file.write_text(dedent(text))
        return compile_path(file)


def played(
    program: Program, stubs: Mapping[str, Stub], run: str = "r", **more: Any
) -> tuple[Ran, RunRecord]:
    """Run a program from the new year on; return the run and its record."""
    inputs = more.pop("inputs", {})
    given: MachineInput = {"inputs": inputs, "run": {"id": run, "attempt": 1}}
    request = Request(program.machines, program.workflow, given, stubs=stubs, **more)
    ran = run_workflow(request, clock=Clock(NEW_YEAR))
    return ran, build(ran, program)


def steps_of(record: RunRecord) -> dict[str, Any]:
    """Return a record's steps by id."""
    return {step["step_id"]: step for step in record["steps"]}
