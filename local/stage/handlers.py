"""The functions of a local stage: the handlers of a deployment, wired to what is here."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import boto3

from functions.adapters.machines import Addresses, StepFunctionsMachines
from functions.adapters.notifications import Outbox
from functions.event_wiring import door_wiring, intake_wiring
from functions.handlers import intake as intake_function
from functions.handlers import latches as latches_function
from functions.handlers import records as records_function
from functions.handlers import wake as wake_function
from functions.lost_wiring import lost_wiring
from functions.record_wiring import reading_wiring
from functions.settings import ApiSettings, EventSettings, RecordSettings, Settings, TaskSettings
from functions.wiring import (
    Local,
    LocalPeople,
    action_wiring,
    api_wiring,
    keeper_wiring,
    latch_wiring,
    office_wiring,
    stored_wiring,
    waker_wiring,
)
from local.engine import REGION
from local.people import Staff
from local.stage.names import MACHINES, STAGE, here, variables
from local.stage.refused import Watched
from local.tables import table_name

if TYPE_CHECKING:
    from functions.domain.task_messages import Message
    from functions.handlers.intake import Batch as IntakeBatch
    from functions.handlers.wake import Batch
    from functions.ports import Machines
    from functions.usecases.archive import Keeper
    from functions.usecases.carry_out import Surroundings
    from functions.usecases.claim import Gate
    from functions.usecases.desk import Office
    from functions.usecases.intake import Intake
    from functions.usecases.reading import Reading
    from functions.usecases.webhooks import Door
    from functions.wiring import ApiWiring
    from local.clock import Clock
    from local.stage.logs import RunLogs
    from local.stage.manifests import LocalManifests
    from local.stage.queue import Queue
    from local.stage.setting import Setting
    from local.stage.streams import Take

Handler: TypeAlias = Callable[[Any, object], Any]


@dataclass(frozen=True, slots=True)
class Around:
    """What a stage has for its functions in the place of what AWS has."""

    clock: Clock
    local: Local
    logs: RunLogs
    manifests: LocalManifests
    queue: Queue


class Handlers:
    """Each function as a handler; what it works with is made when it is first called."""

    def __init__(self, setting: Setting, around: Around) -> None:
        self._around = around
        self._setting = setting
        self._local = local = around.local
        self._clock = around.clock
        self._variables = variables(setting.api)
        self._people = LocalPeople(
            self._clock,
            setting.people.directory,
            local.secrets,
            Mails(self._clock, setting.mail),
            operators=True,
        )
        self._staff = Staff(self._clock, setting.people, lambda: self.office)
        self._latches = latches_function.handler_with(
            lambda: latch_wiring(self._settings, self._clock)
        )
        self._records = records_function.handler_with(
            lambda: stored_wiring(self._settings),
            self._keeper,
            lost_wiring(lambda: self._settings),
        )

    # --- wirings --------------------------------------------------------------------------------

    @property
    def _settings(self) -> Settings:
        return here(Settings.read(self._variables))

    @property
    def _task_settings(self) -> TaskSettings:
        return here(TaskSettings.read(self._variables))

    @property
    def _record_settings(self) -> RecordSettings:
        return here(RecordSettings.read(self._variables))

    def steps(self) -> Surroundings:
        """Return what actions work with."""
        return replace(action_wiring(self._settings, self._local), log=self._around.logs)

    @cached_property
    def office(self) -> Office:
        """Return where tasks are opened."""
        return office_wiring(self._task_settings, self._people)

    @cached_property
    def machines(self) -> Machines:
        """Return the stage's state machines."""
        client = boto3.client("stepfunctions", region_name=REGION)
        return StepFunctionsMachines(client, Addresses(STAGE, MACHINES))

    def _keeper(self) -> Keeper:
        """Executions are this process's: one that is not here ended with the process before."""
        keeper = keeper_wiring(self._record_settings, self._people, self._around.manifests)
        return replace(keeper, lost=timedelta(0))

    def _api(self) -> ApiWiring:
        wiring = api_wiring(here(ApiSettings.read(self._variables)), self._people)
        return replace(
            wiring,
            log=lambda: _Quiet(self._setting.fault),
            manifests=lambda: self._around.manifests,
            door=cache(self._door),
            runs=cache(self._reading),
        )

    def _reading(self) -> Reading:
        around, settings = self._around, self._record_settings
        return reading_wiring(settings, self._clock, around.manifests, around.logs)

    def _door(self) -> Door:
        around, clock = self._around, self._clock
        settings = here(EventSettings.read(self._variables))
        door = door_wiring(settings, clock, manifests=around.manifests, queue=around.queue)
        return replace(door, gate=self._watched(door.gate))

    # --- handlers -------------------------------------------------------------------------------

    @cached_property
    def api(self) -> Handler:
        """Return the function that answers the events of the API."""
        from functions.handlers import api as api_function

        return api_function.handler_with(self._api)

    def of_machines(self) -> dict[str, Handler]:
        """Return the functions that machines call, by the placeholders that name them there."""
        return {
            "latches": self._latches,
            "records": self._records,
            "tasks": self._staff.function,
        }

    def of_streams(self) -> list[tuple[str, Take]]:
        """Return who reads which table's stream."""
        wake = wake_function.handler_with(lambda: waker_wiring(self._task_settings, self._clock))
        records = self._records
        return [
            ("tasks", lambda batch: wake(cast("Batch", batch), None)),
            ("tasks", lambda batch: records(batch, None)),
            ("results", lambda batch: records(batch, None)),
        ]

    def changed(self, event: Mapping[str, Any]) -> None:
        """Hand an execution's new status on."""
        self._records(event, None)

    def sweep(self) -> None:
        """Look for what was lost."""
        self._records({"op": "sweep"}, None)

    def work(self) -> None:
        """Begin to take what comes out of the queue."""
        intake = intake_function.handler_with(self._intake)
        self._around.queue.work(lambda batch: intake(cast("IntakeBatch", batch), None))

    def _intake(self) -> Intake:
        around, settings = self._around, here(EventSettings.read(self._variables))
        intake = intake_wiring(
            settings, self._clock, manifests=around.manifests, queue=around.queue
        )
        return replace(intake, gate=self._watched(intake.gate))

    def _watched(self, gate: Gate) -> Gate:
        return replace(gate, events=Watched(gate.events, self._setting.refused))


class Mails:
    """`functions.ports.Sends`: mails are kept in the outbox, and told with their links."""

    def __init__(self, clock: Clock, tell: Callable[[Message], None] | None) -> None:
        self._clock = clock
        self._tell = tell

    @cached_property
    def _outbox(self) -> Outbox:
        client = boto3.client("dynamodb", region_name=REGION)
        return Outbox(client, table_name("outbox"), self._clock)

    def send(self, message: Message) -> None:
        """Keep a mail, and tell of it."""
        self._outbox.send(message)
        if self._tell is not None:
            self._tell(message)


class _Quiet:
    """`functions.api_ports.CallLog` that tells of what goes wrong, and of nothing else."""

    def __init__(self, fault: Callable[[str], None]) -> None:
        self._fault = fault

    def answered(
        self, request_id: str, method: str, route: str, status: int, seconds: float
    ) -> None:
        """Say nothing: who called has the answer."""

    def fault(self, request_id: str, route: str, error: Exception) -> None:
        """Tell that answering a call went wrong."""
        del request_id
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        self._fault(f"{route}: {type(error).__name__}: {error} ({place})")

    def lacking(self, request_id: str, route: str, what: str) -> None:
        """Tell of what the stage does not have, and how it gets it on this machine."""
        del request_id
        self._fault(
            f"{route}: {what}; give it in the environment or, as NAME=value, in the file .secrets, "
            "and start again"
        )
