"""Maps: at most 40 items at once, a failed item stops the others; Distributed Maps have children.

In moto an inline Map starts all items at once, goes on with the others after one failed, and
recurs for each item. Its Distributed Map reads outer variables and takes failed items for null.
https://docs.aws.amazon.com/step-functions/latest/dg/state-map.html
"""

from __future__ import annotations

import json
from typing import Any

from moto.stepfunctions.parser.api import (
    ExecutionFailedEventDetails,
    HistoryEventType,
    MapRunStatus,
)
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import (
    StatesErrorName,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.distributed_iteration_component import (  # noqa: E501
    DistributedIterationComponent,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.inline_iteration_component import (  # noqa: E501
    InlineIterationComponent,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.iteration_worker import (  # noqa: E501
    IterationWorker,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.job import JobPool
from moto.stepfunctions.parser.asl.eval.event.event_manager import EventManager
from moto.stepfunctions.parser.asl.eval.program_state import ProgramError
from moto.stepfunctions.parser.asl.eval.states import ItemData, MapData
from moto.stepfunctions.parser.asl.eval.variable_store import VariableStore
from moto.stepfunctions.parser.utils import long_uid

from local.active import host
from local.repairs.stopping import Stopped

INLINE_AT_ONCE = 40
"""https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html"""
_THRESHOLD = "States.ExceedToleratedFailureThreshold"


def _inline(self: Any, env: Any) -> None:
    """Carry the items out, as many at once as the state and AWS allow."""
    given = env.stack.pop()
    items = given.input_items
    pool = JobPool(job_program=self._get_iteration_program(), job_inputs=items)
    at_once = min(len(items), given.max_concurrency or INLINE_AT_ONCE, INLINE_AT_ONCE)
    for _ in range(at_once):
        self._launch_worker(env=env, eval_input=given, job_pool=pool)
    pool.await_jobs()
    failed = pool.get_worker_exception()
    if failed is not None:
        for frame in list(env._frames):  # noqa: SLF001
            frame.set_stop(stop_date=host().clock.now(), cause=None, error=None)
        raise failed
    env.stack.append([job.job_output for job in pool.get_closed_jobs()])


def _one_after_the_other(self: Any, job: Any, worker_frame: Any) -> None:
    """Carry out what one worker gets, until nothing is left or something failed."""
    while job is not None:
        frame = worker_frame.open_inner_frame()
        self._eval_job(env=frame, job=job)
        worker_frame.close_frame(frame)
        over = isinstance(job.job_output, Exception) or self.stopped()
        following = None if over else self._job_pool.next_job()
        if following is None:
            if not over:
                worker_frame.event_history_context.source_event_id = (
                    frame.event_history_context.last_published_event_id
                )
            # The frame first: the Map goes on when the last job is closed.
            self._env.close_frame(worker_frame)
        self._job_pool.close_job(job)
        job = following
        if following is None:
            return
    self._env.close_frame(worker_frame)


class _MapRun:
    """The children of one Distributed Map state."""

    def __init__(self, component: Any, env: Any, given: Any, items: list[Any]) -> None:
        self._program = component._get_iteration_program()  # noqa: SLF001
        self._env = env
        self._given = given
        self._items = items
        self._next = 0
        self._frames: list[Any] = []
        self.failures = 0
        self.results: list[Any] = [None] * len(items)

    def carry_out(self) -> None:
        """Run all children, or as many as it takes to exceed the tolerated failures."""
        at_once = min(len(self._items), self._given.max_concurrency or len(self._items))
        threads = [host().clock.thread(self._work) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def exceeded(self) -> bool:
        """Whether more children failed than the state tolerates."""
        count = self._given.tolerated_failure_count
        percentage = self._given.tolerated_failure_percentage
        tests = []
        if count:
            tests.append(self.failures > count)
        if percentage:
            tests.append(self.failures * 100 / max(1, len(self._items)) > percentage)
        return any(tests) if tests else self.failures > 0

    def _work(self) -> None:
        while self._next < len(self._items) and self._env.is_running() and not self.exceeded():
            index = self._next
            self._next += 1
            frame = self._child(index)
            self._program.eval(frame)
            self._env.delete_frame(frame)
            self._take(index, frame)

    def _child(self, index: int) -> Any:
        """Return a child's environment: no variables of the parent, a name and an input."""
        item = self._items[index]
        selecting = self._env.open_inner_frame()
        selecting.states.context_object.context_object_data["Map"] = MapData(
            Item=ItemData(Index=index, Value=item)
        )
        if self._given.item_selector is not None:
            selecting.states.reset(self._env.states.get_input())
            self._given.item_selector.eval(selecting)
            item = selecting.stack.pop()
        self._env.delete_frame(selecting)
        frame: Any = self._env.open_inner_frame()
        frame.variable_store = _no_variables()
        frame.event_manager = EventManager()
        name = long_uid()
        parent = frame.states.context_object.context_object_data["Execution"]
        machine = parent["Id"].replace(":execution:", ":").rpartition(":")[0].rpartition(":")[2]
        label = self._given.label or "map"
        prefix = parent["Id"].partition(f":execution:{machine}")[0]
        frame.states.context_object.context_object_data["Execution"] = {
            **parent,
            "Id": f"{prefix}:execution:{machine}/{label}:{name}",
            "Name": name,
            "Input": item,
        }
        frame.states.reset(item)
        frame.started = host().clock.now()
        return frame

    def _take(self, index: int, frame: Any) -> None:
        state = frame.program_state()
        if not isinstance(state, ProgramError):
            self.results[index] = frame.states.get_input()
            return
        self.failures += 1
        execution = frame.states.context_object.context_object_data["Execution"]
        error = state.error or {}
        self.results[index] = {
            "Error": error.get("error"),
            "Cause": error.get("cause"),
            "ExecutionArn": execution["Id"],
            "Input": json.dumps(execution["Input"], ensure_ascii=False),
            "InputDetails": {"Included": True},
            "Name": execution["Name"],
            "StartDate": frame.started.isoformat(timespec="milliseconds"),
            "StateMachineArn": self._given.map_run_record.map_state_machine_arn,
            "Status": "FAILED",
            "StopDate": host().clock.now().isoformat(timespec="milliseconds"),
        }


_no_variables: Any = VariableStore


def _distributed(self: Any, env: Any) -> None:
    given = env.stack.pop()
    record = given.map_run_record
    details: Any = {"mapRunStartedEventDetails": {"mapRunArn": record.map_run_arn}}
    env.event_manager.add_event(
        context=env.event_history_context,
        event_type=HistoryEventType.MapRunStarted,
        event_details=details,
    )
    items = given.input_items
    if given.item_reader:
        given.item_reader.eval(env=env)
        items = env.stack.pop()
    run = _MapRun(self, env, given, items)
    run.carry_out()
    if not env.is_running():
        raise Stopped
    record.set_stop(status=MapRunStatus.FAILED if run.exceeded() else MapRunStatus.SUCCEEDED)
    if run.exceeded():
        raise _too_many(env)
    env.event_manager.add_event(
        context=env.event_history_context, event_type=HistoryEventType.MapRunSucceeded
    )
    env.stack.append(run.results)


def _too_many(env: Any) -> FailureEventException:
    cause = (
        "The specified tolerated failure threshold was exceeded for the Map Run: "
        "the failed items are more than the tolerated ones."
    )
    details: Any = {
        "executionFailedEventDetails": ExecutionFailedEventDetails(error=_THRESHOLD, cause=cause)
    }
    env.event_manager.add_event(
        context=env.event_history_context,
        event_type=HistoryEventType.MapRunFailed,
        event_details={"mapRunFailedEventDetails": {"error": _THRESHOLD, "cause": cause}},
    )
    return FailureEventException(
        failure_event=FailureEvent(
            env=env,
            error_name=StatesErrorName.from_name(_THRESHOLD),
            event_type=HistoryEventType.ExecutionFailed,
            event_details=details,
        )
    )


def install() -> None:
    """Replace how items are carried out."""
    put: Any = setattr
    put(InlineIterationComponent, "_eval_body", _inline)
    put(DistributedIterationComponent, "_eval_body", _distributed)
    put(IterationWorker, "_eval_pool", _one_after_the_other)
