"""The function `api`: answers what comes through API Gateway (HTTP API, version 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from functions.http.app import answer
from functions.settings import ApiSettings
from functions.wiring import ApiWiring, api_wiring


def handler_with(
    wiring: Callable[[], ApiWiring],
) -> Callable[[Mapping[str, Any], object], dict[str, Any]]:
    """Return the handler; what it works with is made at its first call."""
    made = cache(wiring)

    def handle(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
        return answer(event, made())

    return handle


handler = handler_with(lambda: api_wiring(ApiSettings.read()))
