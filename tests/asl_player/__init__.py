"""A small interpreter of state machines (JSONata mode) for tests, with virtual time.

It plays a definition with stubbed tasks: real concurrency of branches and iterations, retries,
time limits, task tokens, variables and their scopes, AWS's limits. See `play`.
"""

from tests.asl_player.check import Problem, check
from tests.asl_player.machine import Machine, Rejected
from tests.asl_player.player import Child, Player, play, play_nested
from tests.asl_player.records import (
    EPOCH,
    Call,
    Entered,
    Outcome,
    Played,
    TaskFailed,
    lambda_result,
)

__all__ = [
    "EPOCH",
    "Call",
    "Child",
    "Entered",
    "Machine",
    "Outcome",
    "Played",
    "Player",
    "Problem",
    "Rejected",
    "TaskFailed",
    "check",
    "lambda_result",
    "play",
    "play_nested",
]
