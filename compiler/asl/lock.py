"""The concurrency lock: a wait in front of everything, answered when the run may go on."""

from __future__ import annotations

from compiler.asl.context import Context, States
from compiler.asl.retrying import TRANSIENT
from compiler.asl.tasks import WAITING
from compiler.asl.values import field_of
from compiler.check.program import Concurrency
from compiler.expressions.quoting import wrap
from protocol.names import LATCHES, RUN_FAILED

LOCK, REFUSED = "Lock", "Refused"
LONGEST = 31_536_000
"""Seconds a queued run waits at most: as long as an execution can last."""


def lock(context: Context, concurrency: Concurrency, following: str) -> States:
    """Return the lock's states, the first of which comes right after the machine's first state.

    Waiting costs nothing. `latches` answers with an error where the run is refused.
    """
    cause = (
        f"$string({{'type': '{RUN_FAILED}', 'message': 'the concurrency group is taken', "
        "'details': []})"
    )
    return {
        LOCK: {
            "Type": "Task",
            "Resource": WAITING,
            "Arguments": {
                "FunctionName": LATCHES,
                "Payload": {
                    "op": "lock",
                    "run": "{% $run %}",
                    "execution": "{% $states.context.Execution.Id %}",
                    "group": field_of(concurrency.group, context.resolver()),
                    "limit": concurrency.limit,
                    "on_conflict": concurrency.on_conflict,
                    "token": "{% $states.context.Task.Token %}",
                },
            },
            "TimeoutSeconds": LONGEST,
            "Retry": [TRANSIENT],
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": REFUSED}],
            "Next": following,
        },
        REFUSED: {"Type": "Fail", "Error": RUN_FAILED, "Cause": wrap(cause)},
    }
