"""What a run of each shipped workflow and each example costs, counted on a play of it.

What is played is the first case of its scenarios that has to succeed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.numbers.prices import PER_RUNNER_MINUTE, Use, dollars
from bench.numbers.tally import Tally, counted
from bench.table import Group, Number
from cli.scenarios.cases import SUFFIXES, Case
from cli.scenarios.files import Loader, Named
from cli.scenarios.play import START, Surroundings, carry_out
from local.clock import Clock
from local.finished import Event
from local.record import build
from local.stubs import Stub
from local.workflow import SETTINGS, Ran
from protocol.status import SUCCEEDED

ROOT = Path(__file__).parents[2]
FOLDERS = ("workflows", "examples/workflows")
QUICK = ("fan_in", "deploy_application")
RUNS = 1000
ACTION_SECONDS, OWN_SECONDS = 1.0, 0.1
"""What a call takes at least where a scenario says nothing: of an action, of any other function."""
_LONGEST_CALL = 900.0
_SKIPPED = "skipped"
_WATCHED = (SETTINGS.results_table, "stepsmith-local-tasks")
"""Tables whose changes `records` is told of."""


@dataclass(frozen=True, slots=True)
class Run:
    """A workflow that was played: its name, the case, what it took, how many steps it did."""

    name: str
    case: str
    use: Use
    steps: int


def groups(*, quick: bool = False) -> tuple[Group, ...]:
    """Play all workflows, or two of them, and count."""
    loader = Loader()
    found = [play(file, loader) for file in files() if not quick or _name(file) in QUICK]
    return transitions(found), costs(found)


def files() -> list[Path]:
    """Return the scenario files with a case that has to succeed."""
    every = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob(f"*{SUFFIXES[0]}"))]
    return [path for path in every if "status: succeeded" in path.read_text(encoding="utf-8")]


def transitions(runs: Sequence[Run]) -> Group:
    """Return the transitions beside the least that any machine of the same steps takes."""
    return Group(
        "Transitions of a run",
        "State transitions that AWS bills for the first good case of each workflow's scenarios, "
        "called workflows included. The peer is a floor that no machine can get below: one state "
        "for each step that was carried out, and none for conditions, latches, waits for people, "
        "retries and values.",
        tuple(
            Number(
                f"{run.name}: {run.case}",
                run.use.transitions,
                "",
                "a state for each step",
                run.steps,
                is_counted=True,
            )
            for run in runs
        ),
    )


def costs(runs: Sequence[Run]) -> Group:
    """Return what runs cost."""
    return Group(
        f"Cost of {RUNS:,} runs",
        "US dollars of such runs in us-east-1 on x86_64, no free tier: transitions, calls of "
        "functions with their time, writes to tables, and builds in whole minutes (CodeBuild, "
        "2 processors, 4 GB). Actions and scripts in functions have 1 GB; all take as long as the "
        f"scenario says, at least {ACTION_SECONDS:g} s, calls of other functions "
        f"{OWN_SECONDS:g} s; each change of an "
        "execution, a result or a task is a call and a write of `records` more. Left out: reads, "
        "what is stored, logs, mails, and what a stage costs while nothing runs. The peer is the "
        "least that GitHub Actions charges for the same steps in a private repository (Linux, "
        "2 cores): their seconds added up to one job, in whole minutes.",
        tuple(
            Number(
                f"{run.name}: {_uses(run.use)}",
                round(dollars(run.use, OWN_SECONDS) * RUNS, 4),
                "USD",
                "GitHub Actions",
                round(run.use.runner_minutes * PER_RUNNER_MINUTE * RUNS, 4),
                is_counted=True,
            )
            for run in runs
        ),
    )


def _uses(use: Use) -> str:
    minutes = use.build_minutes
    built = f", {minutes} build minute{'s' * (minutes != 1)}" if minutes else ""
    return (
        f"{use.transitions} transitions, {use.calls} calls, "
        f"{use.writes + use.changes} writes{built}"
    )


def _name(file: Path) -> str:
    return file.name.removesuffix(SUFFIXES[0])


def play(file: Path, loader: Loader) -> Run:
    """Play the first good case of a file of scenarios."""
    loaded, said = loader.load(Named(file))
    assert loaded is not None, said
    case = next(case for case in loaded.cases if _is_good(case))
    with counted() as tally:
        ran = carry_out(case, loaded.subject, Surroundings(), Clock(START))
    assert ran.finished.status == "SUCCEEDED", (file, ran.finished.cause)
    record = build(ran, loaded.subject.compiled.program)
    return Run(_name(file), case.name, _use(ran, case.stubs, tally), _steps(record["steps"]))


def _is_good(case: Case) -> bool:
    return any(
        one.step is None and one.aspect == "status" and one.value == SUCCEEDED
        for one in case.expect
    )


def _use(ran: Ran, stubs: Mapping[str, Stub], tally: Tally) -> Use:
    histories = [ran.finished.history, *(child.finished.history for child in ran.others)]
    calls = [call for history in histories for call in _calls(history)]
    actions: list[float] = []
    builds: list[float] = []
    own = 0
    for function, payload in calls:
        seconds = _seconds(payload, stubs)
        if function == "codebuild":
            builds.append(seconds)
        elif function.startswith("action-") and not (payload.get("stored") or payload.get("keep")):
            actions.append(min(seconds, _LONGEST_CALL))
        else:
            own += 1
    changes = 2 * len(histories) + sum(tally.writes[table] for table in _WATCHED)
    return Use(
        sum(_transitions(history) for history in histories),
        tuple(actions),
        own,
        tally.writes.total(),
        changes,
        tuple(builds),
    )


def _calls(history: Sequence[Event]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the functions that were called, by their names on the local engine, and with what."""
    for event in history:
        details = event.get("taskScheduledEventDetails")
        if details is None or details["resourceType"] != "lambda":
            continue
        asked = json.loads(details["parameters"])
        payload = asked.get("Payload")
        name = asked["FunctionName"].rpartition(":stepsmith-local-")[2]
        yield name, payload if isinstance(payload, dict) else {}


def _seconds(payload: Mapping[str, Any], stubs: Mapping[str, Stub]) -> float:
    stub = stubs.get(str(payload.get("step")))
    return max(ACTION_SECONDS, stub.takes if stub is not None else 0.0)


def _transitions(history: Sequence[Event]) -> int:
    """Return how many states were entered, and how many attempts at Tasks followed a first one."""
    kinds = Counter(str(getattr(event["type"], "value", event["type"])) for event in history)
    entered = sum(count for kind, count in kinds.items() if kind.endswith("StateEntered"))
    return entered + max(0, kinds["TaskScheduled"] - kinds["TaskStateEntered"])


def _steps(records: Sequence[Mapping[str, Any]]) -> int:
    """Return how many steps were carried out; each item and each step of a called run counts."""
    found = 0
    for record in records:
        for one in record.get("items", [record]):
            if one["status"] == _SKIPPED:
                continue
            inner = one.get("run", {}).get("steps") or one.get("steps")
            found += _steps(inner) if inner else 1
    return found
