"""The functions of a local stage, behind the placeholders that machines have for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from functions.domain.services import Services
from functions.handlers import action as action_function
from functions.handlers.build import SCRIPTS
from functions.ports import Carries
from functions.usecases.carry_out import Surroundings
from functions.wiring import ACTIONS, action
from local.codebuild import build_with
from local.dispatch import Function
from local.engine import EngineFault, function_arn
from local.stubs import Stubs
from protocol.payloads import ActionCall, Envelope

_ACTIONS = re.compile(r"\$\{action:([A-Za-z0-9_-]+)\}")


class Functions:
    """What stands for placeholders (`fills`), and is behind the ARNs there (`by_arn`).

    `own` are the project's actions by name. `given` are called in place of ours, by placeholder
    (`tasks`, `action:NAME`). `stubs` carry steps out in place of actions.
    """

    def __init__(
        self,
        wiring: Callable[[], Surroundings],
        own: Mapping[str, Carries],
        given: Mapping[str, Callable[..., object]] | None = None,
        stubs: Stubs | None = None,
    ) -> None:
        self._wiring = cache(wiring)
        self._given = given or {}
        self._stubs = stubs
        self._builds: dict[str, Callable[[ActionCall, object], Envelope]] = {}
        self.own = own
        self.fills: dict[str, str] = {}
        self.by_arn: dict[str, Function] = {}

    def carry_out_steps(self, text: str) -> None:
        """Provide the actions that machines name, and what carries out builds.

        Raises EngineFault for an action that there is not.
        """
        for name in sorted(set(_ACTIONS.findall(text))):
            try:
                self._action(name)  # loaded before the first step, not to count as its work
            except KeyError:
                raise EngineFault(f"the local engine does not have the action '{name}'") from None
            self._add_action(f"action:{name}", name)
        self._builds.clear()  # the project's own actions may be new ones
        if "codebuild" not in self.fills:
            self.add("codebuild", build_with(self._stubbed(self._built)), works=True)

    def add(self, place: str, handler: Callable[..., object], *, works: bool = False) -> None:
        """Provide a function; one that `works` takes the time on the wall that it takes."""
        given = self._given.get(place)
        arn = function_arn(f"stepsmith-local-{place.replace(':', '-')}")
        self.fills[place] = arn
        stubs = self._stubs
        is_work: Callable[[Any], bool] = lambda call: (  # noqa: E731
            works
            and not (call.get("stored") or call.get("keep"))
            and not (stubs is not None and stubs.names(call))
        )
        self.by_arn[arn] = Function(given or handler, works=is_work)

    def _built(self, call: ActionCall, context: object) -> Envelope:
        """Carry out a build: a script, or the action that its call names."""
        name = call.get("action", SCRIPTS)
        if name not in self._builds:
            find = self._action
            self._builds[name] = action_function.handler_with(lambda: name, self._wiring, find)
        return self._builds[name](call, context)

    def _add_action(self, place: str, name: str) -> None:
        if name not in ACTIONS or place not in self.fills:  # the project's own may be new ones
            handler = action_function.handler_with(partial(str, name), self._wiring, self._action)
            self.add(place, self._stubbed(handler), works=True)

    def _action(self, name: str, services: Services | None = None) -> Carries:
        """Return a built-in action, else the project's own; raises KeyError where there is none."""
        return action(name, services) if name in ACTIONS else self.own[name]

    def _stubbed(self, handler: Callable[..., Any]) -> Any:
        return handler if self._stubs is None else self._stubs.around(handler, self._wiring)
