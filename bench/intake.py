"""Events that come again and again, while calls fail: how many runs start, and at what cost.

    python -m bench.intake [--events 10000] [--threads 16] [--faults 0.02] [--seed 1]

Each event is delivered 1 to 5 times, all deliveries shuffled, by threads that hand them to the
handler of `intake` on moto. Of all calls of AWS a share fails, half of those after their effect.
What is not taken in comes again later; what is not after 5 deliveries is a dead letter. Some
events can never start: their message is broken, or their trigger is gone. Then the calls of one
event are counted, and the throughput is held against a loop that makes just those calls.

Wrong is: an event without its run or with two, one kept as dead that could start or not kept that
could not, more than 4 calls for a new event or 1 for a duplicate, a throughput that
is more than 1.5 times worse than the loop's. The exit code is 1 then.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, cast

from botocore.exceptions import ClientError, ConnectionClosedError

from bench.event_stage import SETTINGS, VISIBILITY, Calls, Stage, aws, manifest, trigger

MOST_RECEIVES = 5
"""Of a message before it is dead, as in a deployment."""
NEVER_SHARE = 0.005
MOST_RATIO = 1.5


@dataclass
class Storm:
    """What came of many events."""

    events: int
    deliveries: int
    seconds: float
    rounds: int
    calls: Counter[str]
    faults: int
    wrong: list[str] = field(default_factory=list)


class Faults:
    """Lets a share of the calls fail, half of them after their effect."""

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self.count = 0

    def __call__(self, name: str) -> tuple[Exception, bool] | None:
        """Return the error of a call, and whether it has its effect; None for a good one."""
        with self._lock:
            if self._random.random() >= self._share:
                return None
            self.count += 1
            has_effect = self._random.random() < 0.5
        error: Exception = ConnectionClosedError(endpoint_url="https://aws.example.com")
        if not has_effect:
            told = {"Code": "ThrottlingException", "Message": "Rate exceeded"}
            error = ClientError(cast("Any", {"Error": told}), name)
        return error, has_effect


@dataclass(frozen=True, slots=True)
class Weather:
    """How it storms; `often` are the weights of an event's being delivered once, twice, ..."""

    events: int
    threads: int
    faults: float
    seed: int
    often: tuple[int, ...] = (1, 1, 1, 1, 1)


def storm(calls: Calls, weather: Weather) -> Storm:
    """Deliver events until none comes again; return what came of them."""
    events, seed = weather.events, weather.seed
    chance = random.Random(seed)
    times = range(1, len(weather.often) + 1)
    stage = Stage(calls, manifest(trigger()))
    never = _never(stage, max(2, int(events * NEVER_SHARE)))
    messages = [*(_message(stage, number) for number in range(events)), *never]
    counts = chance.choices(times, weather.often, k=len(messages))
    coming = [
        {**one, "attributes": dict(one["attributes"])}
        for one, count in zip(messages, counts, strict=True)
        for _ in range(count)
    ]
    chance.shuffle(coming)
    deliveries, rounds = len(coming), 0
    dead: list[dict[str, Any]] = []
    faults = Faults(weather.faults, seed)
    with calls.watched():
        calls.fault = faults
        began = time.perf_counter()
        while coming:
            rounds += 1
            failed = _deliver(stage, coming, weather.threads)
            coming = []
            for one in failed:
                (dead if _received(one) >= MOST_RECEIVES else coming).append(one)
            stage.clock.at += VISIBILITY
        seconds = time.perf_counter() - began
        calls.fault = lambda _name: None
        counted = Counter(calls.names)
    found = Storm(events, deliveries, seconds, rounds, counted, faults.count)
    letters = {one["messageId"]: one for one in dead}
    for letter in letters.values():
        stage.take({**letter, "eventSourceARN": SETTINGS.dead_letters})
    found.wrong = _faults(stage, events, {one["messageId"] for one in never})
    return found


def _received(record: dict[str, Any]) -> int:
    """Count a delivery of a message, as SQS does; return how many there have been."""
    attributes = record["attributes"]
    count = int(attributes["ApproximateReceiveCount"])
    attributes["ApproximateReceiveCount"] = str(count + 1)
    return count


def _message(stage: Stage, number: int) -> dict[str, Any]:
    body = {"order": number, "text": "x" * (number % 50)}
    return stage.queue.record(
        {"trigger": "release.release-http", "event": body, "id": f"e{number}"}
    )


def _never(stage: Stage, count: int) -> list[dict[str, Any]]:
    """Return messages of events that cannot start, whenever they come."""
    broken: list[object] = ["no JSON", {"trigger": "release.gone", "event": {}}]
    return [stage.queue.record(broken[number % 2]) for number in range(count)]


def _deliver(stage: Stage, records: list[dict[str, Any]], threads: int) -> list[dict[str, Any]]:
    """Hand over records, each thread one at a time; return those that come again."""
    waiting = deque(records)
    failed: deque[dict[str, Any]] = deque()

    def work() -> None:
        while True:
            try:
                one = waiting.popleft()
            except IndexError:
                return
            if stage.take(one):
                failed.append(one)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return list(failed)


def _faults(stage: Stage, events: int, never: set[str]) -> list[str]:
    """Return what is wrong behind a storm."""
    wrong = []
    orders = Counter(given["inputs"]["order"] for given in stage.inputs())
    missing = events - len(orders)
    twice = sum(count > 1 for count in orders.values())
    if missing or twice:
        wrong.append(f"{missing} events without a run, {twice} with more than one")
    kept = stage.events()
    dead = {event.source_id for event in kept if event.outcome == "dead"}
    if dead != never:
        wrong.append(f"{len(dead)} dead letters, {len(never)} events that cannot start")
    outcomes = Counter(event.outcome for event in kept)
    if outcomes != {"started": events, "dead": len(never)}:
        wrong.append(f"kept: {dict(outcomes)}")
    runs = {event.run_id for event in kept if event.outcome == "started"}
    if runs != set(stage.runs()):
        wrong.append("events that name other runs than those that were started")
    return wrong


@dataclass(frozen=True, slots=True)
class Cost:
    """The calls of a new event and of a duplicate; seconds of `intake`, and of its calls alone."""

    new: list[str]
    duplicate: list[str]
    ours: float
    bare: float


def cost(calls: Calls, count: int) -> Cost:
    """Count the calls of one event, and time many new ones beside a loop of just their calls."""
    stage = Stage(calls, manifest(trigger()))
    stage.take(_message(stage, -1))  # keeps the manifest and reads the switches
    names = []
    for _ in range(2):
        with calls.watched():
            stage.take(_message(stage, 0))
            names.append(list(calls.names))
    ours = bare = 0.0
    for number in range(1, count + 1):
        record = _message(stage, number)
        # One after the other, so that both meet the same machine.
        with calls.watched():
            began = time.process_time()
            stage.take(record)
            ours += time.process_time() - began
            made = [_another(*call) for call in calls.made]
        began = time.process_time()
        for client, name, params in made:
            client._make_api_call(name, params)  # noqa: SLF001 (as its methods do)
        bare += time.process_time() - began
    new, duplicate = names
    return Cost(new, duplicate, ours, bare)


def _another(client: Any, name: str, params: Any) -> tuple[Any, str, Any]:
    """Return the same call about another event."""
    if name == "StartExecution":
        return client, name, {**params, "name": f"b{params['name'][1:]}"}
    if name == "PutItem":
        item = params["Item"]
        return client, name, {**params, "Item": {**item, "run": {"S": f"b{item['run']['S']}"}}}
    return client, name, {**params, "Key": {"id": {"S": f"bare-{params['Key']['id']['S']}"}}}


def main() -> int:
    """Run the storm, count, and print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.intake")
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--faults", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    with aws() as calls:
        weather = Weather(options.events, options.threads, options.faults, options.seed)
        found = storm(calls, weather)
    print(
        f"{found.events} events in {found.deliveries} deliveries by {options.threads} threads: "
        f"{found.seconds:.0f} s, {found.deliveries / found.seconds:.0f} deliveries a second"
    )
    told = ", ".join(f"{name} {count}" for name, count in found.calls.most_common())
    print(f"calls: {told}; {found.faults} of them failed; {found.rounds} rounds")
    wrong = list(found.wrong)
    with aws() as calls:
        spent = cost(calls, 300)
    ratio = spent.ours / spent.bare
    print(f"a new event: {', '.join(spent.new)}; a duplicate: {', '.join(spent.duplicate)}")
    print(f"intake takes {ratio:.2f} times the time of a loop that makes just its calls")
    if len(spent.new) > 4 or len(spent.duplicate) > 1:
        wrong.append("more calls than 4 for a new event and 1 for a duplicate")
    if ratio > MOST_RATIO:
        wrong.append(f"more than {MOST_RATIO} times the time of the calls alone")
    print("wrong: " + ("; ".join(wrong) or "nothing"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
