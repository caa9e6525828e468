"""The local engine beside other engines that run the same machines on one's own machine."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import engine as beside_moto
from bench.numbers.peers import Local, Machine, Ministack, Peer, Refused, Sfnx, start_ministack
from bench.table import Group, Number
from compiler.check import Surroundings
from compiler.pipeline import compile_source
from compiler.source import Source
from local.ministack import server
from local.ministack.launch import VERSION

ROUNDS, QUICK = 3, 1
ITEMS = 100
OURS, SFNX, MINISTACK = "ours", "sfnx.testing", "ministack"
REAL_TIME = "its time-outs take real time, 72 hours"
NO_MINISTACK = "not measured, `make setup` installs it"
_DAY = 86_400
_RUN = {"inputs": {}, "run": {"id": "r", "attempt": 1, "started_by": None}}
_CALL = {
    "Type": "Task",
    "Resource": "arn:aws:states:::lambda:invoke",
    "Arguments": {"FunctionName": "${action:run}", "Payload": {"step": "{% $states.input %}"}},
    "Output": "{% $states.result.Payload.step %}",
    "End": True,
}


@dataclass(frozen=True, slots=True)
class Case:
    """A machine that all engines are asked to run; `cannot` says which of them do not, and why.

    `output` is what has to come of it.
    """

    what: str
    machine: Machine
    output: Any
    cannot: Mapping[str, str] = field(default_factory=dict)


def cases() -> tuple[Case, ...]:
    """Return the machines: three that the compiler makes, and two written by hand."""
    items = [f"item-{number}" for number in range(ITEMS)]
    mapped = {"Items": "{% $states.input %}", "ItemProcessor": _alone("Each", _CALL)}
    waits = {"Type": "Wait", "Seconds": 2 * _DAY, "End": True}
    timed_out = {MINISTACK: REAL_TIME}
    return (
        Case("one task", _made("one", beside_moto.ONE), {}),
        Case(
            f"{beside_moto.STEPS} tasks, one after the other",
            _made("chain", beside_moto.CHAIN),
            {},
        ),
        Case(
            f"Map of {ITEMS} items, a task each",
            Machine("map", _by_hand({"Type": "Map", **mapped, "End": True}), items),
            items,
        ),
        Case("Wait of 48 hours", Machine("wait", _by_hand(waits), {"a": 1}), {"a": 1}),
        Case(
            "72 hours in which nobody approves, three escalations",
            _made("approval", beside_moto.APPROVAL),
            {},
            timed_out,
        ),
    )


def _made(name: str, text: str) -> Machine:
    compilation = compile_source(Source(f"{name}.yaml", text), Surroundings())
    assert compilation.ok, compilation.diagnostics
    return Machine(name, compilation.machines[0].definition, _RUN)


def _by_hand(state: Mapping[str, Any]) -> dict[str, Any]:
    return {"QueryLanguage": "JSONata", **_alone("Only", state)}


def _alone(name: str, state: Mapping[str, Any]) -> dict[str, Any]:
    return {"StartAt": name, "States": {name: state}}


def groups(*, quick: bool = False) -> tuple[Group, ...]:
    """Measure all engines."""
    rounds = QUICK if quick else ROUNDS
    beside = processes(1, beside_moto.CASES[-1:]) if quick else processes(beside_moto.ROUNDS)
    return warm(rounds), starts(rounds), beside


def warm(rounds: int) -> Group:
    """Return what a run takes on engines that have been started and have made the machine."""
    numbers: list[Number] = []
    with ExitStack() as stack:
        # ministack first: while ours runs, boto3 reaches nothing else.
        peers: dict[str, Peer] = {}
        if _is_ministack_here():
            peers[MINISTACK] = stack.enter_context(Ministack())
        peers = {OURS: stack.enter_context(Local()), SFNX: Sfnx(), **peers}
        for case in cases():
            numbers += _beside(case, timed(case, peers, rounds))
    return Group(
        "Local runs: the engine alone",
        f"Milliseconds from the start of a run to its output, median of {rounds} in turns; the "
        "engine is started, the machine made, and a function answers at once. Beside sfnx.testing "
        f"{version('sfnx')}, which carries states out without a service around them (no history, "
        f"no clock: waits end at once, branches run one after the other), and ministack {VERSION} "
        "as it comes, a server that is asked over HTTP; its Wait states are set to take no time, "
        "but it pauses for 0.15 s by itself before the first state. Ours keeps the history "
        "and the time, as the tests of time-outs and escalations need it.",
        tuple(numbers),
    )


def timed(case: Case, peers: Mapping[str, Peer], rounds: int) -> dict[str, float | str]:
    """Return the median of the milliseconds of a run by engine, or why it does not run it."""
    found: dict[str, float | str] = dict(case.cannot)
    able = {name: peer for name, peer in peers.items() if name not in found}
    taken: dict[str, list[float]] = {name: [] for name in able}
    for peer in able.values():
        peer.make(case.machine)
    for _ in range(rounds + 1):  # the first to be warm
        for name, peer in able.items():
            if name in found:
                continue
            began = time.perf_counter()
            try:
                output = peer.run(case.machine)
            except Refused as refused:
                found[name] = f"cannot: {refused}"
                continue
            taken[name].append((time.perf_counter() - began) * 1000)
            if json.dumps(output, sort_keys=True) != json.dumps(case.output, sort_keys=True):
                found[name] = f"ends with another output: {json.dumps(output)[:60]}"
    good = {name: statistics.median(all_[1:]) for name, all_ in taken.items() if name not in found}
    return {**found, **good}


def _beside(case: Case, took: Mapping[str, float | str]) -> Iterator[Number]:
    ours = took[OURS]
    if isinstance(ours, str):
        raise Refused(f"{case.what}: {ours}")
    for name in (SFNX, MINISTACK):
        theirs = took.get(name, NO_MINISTACK)
        if isinstance(theirs, str):
            yield Number(case.what, ours, "ms", f"{name}: {theirs}")
        else:
            yield Number(case.what, ours, "ms", name, theirs)


def starts(rounds: int) -> Group:
    """Return what it takes until each engine can be given a machine, its process included."""
    ours = "from local.engine import Engine\nwith Engine({}): pass"
    taken: dict[str, list[float]] = {OURS: [], SFNX: [], MINISTACK: []}
    for _ in range(rounds):
        taken[OURS].append(_started(ours))
        taken[SFNX].append(_started("import sfnx.testing"))
        if _is_ministack_here():
            taken[MINISTACK].append(_started_ministack())
    middle = {name: statistics.median(all_) for name, all_ in taken.items() if all_}
    theirs = ((SFNX, middle[SFNX]), (MINISTACK, middle.get(MINISTACK)))
    numbers = (
        Number(
            "until a machine can be given",
            middle[OURS],
            "s",
            name if one else f"{name}: {NO_MINISTACK}",
            one,
        )
        for name, one in theirs
    )
    return Group(
        "Local runs: starting an engine",
        f"Seconds from starting the process, median of {rounds} in turns. Ours loads moto and "
        "boto3; sfnx.testing is a module of its own.",
        tuple(numbers),
    )


def _started(code: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - began


def _started_ministack() -> float:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        began = time.perf_counter()
        with start_ministack(Path(folder)):
            return time.perf_counter() - began


def _is_ministack_here() -> bool:
    return server.is_made(server.usual_folder())


def processes(rounds: int, cases: Sequence[beside_moto.Case] = beside_moto.CASES) -> Group:
    """Return what `stepsmith run` and its like take, the process' start included."""
    numbers: list[Number] = []
    for case, ours, bare in beside_moto.measured(rounds, cases):
        numbers += [
            Number(case.name, ours, "s", "bare moto", bare, beside_moto.MOST),
            Number(f"{case.name}: alone", ours, "s"),  # as fast as the machine is
        ]
    return Group(
        "Local runs: with all that belongs to them",
        f"Seconds of a process, its start included, the shortest of {rounds}. Ours compiles the "
        "workflow, stores results and opens tasks in tables; bare moto "
        f"{version('moto')} runs the finished machine and does none of that.",
        tuple(numbers),
    )
