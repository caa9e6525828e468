"""What the functions of actions log and count, by Powertools: one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit

if TYPE_CHECKING:
    from functions.domain.errors import StepError
    from protocol.payloads import ActionCall, Envelope

_SERVICE = "stepsmith"
_NAMESPACE = "Stepsmith"


class StepLog:
    """`functions.ports.Log`; every line names the run, the step and the attempt.

    Inputs and outputs are not logged: they are the user's. Errors come with secrets masked.
    """

    def __init__(self, stage: str = "") -> None:
        self._logger = Logger(service=_SERVICE)
        self._metrics = Metrics(service=_SERVICE, namespace=_NAMESPACE)
        if stage:
            self._metrics.set_default_dimensions(stage=stage)
        self._action = ""

    def begun(self, call: ActionCall, action: str) -> None:
        """Log the begin of an attempt; what is logged until the next belongs to it."""
        self._action = action
        self._logger.append_keys(
            run_id=call["run"]["id"],
            workflow=call["run"]["workflow"],
            step_id=call["step"],
            items=call.get("items", []),
            attempt=call["attempt"],
            action=action,
        )
        self._logger.info("attempt begun")

    def said(self, stream: str, text: str) -> None:
        """Log what a program said on a stream."""
        self._logger.info("said", extra={"stream": stream, "text": text})

    def succeeded(self, envelope: Envelope, seconds: float) -> None:
        """Log and count a success."""
        self._logger.info(
            "attempt succeeded",
            extra={"seconds": seconds, "by_reference": sorted(envelope.get("refs", {}))},
        )
        self._count("Succeeded", seconds)

    def failed(self, error: StepError, seconds: float) -> None:
        """Log and count a failure."""
        kind = type(error).__name__
        self._logger.error(
            "attempt failed",
            extra={
                "seconds": seconds,
                "error_type": kind,
                "error": str(error),
                "in_doubt": error.in_doubt,
            },
        )
        self._count("InDoubt" if error.in_doubt else "Failed", seconds)

    def _count(self, metric: str, seconds: float) -> None:
        self._metrics.add_dimension("action", self._action)
        self._metrics.add_metric(metric, MetricUnit.Count, 1)
        self._metrics.add_metric("Duration", MetricUnit.Seconds, seconds)
        self._metrics.flush_metrics()
