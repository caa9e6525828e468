"""Records of runs: held against a replay of histories, and their lists measured.

`python -m bench.records [COUNT [MOST]]` carries COUNT (200) random workflows of MOST (6) steps out
on the local engine, tells of their executions twice, late and shuffled, and prints each whose
record is not what its histories say, or of which a live record said what did not come true. Then
it puts 10,000 runs into the table and measures what the API takes to list and search them, and to
give the record of a run of 200 steps. Exits 1 if a record is wrong or a list takes 200 ms.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import boto3

from functions.adapters.result_rows import DynamoResultRows
from functions.adapters.run_items import packed_item
from functions.adapters.runs import DynamoRuns
from functions.adapters.tasks import DynamoTasks
from functions.domain.records.item import CLOSED, RunItem
from functions.domain.records.said import stamp
from functions.record_ports import Kept
from functions.usecases.archive import Archive, Plans
from functions.usecases.reading import Reading
from local.clock import Clock
from local.engine import REGION, Engine
from local.tables import create_tables, table_name
from tests.functions.http.site import Site
from tests.functions.records.memory import STAGE, MemoryManifests
from tests.functions.records.replay import (
    bare,
    live_differences,
    news,
    office_of,
    random_play,
    tell,
)
from tests.functions.tasks.interleaving import MemoryTokens, Schedule
from tests.functions.tasks.office import ALICE, Scene

COUNT, MOST_STEPS = 200, 6
RUNS, STEPS = 10_000, 200
LONGEST_LIST = 0.2
"""Seconds that a page of a list may take in the API's own request."""
_TIMES, _BATCH = 9, 25


def replay(count: int, most: int) -> int:
    """Play workflows and compare; return how many records are wrong."""
    wrong, began, seen = 0, time.perf_counter(), 0
    for seed in range(count):
        played = random_play(seed, most)
        office = office_of(played)
        told = news(office)
        told += random.Random(seed).choices(told, k=3)
        random.Random(seed).shuffle(told)
        tell(office, told)
        kept = office.runs.kept("r-1", 1)
        seen += len(office.engine.executions)
        problems = live_differences(played)
        if kept is None or bare(kept.record) != bare(played.record):
            problems.append("the record is not what the histories say")
        for problem in problems:
            print(f"seed {seed}: {problem}")
        wrong += bool(problems)
    took = time.perf_counter() - began
    print(f"{count - wrong} of {count} runs ({seen} executions) as replayed, in {took:.0f} s")
    return wrong


def fill(runs: DynamoRuns, dynamodb: Any) -> None:
    """Put runs into the table, and one with a large record."""
    chance = random.Random(7)
    puts: list[Any] = []
    for number in range(RUNS):
        workflow = chance.choice(["deploy", "release", "user-signup"])
        item = RunItem(
            run_id=f"{workflow}-{chance.randbytes(10).hex()}",
            workflow_id=workflow,
            workflow_version="1",
            reference=workflow,
            started_at=at_of(number * 2_000),
            status=chance.choice(["succeeded", "failed"]),
            phase=CLOSED,
            started_by=chance.choice(["ann@example.com", "bob@example.com"]),
            settled=True,
        )
        puts.append({"PutRequest": {"Item": packed_item(item)}})
    for at in range(0, RUNS, _BATCH):
        dynamodb.batch_write_item(RequestItems={table_name("runs"): puts[at : at + _BATCH]})
    large = RunItem("large-run", "large", "", "large", at_of(0), phase=CLOSED, status="succeeded")
    runs.change(large.run_id, lambda _: large)
    runs.keep(Kept(large_record(large), 1))


def large_record(item: RunItem) -> Any:
    """Return the record of a run of many steps."""
    steps = [
        {
            "step_id": f"s{at}",
            "status": "succeeded",
            "attempt": 1,
            "outputs": {"x": "y" * 100},
            "started_at": at_of(at),
            "completed_at": at_of(at),
            "line": at,
        }
        for at in range(STEPS)
    ]
    return {**item.summary(), "steps": steps, "outputs": {}, "error": None}


def at_of(seconds: int) -> str:
    """Return a moment of 2026."""
    return stamp(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))


def lists() -> int:
    """Measure the API; return how many lists are too slow."""
    slow = 0
    with Engine({}):
        dynamodb = boto3.client("dynamodb", region_name=REGION)
        create_tables(dynamodb, ["runs", "results", "tasks"])
        clock = Clock()
        runs = DynamoRuns(dynamodb, table_name("runs"), nowhere, clock)
        began = time.perf_counter()
        fill(runs, dynamodb)
        print(f"{RUNS} runs put in, in {time.perf_counter() - began:.0f} s")
        manifests = MemoryManifests()
        archive = Archive(
            STAGE,
            clock,
            runs,
            DynamoResultRows(dynamodb, table_name("results")),
            DynamoTasks(dynamodb, table_name("tasks")),
            manifests,
        )
        scene: Any = Scene
        site = Site(scene(archive.tasks, MemoryTokens(Schedule([]))))
        reading = Reading(archive, Plans(STAGE, manifests), nowhere())
        object.__setattr__(site.wiring, "runs", lambda: reading)
        first = site.call("GET", "/api/runs", person=ALICE).json["next"]
        for path in (
            "/api/runs",
            f"/api/runs?cursor={first}",
            "/api/runs?workflow=deploy",
            "/api/runs?status=failed",
            "/api/runs?starter=ann@example.com",
            "/api/runs?workflow=release&status=failed&starter=bob@example.com",
            "/api/runs?q=user-signup-a",
            "/api/runs/large-run",
        ):
            took = measured(partial(site.call, "GET", path, person=ALICE))
            slow += took > LONGEST_LIST
            print(f"{took * 1000:6.0f} ms  GET {path[:70]}")
    return slow


def nowhere() -> Any:
    """Return nothing: what is large or logged is not looked at here."""
    return None


def measured(call: Callable[[], Any]) -> float:
    """Return the median seconds of a call, on this thread's own time."""
    took = []
    for _ in range(_TIMES):
        began = time.thread_time()
        assert call().status == 200
        took.append(time.thread_time() - began)
    return statistics.median(took)


def main(arguments: Sequence[str]) -> int:
    """Compare and measure."""
    count = int(arguments[0]) if arguments else COUNT
    most = int(arguments[1]) if len(arguments) > 1 else MOST_STEPS
    wrong = replay(count, most)
    return 1 if wrong + lists() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
