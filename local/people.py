"""People in local runs: the tables of tasks, their stream, and decisions made for somebody.

The functions `tasks` and `wake` are the real ones. moto keeps the stream of the tasks table but
calls nobody; here each write has the new records handed to `wake`, in a thread of its own.
"""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import boto3
from botocore.config import Config

from functions.adapters.notifications import Outbox
from functions.domain.people import Directory
from functions.domain.task import TIMED_OUT, Actor, Answer, Kind, Place, Task, task_id
from functions.domain.task_rules import Verdict, deciders
from functions.handlers import tasks as tasks_function
from functions.handlers import wake as wake_function
from functions.settings import TaskSettings
from functions.usecases.close_tasks import close_tasks
from functions.usecases.decide import decide
from functions.usecases.desk import Office
from functions.wiring import LocalPeople, office_wiring, waker_wiring
from local.clock import Clock
from local.engine import REGION

if TYPE_CHECKING:
    from functions.ports import Tasks
    from protocol.payloads import Json

SETTINGS = TaskSettings(
    tasks_table="stepsmith-local-tasks",
    tokens_table="stepsmith-local-task-tokens",
    outbox_table="stepsmith-local-outbox",
    api="http://localhost",
    stage="local",
    region=REGION,
)
_OPENING: Mapping[str, Kind] = {"open": "manual", "pause": "pause"}
_LEVELS = ("escalate", "expire")
_KINDS: tuple[Kind, ...] = ("manual", "pause", "event", "callback")


@dataclass(frozen=True, slots=True)
class Said:
    """A decision: what, by whom (None: the first who may), `after` seconds from the opening."""

    status: str
    by: str | None = None
    comments: str | None = None
    form: Json = None
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail as the outbox keeps it, without the link that was in it."""

    recipient: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class News:
    """What is told while a run goes on: a task was opened, a level told people, somebody answered.

    `seconds` is how long the task has been open; `told` are those whom a level told, `mails` what
    they were sent.
    """

    what: Literal["opened", "escalated", "timed_out", "answered"]
    task: Task
    seconds: float
    told: tuple[str, ...] = ()
    said: Said | None = None
    verdict: Verdict | None = None
    mails: tuple[Mail, ...] = ()


@dataclass(frozen=True, slots=True)
class People:
    """Who is there in a local run.

    `decisions` are made for the tasks of a step, one after the other (the last one for all
    further tasks); a task that asks for several takes as many. `ask` is asked about a task that
    none is made for, and may take its real time; None of it leaves the task open. `tell` is told
    of tasks and answers.
    """

    directory: Directory = field(default_factory=Directory)
    decisions: Mapping[str, Sequence[Said]] = field(default_factory=dict)
    ask: Callable[[Task], Said | None] | None = None
    tell: Callable[[News], None] | None = None


class Staff:
    """The people of a stage at work: carries `${tasks}` and decides. Needs the engine's tables.

    Without an `office` that somebody else looks after it has one of its own, with a link key of
    its own, and sees to it that decisions wake their executions.
    """

    def __init__(
        self, clock: Clock, people: People, office: Callable[[], Office] | None = None
    ) -> None:
        self._clock = clock
        self._people = people
        self._given = office
        self._key = secrets.token_hex(32)
        self._seen: Counter[str] = Counter()
        self._known: set[str] = set()
        self._lock = threading.Lock()
        self._office: Office | None = None
        self._handle = tasks_function.handler_with(self._made)

    def function(self, call: Any, context: object) -> object:
        """Carry out a call of the function `tasks`; then people get to know of a new task."""
        given = self._handle(call, context)
        op = call["op"]
        if op in _OPENING or (op in _LEVELS and "kind" not in call):
            place = Place.of(call["run"], call["step"], call.get("items"))
            identifier = task_id(_OPENING.get(op, "manual"), place, call.get("entered"))
            if op in _OPENING:
                self._opened(identifier)
            else:
                self._escalated(identifier, call)
        return given

    def decide(self, task: Task, said: Said) -> Verdict:
        """Decide a task; what it comes to is told."""
        desk = self._made().desk
        now = desk.tasks.get(task.task_id) or task
        able = deciders(now, desk.directory)
        silent = [one for one in able if desk.directory.identity(one) not in now.votes]
        by = said.by or next(iter(silent or able), "")
        answer = Answer(said.status, said.comments, said.form)
        verdict = decide(task.task_id, Actor(by, "command"), answer, desk)
        self._tell("answered", verdict.task or task, said=replace(said, by=by), verdict=verdict)
        return verdict

    def tasks(self) -> list[Task]:
        """Close what the run, now over, has left open; return all tasks as they were opened."""
        desk = self._made().desk
        for task in self._all():
            if task.is_open:
                place = task.place
                close_tasks(place.run_id, place.run_attempt, "the run is over", desk)
        return self._all()

    def _all(self) -> list[Task]:
        listed = self._made().desk.tasks.listed
        found = [task for kind in _KINDS for o in (True, False) for task in listed(kind, is_open=o)]
        return sorted(found, key=lambda task: task.opened_at)

    def _made(self) -> Office:
        with self._lock:
            if self._office is None and self._given is not None:
                self._office = self._given()
            if self._office is None:
                directory = self._people.directory
                local = LocalPeople(self._clock, directory, _OneSecret(self._key))
                office = office_wiring(SETTINGS, local)
                wake = wake_function.handler_with(lambda: waker_wiring(SETTINGS, self._clock))
                streamed = Streamed(office.desk.tasks, Stream(self._clock, wake).written)
                self._office = replace(office, desk=replace(office.desk, tasks=streamed))
            return self._office

    def _opened(self, identifier: str) -> None:
        task = self._made().desk.tasks.get(identifier)
        with self._lock:
            if task is None or identifier in self._known or not task.is_open:
                return
            self._known.add(identifier)
            step = task.place.step_id
            number = self._seen[step]
            self._seen[step] += 1
        self._tell("opened", task)
        said = self._people.decisions.get(step, ())
        if said:
            for one in said[number * task.quorum :][: task.quorum] or said[-task.quorum :]:
                self._clock.thread(self._decide_later, (task, one)).start()
        elif self._people.ask is not None:
            self._clock.thread(self._ask, (task,)).start()

    def _decide_later(self, task: Task, said: Said) -> None:
        if said.after:
            self._clock.sleep(said.after)
        self.decide(task, said)

    def _ask(self, task: Task) -> None:
        assert self._people.ask is not None
        while True:
            with self._clock.real_work():
                said = self._people.ask(task)
            if said is None or self.decide(task, said).name not in ("invalid", "not_yours"):
                return

    def _escalated(self, identifier: str, call: Mapping[str, Any]) -> None:
        if self._people.tell is None:
            return
        task = self._made().desk.tasks.get(identifier)
        if task is None or task.status not in ("pending", TIMED_OUT):
            return
        level = f"{call.get('level', 'end')}/"
        sent = [key for key, one in task.notices.items() if one.outcome == "sent"]
        told = tuple(key.removeprefix(level) for key in sent if key.startswith(level))
        if task.status == TIMED_OUT or told:
            what: Literal["timed_out", "escalated"]
            what = "timed_out" if task.status == TIMED_OUT else "escalated"
            self._tell(what, task, told=told, mails=self._mails(identifier, told))

    def _mails(self, identifier: str, told: tuple[str, ...]) -> tuple[Mail, ...]:
        """Return the newest mail about a task to each of those who were told."""
        dynamodb = boto3.client("dynamodb", region_name=REGION)
        kept = Outbox(dynamodb, SETTINGS.outbox_table, self._clock).of_task(identifier)
        newest = {mail["recipient"]: mail for mail in kept if mail["recipient"] in told}
        return tuple(
            Mail(recipient, mail["subject"], mail["text"]) for recipient, mail in newest.items()
        )

    def _tell(
        self,
        what: Literal["opened", "escalated", "timed_out", "answered"],
        task: Task,
        *,
        told: tuple[str, ...] = (),
        said: Said | None = None,
        verdict: Verdict | None = None,
        mails: tuple[Mail, ...] = (),
    ) -> None:
        if self._people.tell is not None:
            seconds = (self._clock.now() - task.opened_at).total_seconds()
            self._people.tell(News(what, task, seconds, told, said, verdict, mails))


class Streamed:
    """`functions.ports.Tasks` that says so when it has written to the table."""

    def __init__(self, tasks: Tasks, written: Callable[[], None]) -> None:
        self._tasks = tasks
        self._written = written
        self.get, self.audit, self.audited = tasks.get, tasks.audit, tasks.audited
        self.end, self.has_ended = tasks.end, tasks.has_ended
        self.of_run, self.listed, self.waits = tasks.of_run, tasks.listed, tasks.waits

    def create(self, task: Task) -> Task:
        """As `Tasks.create`."""
        stored = self._tasks.create(task)
        self._written()
        return stored

    def replace(self, task: Task) -> Task | None:
        """As `Tasks.replace`."""
        stored = self._tasks.replace(task)
        if stored is None:
            self._written()
        return stored

    def nudge(self, task_id: str) -> None:
        """As `Tasks.nudge`."""
        self._tasks.nudge(task_id)
        self._written()


class Stream:
    """Hands the records of the tasks table's stream to `wake` (its handler), each once."""

    def __init__(self, clock: Clock, wake: Callable[[Any, object], object]) -> None:
        self._clock = clock
        # moto does not know the addresses that hold an account's number.
        plain = Config(account_id_endpoint_mode="disabled")
        self._client = boto3.client("dynamodbstreams", region_name=REGION, config=plain)
        self._wake = wake
        self._lock = threading.Lock()
        self._next = self._first()

    def written(self) -> None:
        """Have what was written read, at this moment of the clock but in its own time."""
        self._clock.thread(self.read).start()

    def read(self) -> None:
        """Hand on all records that came since the last reading."""
        with self._lock:
            found = self._client.get_records(ShardIterator=self._next)
            self._next = found["NextShardIterator"]
        records: Any = found["Records"]
        if records:
            self._wake({"Records": records}, None)

    def _first(self) -> str:
        (stream,) = self._client.list_streams(TableName=SETTINGS.tasks_table)["Streams"]
        described = self._client.describe_stream(StreamArn=stream["StreamArn"])
        (shard,) = described["StreamDescription"]["Shards"]
        return self._client.get_shard_iterator(
            StreamArn=stream["StreamArn"],
            ShardId=shard["ShardId"],
            ShardIteratorType="LATEST",
        )["ShardIterator"]


class _OneSecret:
    def __init__(self, value: str) -> None:
        self._value = value

    def get(self, name: str) -> str:
        del name
        return self._value
