"""A stage for events: the handler and the adapters of `intake` on moto, each call of AWS watched.

moto's plain Step Functions backend keeps AWS's rules for the names of executions: the same name
with the same input is the execution that runs, any other taken name is refused. It is not
faithful in this: it looks for a name and adds the execution in two steps (a lock is put around
them here), it never ends an execution, and it knows no aliases.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import boto3
import botocore.client
from moto import mock_aws
from moto.stepfunctions.models import StepFunctionBackend, stepfunctions_backends

from functions.adapters.manifests import KeptManifests
from functions.adapters.switches import DynamoSwitches
from functions.domain.events import Event, Sought
from functions.event_wiring import intake_wiring
from functions.handlers import intake as intake_function
from functions.settings import EventSettings
from functions.usecases.claim import Gate
from functions.usecases.intake import Intake
from local.repairs import storage, updates
from local.tables import create_tables, table_name
from protocol.manifest import TriggerManifest, WorkflowManifest
from protocol.names import machine_name
from protocol.payloads import QueueMessage

REGION, ACCOUNT = "us-east-1", "123456789012"
START = datetime(2026, 11, 30, 9, tzinfo=UTC)
BUCKET = "bucket"
SETTINGS = EventSettings(
    events_table=table_name("events"),
    bucket=BUCKET,
    queue=f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/events",
    machines=f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:",
    runs_table=table_name("runs"),
    tasks_table=table_name("tasks"),
    dead_letters=f"arn:aws:sqs:{REGION}:{ACCOUNT}:dead",
    stage="test",
    region=REGION,
)
QUEUE_ARN = f"arn:aws:sqs:{REGION}:{ACCOUNT}:events"
VISIBILITY = timedelta(seconds=360)
"""After which a message that was not taken in comes again; longer than a claim's lease."""
_starting = threading.Lock()
_moto_start: Any = StepFunctionBackend.start_execution


_boto3_client: Any = boto3.client


@cache
def _client(service: str, region_name: str = REGION, **_: Any) -> Any:
    """Return a client that was made before: they are slow to make, and moto forgets for them."""
    return _boto3_client(service, region_name=region_name)


def _start(self: Any, *args: Any, **keywords: Any) -> Any:
    with _starting:
        return _moto_start(self, *args, **keywords)


class SetClock:
    """A clock that is set by hand."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self.at

    def sleep(self, seconds: float) -> None:
        """Go forward at once."""
        self.at += timedelta(seconds=seconds)

    def forward(self, **duration: float) -> None:
        """Go forward."""
        self.at += timedelta(**duration)


class Killed(BaseException):
    """The process is gone."""


class Calls:
    """Every call of AWS: counted, and at wish ended by an error before or after its effect.

    `fault` may return an error for a call's name, and whether the call has its effect first.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.made: list[tuple[Any, str, Any]] = []
        """The calls behind `names`: client, operation, parameters."""
        self.error: BaseException = Killed()
        self.fault: Callable[[str], tuple[Exception, bool] | None] = lambda _name: None
        self._point: int | None = None
        self._is_dead = False

    def around(self, call: Callable[..., Any], client: Any, name: str, params: Any) -> Any:
        """Make a call."""
        if self._is_dead:
            raise Killed
        number = len(self.names)
        self.names.append(name)
        self.made.append((client, name, params))
        self._at(2 * number)
        fault = self.fault(name)
        if fault is not None and not fault[1]:
            raise fault[0]
        answer = call(client, name, params)
        self._at(2 * number + 1)
        if fault is not None:
            raise fault[0]
        return answer

    def _at(self, point: int) -> None:
        if self._point == point:
            self._is_dead = isinstance(self.error, Killed)
            raise self.error

    @contextmanager
    def watched(self, point: int | None = None) -> Iterator[Calls]:
        """Count from here on; raise before (2n) or after (2n + 1) the n-th call."""
        self.names, self.made, self._point, self._is_dead = [], [], point, False
        try:
            yield self
        finally:
            self._point, self._is_dead = None, False


@contextmanager
def aws() -> Iterator[Calls]:
    """moto, with its races mended and each call watched."""
    calls = Calls()
    put: Any = setattr
    client: Any = botocore.client.BaseClient
    original = client._make_api_call  # noqa: SLF001 (there is no other place all calls pass)
    storage.install()
    updates.install()
    put(StepFunctionBackend, "start_execution", _start)
    put(client, "_make_api_call", lambda *call: calls.around(original, *call))
    put(boto3, "client", _client)
    try:
        with mock_aws():
            yield calls
    finally:
        put(boto3, "client", _boto3_client)
        put(client, "_make_api_call", original)
        put(StepFunctionBackend, "start_execution", _moto_start)


def trigger(kind: str = "http", name: str | None = None, **fields: Any) -> TriggerManifest:
    """Return a trigger as a manifest has it."""
    made: Any = {
        "name": name or f"release-{kind}",
        "type": kind,
        "settings": {},
        "inputs": [],
        "condition": None,
    }
    found: TriggerManifest = made | fields
    return found


def manifest(*triggers: TriggerManifest, **fields: Any) -> WorkflowManifest:
    """Return a version of a workflow that takes any inputs."""
    made: Any = {
        "contract": 1, "id": "release", "version": "1", "name": "Release", "description": None,
        "digest": "", "file": "workflows/release.yaml", "inputs": None, "outputs": None,
        "triggers": list(triggers), "steps": [], "rules": {}, "handlers": {}, "blocks": {},
        "children": {}, "notify": [], "vars": {}, "carries": [], "has_close": False,
    }  # fmt: skip
    found: WorkflowManifest = made | fields
    whole = json.dumps(found, sort_keys=True).encode()
    return {**found, "digest": hashlib.sha256(whole).hexdigest()}


class FakeQueue:
    """The stage's queue; what is sent waits until somebody looks."""

    def __init__(self, clock: SetClock) -> None:
        self._clock = clock
        self._numbers = itertools.count(1)
        self.waiting: deque[dict[str, Any]] = deque()
        self.delays: list[int] = []

    def send(self, message: QueueMessage, *, delay: int = 0) -> None:
        """Put a message in."""
        self.delays.append(delay)
        self.waiting.append(self.record(message))

    def record(self, message: object, arn: str = QUEUE_ARN) -> dict[str, Any]:
        """Return a message as Lambda hands it over; a text is its body as it is."""
        body = message if isinstance(message, str) else json.dumps(message)
        millis = str(int(self._clock.now().timestamp() * 1000))
        return {
            "messageId": f"message-{next(self._numbers)}", "body": body, "eventSourceARN": arn,
            "attributes": {"SentTimestamp": millis, "ApproximateReceiveCount": "1"},
            "messageAttributes": {},
        }  # fmt: skip


class Stage:
    """What is deployed, and what can be looked at."""

    def __init__(self, calls: Calls, *manifests: WorkflowManifest) -> None:
        self.calls = calls
        self.clock = SetClock()
        self.queue = FakeQueue(self.clock)
        self.deployed = {one["id"]: one for one in manifests}
        for one in manifests:
            self.deployed[f"{one['id']}@{one['version']}"] = one
        self.s3 = boto3.client("s3", region_name=REGION)
        self.s3.create_bucket(Bucket=BUCKET)
        self.dynamodb = boto3.client("dynamodb", region_name=REGION)
        create_tables(self.dynamodb, ["events", "runs", "tasks"])
        self.stepfunctions = boto3.client("stepfunctions", region_name=REGION)
        for reference in {one["id"] for one in manifests}:
            self.create_machine(reference)
        self.intake: Intake = intake_wiring(
            SETTINGS, self.clock, manifests=self._manifests(), queue=self.queue
        )

    def create_machine(self, reference: str) -> None:
        """Deploy a machine, without its workflow."""
        self.stepfunctions.create_state_machine(
            name=machine_name("test", reference),
            definition='{"StartAt": "a", "States": {"a": {"Type": "Pass", "End": true}}}',
            roleArn=f"arn:aws:iam::{ACCOUNT}:role/test",
        )

    def _manifests(self) -> KeptManifests:
        return KeptManifests(lambda: self.deployed, lambda: self.s3, BUCKET)

    def fresh(self) -> Intake:
        """Return what a new process works with: it knows nothing of what others have done."""
        switches = DynamoSwitches(self.dynamodb, SETTINGS.events_table, self.clock)
        gate = replace(self.gate, manifests=self._manifests(), switches=switches)
        return replace(self.intake, gate=gate)

    @property
    def gate(self) -> Gate:
        """Return what events go through."""
        return self.intake.gate

    def take(self, *records: dict[str, Any], intake: Intake | None = None) -> list[str]:
        """Hand records to the function; return the identifiers that it names as failed."""
        handle = intake_function.handler_with(lambda: intake or self.intake)
        failed = handle({"Records": list(records)}, None)["batchItemFailures"]
        return [one["itemIdentifier"] for one in failed]

    def post(self, message: object) -> bool:
        """Send a message and take it in; return whether it was."""
        return not self.take(self.queue.record(message))

    def come(self, body: Any = None, name: str = "release-http", **fields: Any) -> bool:
        """Let an event come to a trigger; return whether it was taken in."""
        return self.post({"trigger": f"release.{name}", "event": body or {}, **fields})

    def drain(self) -> list[str]:
        """Take in what waits in the queue; return the identifiers of what failed."""
        waiting = list(self.queue.waiting)
        self.queue.waiting.clear()
        return [name for one in waiting for name in self.take(one)]

    @property
    def executions(self) -> list[Any]:
        """Return all executions, as they were started."""
        machines = stepfunctions_backends[ACCOUNT][REGION].state_machines
        return [execution for machine in machines for execution in machine.executions]

    def inputs(self) -> list[Any]:
        """Return the inputs of all executions."""
        return [json.loads(one.execution_input) for one in self.executions]

    def runs(self) -> Counter[str]:
        """Count the executions by their names."""
        return Counter(one.name for one in self.executions)

    def events(self, **sought: Any) -> list[Event]:
        """Return all events, the oldest first."""
        page = self.gate.events.listed(Sought(**sought), 100_000)
        return list(reversed(page.events))

    def outcomes(self) -> Counter[str]:
        """Count the events by their outcomes."""
        return Counter(event.outcome for event in self.events())
