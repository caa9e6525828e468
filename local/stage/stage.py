"""A local stage: what a deployment makes, in this process, for as long as it is wanted.

One engine, all tables, the bucket, the bus and the queue; every machine of the project's
workflows; every function, called in process. What AWS wires between them is wired here: streams
to `wake` and `records`, status changes to `records`, events of the bus through the triggers'
patterns and the queue to `intake`. Any number of runs go on at once.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import boto3

from functions.actions.processes import allow, stop_all
from functions.adapters.secrets import ManagedSecrets
from functions.ports import Carries
from functions.usecases.start_run import Starter, reference_of, start_of, start_run
from functions.wiring import Local
from local import secrets
from local.clock import Clock
from local.engine import INTERRUPTED, REGION, Engine
from local.functions import Functions
from local.stage import state
from local.stage.events import Events
from local.stage.handlers import Around, Handlers
from local.stage.logs import RunLogs
from local.stage.machines import Laid, Machines, manifests_of
from local.stage.manifests import LocalManifests
from local.stage.names import BUCKET, BUS, MACHINES, STAGE
from local.stage.queue import Queue
from local.stage.setting import Setting
from local.stage.sources import StageSources
from local.stage.streams import Streams
from local.stage.time import FAST, SWEEP_SECONDS, Pacer, Schedules, every
from local.tables import create_tables, table_name
from protocol import environment
from protocol.names import machine_name
from protocol.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from moto.stepfunctions.parser.backend.execution import Execution
    from mypy_boto3_s3 import S3Client

    from functions.domain.task import Task
    from protocol.manifest import WorkflowManifest
    from protocol.payloads import MachineInput

EXECUTIONS = MACHINES.replace(":stateMachine:", ":execution:")
_PATIENCE = 5.0
"""Seconds for executions that were stopped to end in order."""
_LOOK_SECONDS = 0.02
_ROUNDS = 20
"""Turns that whatever is at work has before it counts as done with."""
_REGION = "AWS_DEFAULT_REGION"


class Stage:
    """A context manager; one at a time in a process."""

    def __init__(self, setting: Setting, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self._setting = setting
        self._open = ExitStack()
        self._writes = 0
        self._has_begun = False
        self._secrets: set[str] = set()
        self._bucket: S3Client | None = None

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            self._enter(opened)
            self._open = opened.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        stop_all()
        self._open.close()
        allow()

    def _enter(self, opened: ExitStack) -> None:
        setting, clock = self._setting, self.clock
        allow()
        opened.enter_context(_region())
        opened.enter_context(_told(setting.fault))
        store = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="stepsmith-stage-")))
        self._sources = StageSources(setting.source, store / "sources")
        self.logs = RunLogs((setting.keep or store) / "logs", clock)
        self._inherited = _inherited()
        self._local = Local(
            clock=clock,
            sources=self._sources,
            secrets=ManagedSecrets(STAGE, REGION),
            s3=self._s3,
            inherited=self._inherited,
            logs=None,
            groups=setting.people.directory.groups,
        )
        self.queue = Queue(clock, setting.fault)
        self.manifests = LocalManifests(self._s3)
        self._handlers = Handlers(
            setting, Around(clock, self._local, self.logs, self.manifests, self.queue)
        )
        self._functions = Functions(self._handlers.steps, setting.actions)
        self.engine = opened.enter_context(Engine(self._functions.by_arn, clock))
        self._machines = Machines(self.engine, self._functions.fills)
        if setting.pace == "real":  # first, or time jumps to the first sweep
            opened.enter_context(clock.real_work())
        self._lay_out()

    def _lay_out(self) -> None:
        """Make the tables, the bucket and the bus, take up what was kept, connect the functions."""
        setting, engine = self._setting, self.engine
        self._dynamodb = boto3.client("dynamodb", region_name=REGION)
        create_tables(self._dynamodb, TABLES)
        boto3.client("events", region_name=REGION).create_event_bus(Name=BUS)
        secrets.create({environment.LINK_KEY: state.link_key(setting.keep)}, STAGE, REGION)
        self._is_taken_up = setting.keep is not None and state.holds_state(setting.keep)
        if setting.keep is not None and self._is_taken_up:
            state.load(setting.keep, self._dynamodb, self._s3())
        self._functions.fills["bus"] = BUS
        for place, handler in self._handlers.of_machines().items():
            self._functions.add(place, handler)
        streams = Streams(self.clock, setting.fault)
        for table, take in self._handlers.of_streams():
            streams.read(table_name(table), take)
        self.events = Events(self.manifests.all, self.queue, setting.unheard)
        engine.read_writes(self._wrote)
        engine.read_writes(streams.wrote)
        engine.take_events(self.events.put)
        engine.listen(self._changed)
        self._handlers.work()
        if setting.pace == "fast" and not setting.schedules:
            streams.read(table_name("tasks"), Pacer(self.clock).take)

    def _begin(self) -> None:
        """Begin what goes by the clock, now that there are workflows."""
        setting, clock = self._setting, self.clock
        if setting.pace == "fast" and setting.schedules:
            clock.set_pace(FAST)  # else time would jump from one to the next without an end
        if self._is_taken_up:  # by a process that may have ended in the middle of runs
            clock.thread(self.sweep, (), "sweep").start()
        if setting.pace == "real":
            every(clock, SWEEP_SECONDS, self.sweep)
        if setting.schedules:
            Schedules(clock, self.manifests.all, self.queue).work()

    # --- workflows and runs ---------------------------------------------------------------------

    def lay(self, workflows: Iterable[Laid], actions: Mapping[str, Carries] | None = None) -> None:
        """Have these workflows, and only these, from now on.

        `actions` are the project's own, where they are others than before. Runs go on with the
        machines they began with. Raises EngineFault for what there is not.
        """
        self.engine.on_clock(partial(self._lay, [*workflows], actions))

    def _lay(self, workflows: list[Laid], actions: Mapping[str, Carries] | None) -> None:
        definitions = [text for one in workflows for text in one.machines.values()]
        if actions is not None:
            self._functions.own = actions
        self._functions.carry_out_steps(json.dumps(definitions))
        of_triggers = (name for one in workflows for name in _of_webhooks(one.manifest))
        self._provide_secrets({*of_triggers}.union(*(one.secrets for one in workflows)))
        self._machines.lay(workflows)
        self.manifests.lay(manifests_of(workflows))
        self.events.lay(self.manifests.all())
        if not self._has_begun:
            self._has_begun = True
            self._begin()

    def _provide_secrets(self, names: Iterable[str]) -> None:
        """Put the secrets that machines read where functions find them, and nowhere else."""
        given = self._setting.secrets
        new = {name: given[name] for name in names if name in given and name not in self._secrets}
        secrets.create(new, STAGE, REGION)
        self._secrets |= new.keys()
        for name in names:
            self._inherited.pop(name, None)

    def start(self, manifest: WorkflowManifest, run_id: str, given: MachineInput) -> Execution:
        """Start a run as an event would, and return its execution."""
        start = start_of(manifest, run_id, given)
        starter = Starter(self.manifests, self._handlers.machines)
        self.engine.on_clock(lambda: start_run(start, starter))
        name = machine_name(STAGE, reference_of(manifest, self.manifests))
        return self.engine.find(f"{EXECUTIONS}{name}:{run_id}")

    def answer(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the API answers to an event of API Gateway (HTTP API, version 2)."""
        answered: dict[str, Any] = self.engine.on_clock(lambda: self._handlers.api(event, None))
        return answered

    def warm(self) -> None:
        """Load what the API needs, before the first call waits for it."""
        self.engine.on_clock(lambda: self._handlers.api)

    def task(self, task_id: str) -> Task | None:
        """Return a task; may be asked on any thread."""
        return self._handlers.office.desk.tasks.get(task_id)

    def stop_runs(self) -> None:
        """Stop all executions that go on, and what their scripts have started."""
        for execution in self.engine.running():
            self.engine.stop(execution, INTERRUPTED, "the stage was stopped")
        stop_all()
        self.settle()

    def settle(self) -> None:
        """Wait a moment for what follows the end of runs to be done with."""
        until = time.monotonic() + _PATIENCE
        while self.engine.running() and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
        for _ in range(_ROUNDS):
            self.engine.on_clock(lambda: self.clock.sleep(0))

    # --- what AWS does by itself ----------------------------------------------------------------

    def _changed(self, event: Mapping[str, Any]) -> None:
        """Tell functions and triggers of an execution's new status."""
        self.clock.thread(self._tell, (event,), "status").start()

    def _tell(self, event: Mapping[str, Any]) -> None:
        detail = event["detail"]
        self._safely("records", partial(self._handlers.changed, event))
        self.events.tell(event)
        if detail["status"] != "RUNNING":
            self._sources.forget(detail["name"])

    def sweep(self) -> None:
        """Have what was lost looked for; on a thread of the clock."""
        self._safely("the sweep", self._handlers.sweep)

    def _safely(self, what: str, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 (whatever it is, the stage goes on)
            self._setting.fault(f"{what}: {type(error).__name__}: {error}")

    # --- state ----------------------------------------------------------------------------------

    @property
    def writes(self) -> int:
        """Return how many writes to tables there have been."""
        return self._writes

    def save(self, told: Mapping[str, str]) -> float:
        """Write the state where it is kept; `told` is what `state.about` returns later.

        Return how many seconds that took, without the wait for a turn.
        """
        keep = self._setting.keep
        if keep is None:
            return 0.0

        def work() -> float:
            began = time.monotonic()
            state.save(keep, told, self._dynamodb, self._s3(), self.clock.now())
            return time.monotonic() - began

        took: float = self.engine.on_clock(work)
        return took

    def _wrote(self) -> None:
        self._writes += 1

    def _s3(self) -> S3Client:
        if self._bucket is None:
            self._bucket = boto3.client("s3", region_name=REGION)
            self._bucket.create_bucket(Bucket=BUCKET)
        return self._bucket


def _of_webhooks(manifest: WorkflowManifest) -> Iterator[str]:
    """Yield the names of the secrets that senders of webhooks know."""
    for trigger in manifest["triggers"]:
        if trigger["type"] in ("git-push", "http"):
            name = trigger["settings"].get("secret")
            if isinstance(name, str):
                yield name


def _inherited() -> dict[str, str]:
    """Return what scripts find of this process' environment."""
    ours = ("AWS_", "STEPSMITH_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


class _Teller(logging.Handler):
    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(record.getMessage())


@contextmanager
def _told(tell: Callable[[str], None]) -> Iterator[None]:
    """Have told what functions log as errors."""
    logger, teller = logging.getLogger("functions"), _Teller(tell)
    logger.addHandler(teller)
    try:
        yield
    finally:
        logger.removeHandler(teller)


@contextmanager
def _region() -> Iterator[None]:
    """Let clients that name no region find the engine's."""
    before = os.environ.get(_REGION)
    os.environ[_REGION] = REGION
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_REGION, None)
        else:
            os.environ[_REGION] = before
