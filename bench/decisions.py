"""Decisions at one moment: who wins, who is told, and how often the run is woken.

    python -m bench.decisions [--repetitions 1000] [--people 200]

Each repetition opens a task on moto's DynamoDB with the functions that run on AWS, has all
people decide at once in threads of their own, half of them each way, and hands the table's
stream to `wake`. Wrong is: no winner or two, an answer that does not name the winner, a wake-up
too many or too few. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import boto3

from functions.adapters.clock import SystemClock
from functions.adapters.task_tokens import DynamoTaskTokens
from functions.adapters.tasks import DynamoTasks
from functions.domain.people import Directory
from functions.domain.task import APPROVED, REJECTED, Actor, Answer, Place, Task, task_id
from functions.domain.task_links import Signer
from functions.domain.task_messages import Message
from functions.domain.task_rules import Verdict
from functions.handlers import wake as wake_function
from functions.usecases.decide import decide
from functions.usecases.desk import Desk, Office, Waker
from functions.usecases.open_task import open_task
from local.clock import Clock
from local.engine import REGION, Engine
from local.people import SETTINGS, Stream
from local.tables import create_tables
from protocol.payloads import Json, OpenTask

PEOPLE = ("alice@example.com", "bob@example.com")


class Silent:
    """Tells nobody."""

    has_chat = False

    def send(self, message: Message) -> None:
        """Do nothing."""


@dataclass
class Woken:
    """Counts the answers that executions get."""

    answers: list[Json] = field(default_factory=list)

    def succeed(self, token: str, output: Json) -> bool:
        """Take an answer."""
        del token
        self.answers.append(output)
        return True

    def fail(self, token: str, error: str, cause: str) -> bool:
        """Take a failure, which is never right here."""
        del token
        self.answers.append([error, cause])
        return True


class Room:
    """The tables and everything around them."""

    def __init__(self) -> None:
        dynamodb = boto3.client("dynamodb", region_name=REGION)
        create_tables(dynamodb, ["tasks", "task-tokens", "outbox"])
        clock = SystemClock()
        self.tasks = DynamoTasks(dynamodb, SETTINGS.tasks_table)
        tokens = DynamoTaskTokens(dynamodb, SETTINGS.tokens_table, clock)
        self.desk = Desk(clock, self.tasks, Directory(), Signer(b"key", ""))
        self.office = Office(self.desk, tokens, Silent())
        self.woken = Woken()
        waker = Waker(self.tasks, tokens, self.woken)
        self.stream = Stream(Clock(), wake_function.handler_with(lambda: waker))

    def open(self, number: int) -> str:
        """Open a task in a run of its own and return its id."""
        call: OpenTask = {
            "op": "open",
            "run": {
                "id": f"run-{number}",
                "attempt": 1,
                "started_at": "",
                "workflow": "w",
                "version": "",
                "contract": 1,
            },
            "step": "review",
            "token": f"token-{number}",
            "title": "Review",
            "description": None,
            "assignees": list(PEOPLE),
            "timeout": 3600,
            "auth": "link",
            "quorum": 1,
            "self_approval": False,
        }
        open_task(call, self.office)
        return task_id("manual", Place(f"run-{number}", 1, "review"))


def race(room: Room, identifier: str, people: int) -> list[Verdict]:
    """Have people decide at once; return what each of them is told."""
    start = threading.Barrier(people)
    told: list[Verdict] = [Verdict("unknown")] * people

    def one(number: int) -> None:
        answer = Answer((APPROVED, REJECTED)[number % 2])
        start.wait()
        told[number] = decide(identifier, Actor(PEOPLE[number % 2], "login"), answer, room.desk)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def faults(task: Task | None, told: list[Verdict], woken: list[Json]) -> list[str]:
    """Return what is wrong with a repetition."""
    if task is None or task.decision is None:
        return ["nothing was decided"]
    found = []
    names = Counter(verdict.name for verdict in told)
    if names["decided"] != 1:
        found.append(f"{names['decided']} winners")
    for number, verdict in enumerate(told):
        same = (APPROVED, REJECTED)[number % 2] == task.status
        if verdict.name not in (("decided", "repeated") if same else ("conflict",)):
            found.append(f"{verdict.name} for {'the' if same else 'another'} answer")
        if verdict.task is None or verdict.task.decision != task.decision:
            found.append("told of another decision")
    if len(woken) != 1:
        found.append(f"{len(woken)} wake-ups")
    elif not isinstance(woken[0], dict) or woken[0]["status"] != task.status:
        found.append("woken with another answer")
    return found


def main() -> int:
    """Race as often as asked, and print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.decisions")
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--people", type=int, default=200)
    options = parser.parse_args()
    wrong: Counter[str] = Counter()
    won: Counter[str] = Counter()
    bad, times = 0, []
    with Engine({}):
        room = Room()
        for number in range(options.repetitions):
            identifier = room.open(number)
            began = time.perf_counter()
            told = race(room, identifier, options.people)
            times.append(time.perf_counter() - began)
            room.woken.answers.clear()
            room.stream.read()
            task = room.tasks.get(identifier)
            found = faults(task, told, room.woken.answers)
            won[task.status if task else "nobody"] += 1
            wrong.update(found)
            bad += bool(found)
    print(f"{options.repetitions} repetitions of {options.people} decisions at once")
    print(f"won: {dict(won)}")
    print(f"seconds each: {statistics.median(times):.2f} median, {max(times):.2f} longest")
    print(f"wrong: {bad}" + "".join(f"\n  {count} x {what}" for what, count in wrong.items()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
