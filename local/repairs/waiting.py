"""Threads, waits and times of the parser are put on the engine's virtual clock."""

from __future__ import annotations

import datetime as dt
import importlib
import random
import threading
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

from local.active import host

chance = random.Random()  # noqa: S311 (no secrets)
"""Where jitter comes from."""

_PARSER = "moto.stepfunctions.parser"
_COMPONENT = f"{_PARSER}.asl.component"
_MAP = f"{_COMPONENT}.state.exec.state_map.iteration"

_THREADING = (
    f"{_COMPONENT}.program.program",
    f"{_COMPONENT}.state.exec.execute_state",
    f"{_COMPONENT}.state.exec.state_parallel.branch_worker",
    f"{_COMPONENT}.state.exec.state_parallel.branches_decl",
    f"{_COMPONENT}.state.exec.state_task.service.state_task_service_callback",
    f"{_MAP}.inline_iteration_component",
    f"{_MAP}.itemprocessor.map_run_record",
    f"{_MAP}.job",
    f"{_PARSER}.asl.eval.environment",
)
_TIMES = (
    f"{_PARSER}.asl.eval.event.event_manager",
    f"{_PARSER}.asl.component.state.state",
    f"{_PARSER}.backend.execution",
    f"{_PARSER}.models",
)


def _thread(**options: Any) -> Any:
    return host().clock.thread(
        options["target"], tuple(options.get("args", ())), options.get("name")
    )


def _event() -> Any:
    return host().clock.event()


def _sleep(seconds: float) -> None:
    host().clock.sleep(seconds)


class _Datetime(dt.datetime):
    """`datetime.datetime` whose `now` is the clock's."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:  # type: ignore[override]
        moment = host().clock.now()
        return moment.astimezone(tz) if tz else moment.replace(tzinfo=None)


def _wait_interval(_self: object, env: Any, wait_seconds: float) -> None:
    stubs = host().stubs
    stubbed = None if stubs is None else stubs.seconds(env.next_state_name)
    pause(env, wait_seconds if stubbed is None else stubbed)


def pause(env: Any, wait_seconds: float) -> None:
    """Wait to the end, whatever wakes the state in between, unless what it is part of is over."""
    clock = host().clock
    until = clock.now() + dt.timedelta(seconds=wait_seconds)
    while env.is_running():
        left = (until - clock.now()).total_seconds()
        if left <= 0:
            return
        env.program_state_event.wait(left)


def _seconds_to(self: Any, env: Any) -> float:
    """Return the seconds to a Timestamp; offsets and fractions count, as on AWS."""
    self.string.eval(env=env)
    text = env.stack.pop()
    try:
        moment = dt.datetime.fromisoformat(text)
    except (TypeError, ValueError):
        moment = None
    if moment is None or moment.tzinfo is None:
        failures = importlib.import_module(f"{_COMPONENT}.common.error_name.failure_event")
        raise failures.FailureEventException(self._create_failure_event(env, text))
    return (moment - host().clock.now()).total_seconds()


def _state_data(**fields: Any) -> dict[str, Any]:
    """Return what the context says of a state; no two visits of it begin at the same moment.

    On AWS they cannot. Here a step that takes no time of the clock may fail, be paused and be
    tried again within one moment, and its pauses are told apart by when they were entered.
    """
    seen = _ENTERED.setdefault(host(), {})
    name, entered = fields["Name"], fields["EnteredTime"]
    before = seen.get(name)
    if before is not None and dt.datetime.fromisoformat(before) >= dt.datetime.fromisoformat(
        entered
    ):
        moment = dt.datetime.fromisoformat(before) + dt.timedelta(microseconds=1)
        entered = moment.isoformat()
    seen[name] = entered
    return {**fields, "EnteredTime": entered}


_ENTERED: WeakKeyDictionary[Any, dict[str, str]] = WeakKeyDictionary()
"""When each state was entered last, by the engine."""


def install() -> None:
    """Replace what the parser's modules know as threads, events, sleep and now."""
    threads = SimpleNamespace(
        Thread=_thread, Event=_event, Lock=threading.Lock, RLock=threading.RLock
    )
    for name in _THREADING:
        importlib.import_module(name).threading = threads  # type: ignore[attr-defined]
    for name in (f"{_COMPONENT}.state.exec.execute_state", f"{_PARSER}.backend.execution_worker"):
        importlib.import_module(name).Thread = _thread  # type: ignore[attr-defined]
    importlib.import_module(f"{_PARSER}.asl.eval.callback.callback").Event = _event  # type: ignore[attr-defined]
    times = SimpleNamespace(datetime=_Datetime, timezone=dt.timezone)
    for name in _TIMES:
        importlib.import_module(name).datetime = times  # type: ignore[attr-defined]
    importlib.import_module(f"{_COMPONENT}.state.state").StateData = _state_data  # type: ignore[attr-defined]
    sleeping = SimpleNamespace(sleep=_sleep)
    importlib.import_module(f"{_COMPONENT}.common.retry.jitter_strategy_decl").random = chance  # type: ignore[attr-defined]
    importlib.import_module(
        f"{_COMPONENT}.state.exec.state_task.service.state_task_service_callback"
    ).time = sleeping  # type: ignore[attr-defined]
    waits = f"{_COMPONENT}.state.wait.wait_function"
    importlib.import_module(f"{waits}.wait_function").WaitFunction._wait_interval = _wait_interval  # noqa: SLF001
    importlib.import_module(f"{waits}.timestamp").Timestamp._get_wait_seconds = _seconds_to  # noqa: SLF001
