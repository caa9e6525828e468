"""The function `tasks`: opens, escalates and expires what waits for people and answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from functions.handlers.passing import tried_again
from functions.settings import TaskSettings
from functions.usecases.close_steps import close_steps
from functions.usecases.desk import Office
from functions.usecases.escalate import escalate
from functions.usecases.expire import expire
from functions.usecases.open_task import (
    await_callback,
    await_event,
    open_callback,
    open_task,
    pause,
)
from functions.wiring import office_wiring
from protocol.payloads import Json, TaskCall


def handler_with(
    wiring: Callable[[], Office],
) -> Callable[[TaskCall, object], dict[str, Json] | None]:
    """Return the handler; what it works with is made at its first call."""
    made = cache(wiring)

    def handle(event: TaskCall, _context: object) -> dict[str, Json] | None:
        if event["op"] == "expire":
            return expire(event, made())
        if event["op"] == "open_callback":
            url, number = open_callback(event, made())
            return {"url": url, "round": number}
        if event["op"] == "close":
            close_steps(event, made().desk)
        elif event["op"] == "open":
            open_task(event, made())
        elif event["op"] == "escalate":
            escalate(event, made())
        elif event["op"] == "pause":
            pause(event, made())
        elif event["op"] == "await_event":
            await_event(event, made())
        else:
            await_callback(event, made())
        return None

    return tried_again(handle)


handler = handler_with(lambda: office_wiring(TaskSettings.read()))
