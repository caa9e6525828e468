"""What a local stage does by the clock: schedules, the sweep, and how fast time passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from functions.domain.task import PENDING
from functions.domain.triggers.occurrences import occurrences
from local.clock import Clock

if TYPE_CHECKING:
    from functions.event_ports import Queue
    from protocol.manifest import TriggerManifest, WorkflowManifest

Pace: TypeAlias = Literal["jumping", "real", "fast"]
"""How time passes: jumping to the next deadline where nothing runs; as on the wall; or jumping,
but with an hour in each second while people are asked something."""

FAST = 3600.0
SWEEP_SECONDS = 300.0
_LOOK_SECONDS = 30.0
"""Between two looks at which schedules there are."""


class Pacer:
    """Lets people see what happens while they are asked: takes the stream of the tasks' table."""

    def __init__(self, clock: Clock, open_tasks: Iterable[str] = ()) -> None:
        self._clock = clock
        self._open = set(open_tasks)
        self._set()

    def take(self, batch: Mapping[str, Any]) -> None:
        """Take records of the stream."""
        for record in batch["Records"]:
            image = record["dynamodb"].get("NewImage", {})
            if "task" not in image:
                continue
            task = record["dynamodb"]["Keys"]["id"]["S"]
            if image["status"]["S"] == PENDING:
                self._open.add(task)
            else:
                self._open.discard(task)
        self._set()

    def _set(self) -> None:
        self._clock.set_pace(FAST if self._open else None)


class Schedules:
    """Puts what is due by the schedules of workflows into the queue, as EventBridge Scheduler."""

    def __init__(
        self, clock: Clock, deployed: Callable[[], Iterable[WorkflowManifest]], queue: Queue
    ) -> None:
        self._clock = clock
        self._deployed = deployed
        self._queue = queue

    def work(self) -> None:
        """Begin."""
        self._clock.thread(self._work, (), "schedules").start()

    def _work(self) -> None:
        begun = seen = self._clock.now()
        while True:
            soon = seen + timedelta(seconds=_LOOK_SECONDS)
            following = min((due for due, _ in self._due(seen, soon, begun)), default=soon)
            self._clock.sleep(max(0.0, (following - self._clock.now()).total_seconds()))
            # Of workflows that came meanwhile too.
            for due, trigger in sorted(self._due(seen, following, begun)):
                time = due.isoformat(timespec="seconds").replace("+00:00", "Z")
                self._queue.send({"trigger": trigger, "event": {"scheduled_time": time}})
            seen = following

    def _due(self, after: datetime, until: datetime, begun: datetime) -> Iterator[_Due]:
        for name, trigger in schedules(self._deployed()):
            for due in occurrences(trigger["settings"], after, anchor=begun):
                if due > until:
                    break
                yield due, name


_Due: TypeAlias = tuple[datetime, str]


def schedules(manifests: Iterable[WorkflowManifest]) -> Iterator[tuple[str, TriggerManifest]]:
    """Yield the schedules of workflows by their whole names: of an id, the first manifest's."""
    seen: set[str] = set()
    for manifest in manifests:
        if manifest["id"] not in seen:
            seen.add(manifest["id"])
            for trigger in manifest["triggers"]:
                if trigger["type"] == "schedule":
                    yield f"{manifest['id']}.{trigger['name']}", trigger


def every(clock: Clock, seconds: float, work: Callable[[], object]) -> None:
    """Do a piece of work again and again, with a pause of the clock's seconds before each."""

    def go_on() -> None:
        while True:
            clock.sleep(seconds)
            work()

    clock.thread(go_on, (), "every").start()
