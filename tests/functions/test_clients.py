"""A service that hangs: whoever asks hears of it while there is time to say so."""

from __future__ import annotations

from typing import Any

import boto3

from functions.clients import CALLS, QUICK
from functions.event_wiring import door_wiring, intake_wiring
from functions.record_wiring import archive_wiring
from functions.settings import ApiSettings
from functions.wiring import action_wiring, latch_wiring, stored_wiring, waker_wiring
from local.clock import Clock
from local.stage.names import here, variables
from local.workflow import SETTINGS

_SHORTEST = 30
"""Seconds that the functions have which tables hold up: see `cdk.stack`."""
_BACKOFF = 1 + 2
"""Seconds between three tries at most:
https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html"""


def test_all_tries_are_over_before_a_function_s_time_is():
    config: Any = QUICK
    tries = config.retries["total_max_attempts"]
    longest = tries * (config.connect_timeout + config.read_timeout) + _BACKOFF
    assert longest < _SHORTEST


def test_every_table_queue_and_machine_is_asked_that_way(monkeypatch):
    made: list[tuple[str, Any]] = []

    def client(service: str, **settings: Any) -> Any:
        made.append((service, settings.get("config")))
        return object()

    monkeypatch.setattr(boto3, "client", client)
    clock = Clock()
    settings = here(ApiSettings.read(variables("https://api.example.com")))
    latch_wiring(SETTINGS, clock)
    stored_wiring(SETTINGS)
    action_wiring(SETTINGS)
    waker_wiring(settings.tasks, clock)
    intake_wiring(settings.events, clock)
    door_wiring(settings.events, clock)
    archive_wiring(settings.records, clock)
    assert {service for service, _ in made} == {"dynamodb", "stepfunctions", "sqs", "events"}
    assert all(config is QUICK for _, config in made)
    assert CALLS.retries == QUICK.retries  # type: ignore[attr-defined]
