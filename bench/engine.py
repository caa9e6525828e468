"""How long local runs take, beside a run of the same machine on moto as it comes.

    python -m bench.engine [ROUNDS]

Each is a process of its own, its start included; the fastest of the rounds counts. Ours compiles
the workflow and stores results, the bare one does neither. Exits 1 where a limit is passed or
ours takes more than 1.3 times as long.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST = 1.3
ROUNDS = 3
STEPS = 200
APPROVAL = """
name: approval
steps:
  - id: review
    type: manual
    title: Release it?
    assignees: [ada@example.com]
    timeout: 72h
    on_timeout: continue
    escalations:
      - {after: 24h, notify: [ada@example.com], message: one day}
      - {after: 48h, notify: [ada@example.com], message: two days}
      - {after: 60h, notify: [ada@example.com], message: the last hours}
"""
CHAIN = "name: chain\nsteps:\n" + "".join(
    f"  - {{id: s{number}, runner: lambda, run: 'true'}}\n" for number in range(STEPS)
)
ONE = "name: one\nsteps:\n  - {id: only, runner: lambda, run: 'true'}\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A workflow to time; `limit` is what it may take in seconds, its start included."""

    name: str
    text: str
    limit: float
    is_stubbed: bool = False


CASES = (
    Case("72 hours of approval, three escalations", APPROVAL, 3.0),
    Case(f"{STEPS} steps, stubbed, one after the other", CHAIN, 6.0, is_stubbed=True),
    Case("stepsmith run of one step", ONE, 2.0),
)


def main(arguments: Sequence[str]) -> int:
    """Time all cases and print them; return the exit code."""
    if arguments and arguments[0] == "stubbed":
        return stubbed(Path(arguments[1]))
    bad = False
    for case, ours, bare in measured(int(arguments[0]) if arguments else ROUNDS):
        ratio = ours / bare
        passed = ours > case.limit or ratio > MOST
        bad = bad or passed
        print(
            f"{'no' if passed else 'ok'}  {case.name:<44} {ours:5.2f} s (at most "
            f"{case.limit:g}), bare moto {bare:5.2f} s, ratio {ratio:4.2f}"
        )
    return 1 if bad else 0


def measured(rounds: int, cases: Sequence[Case] = CASES) -> Iterator[tuple[Case, float, float]]:
    """Yield each case with our shortest time and that of bare moto, in seconds."""
    with tempfile.TemporaryDirectory(prefix="stepsmith-bench-") as folder:
        for number, case in enumerate(cases):
            file = Path(folder) / f"{number}.yaml"
            file.write_text(case.text, encoding="utf-8")
            bare_file = file.with_suffix(".json")
            bare_file.write_text(json.dumps(machine_of(file)), encoding="utf-8")
            yield case, *timed(_ours(case, file), ["-m", "bench.bare", str(bare_file)], rounds)


def _ours(case: Case, file: Path) -> list[str]:
    if case.is_stubbed:
        return ["-m", "bench.engine", "stubbed", str(file)]
    return ["-c", "from cli.main import entry; entry()", "run", str(file), "--format", "json"]


def timed(ours: list[str], bare: list[str], rounds: int) -> tuple[float, float]:
    """Return the shortest times of two Python programs run in turns, in seconds."""
    pairs = [(_seconds(ours), _seconds(bare)) for _ in range(rounds)]
    return min(one for one, _ in pairs), min(other for _, other in pairs)


def _seconds(program: list[str]) -> float:
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *program], capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    if done.returncode != 0 or "FAILED" in done.stdout:
        raise RuntimeError(f"{program} ended badly:\n{done.stdout}\n{done.stderr}")
    return took


def machine_of(file: Path) -> dict[str, Any]:
    """Return a workflow's machine as a bare engine takes it."""
    from cli.project.compile_file import compile_path
    from local.engine import function_arn

    program = compile_path(file)
    text = json.dumps(program.machines[program.workflow])
    for name in ("action:run", "tasks", "latches"):
        text = text.replace("${" + name + "}", function_arn(name.replace(":", "-")))
    given = {"inputs": {}, "run": {"id": "r", "attempt": 1, "started_by": None}}
    return {"definition": json.loads(text), "input": given}


def stubbed(file: Path) -> int:
    """Run a workflow with a stub for each step; return the exit code."""
    from cli.project.compile_file import compile_path
    from local.record import build
    from local.stubs import Stub
    from local.workflow import Request, run_workflow
    from protocol.payloads import MachineInput

    program = compile_path(file)
    given: MachineInput = {"inputs": {}, "run": {"id": "r", "attempt": 1, "started_by": None}}
    stubs = {step: Stub(takes=1.0) for step in program.rules}
    ran = run_workflow(Request(program.machines, program.workflow, given, stubs=stubs))
    print(json.dumps(build(ran, program)))
    return 0 if ran.finished.status == "SUCCEEDED" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
