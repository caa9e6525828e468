"""The function of an action, which carries out steps; which action, the environment says."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache

from functions.domain.services import Services
from functions.ports import Carries
from functions.settings import Settings
from functions.usecases.carry_out import Surroundings, carry_out
from functions.wiring import action, action_wiring
from protocol import environment
from protocol.payloads import ActionCall, Envelope


def handler_with(
    name: Callable[[], str],
    wiring: Callable[[], Surroundings],
    find: Callable[[str, Services], Carries] = action,
) -> Callable[[ActionCall, object], Envelope]:
    """Return the handler of an action; what it works with is made at its first call.

    `find` gives the action by its name.
    """
    made = cache(wiring)
    chosen = cache(lambda: find(name(), made().services))

    def handle(event: ActionCall, _context: object) -> Envelope:
        return carry_out(event, chosen(), made())

    return handle


handler = handler_with(
    lambda: os.environ[environment.ACTION], lambda: action_wiring(Settings.read())
)
