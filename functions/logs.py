"""What the functions of actions log, count and trace, by Powertools.

Lines and metrics are one JSON object a line; attempts are subsegments in X-Ray.
"""

from __future__ import annotations

import os
import traceback
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

if TYPE_CHECKING:
    from aws_lambda_powertools.tracing import Tracer
    from aws_lambda_powertools.tracing.base import BaseSegment

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
        self._metrics = EphemeralMetrics(service=_SERVICE, namespace=_NAMESPACE)
        if stage:
            self._metrics.set_default_dimensions(stage=stage)
        self._trace = _Trace()
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
        self._trace.begin(
            action, run_id=call["run"]["id"], workflow=call["run"]["workflow"], step_id=call["step"]
        )

    def said(self, stream: str, text: str) -> None:
        """Log what a program said on a stream."""
        self._logger.info("said", extra={"stream": stream, "text": text})

    def succeeded(self, envelope: Envelope, seconds: float) -> None:
        """Log and count a success, and end its trace."""
        self._trace.end("succeeded")
        self._logger.info(
            "attempt succeeded",
            extra={"seconds": seconds, "by_reference": sorted(envelope.get("refs", {}))},
        )
        self._count("Succeeded", seconds)

    def failed(self, error: StepError, seconds: float) -> None:
        """Log and count a failure, and end its trace."""
        self._trace.end("in doubt" if error.in_doubt else "failed", error)
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


class ApiLog:
    """`functions.api_ports.CallLog`; paths, queries, bodies and names of people are not logged."""

    def __init__(self, stage: str = "") -> None:
        self._logger = Logger(service=_SERVICE, stage=stage)

    def answered(
        self, request_id: str, method: str, route: str, status: int, seconds: float
    ) -> None:
        """Log how a call was answered."""
        self._logger.info(
            "answered",
            extra={
                "request_id": request_id,
                "method": method,
                "route": route,
                "status": status,
                "seconds": seconds,
            },
        )

    def fault(self, request_id: str, route: str, error: Exception) -> None:
        """Log where answering a call went wrong; the error's text may hold what was sent."""
        frames = traceback.extract_tb(error.__traceback__)
        self._logger.error(
            "fault",
            extra={
                "request_id": request_id,
                "route": route,
                "error_type": type(error).__name__,
                "at": [f"{one.filename}:{one.lineno} {one.name}" for one in frames],
            },
        )

    def lacking(self, request_id: str, route: str, what: str) -> None:
        """Log what operators have to set."""
        extra = {"request_id": request_id, "route": route, "what": what}
        self._logger.error("lacking", extra=extra)


class _Trace:
    """An attempt as a subsegment of its function's segment, where X-Ray samples the call."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._subsegment: BaseSegment | None = None

    def begin(self, action: str, **annotations: str) -> None:
        """Open the subsegment, named after the action."""
        self._subsegment = None
        if not _sampled():
            return
        self._open = ExitStack()
        self._subsegment = self._open.enter_context(_tracer().provider.in_subsegment(action))
        for key, value in annotations.items():
            self._subsegment.put_annotation(key, value)

    def end(self, outcome: str, error: StepError | None = None) -> None:
        """Annotate what came of it and close it; an error is kept without its stack."""
        if self._subsegment is None:
            return
        self._subsegment.put_annotation("outcome", outcome)
        if error is not None:
            self._subsegment.add_exception(error, [])
        self._open.close()
        self._subsegment = None


def _sampled() -> bool:
    """Return whether this call is traced; Lambda says so anew for each.

    https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
    """
    if os.environ.get("POWERTOOLS_TRACE_DISABLED"):
        return False
    return "Sampled=1" in os.environ.get("_X_AMZN_TRACE_ID", "").split(";")


def _tracer() -> Tracer:
    """Return the tracer, ready for the call at hand."""
    tracer = _made()
    from aws_xray_sdk.core import xray_recorder

    # It takes calls of one trace for one call, but all steps of an execution share its trace.
    xray_recorder.clear_trace_entities()
    return tracer


@cache
def _made() -> Tracer:
    """Return the tracer; making it loads the SDK of X-Ray, which only traced calls pay for."""
    from aws_lambda_powertools.tracing import Tracer

    # Patched clients would miss their segment: actions run in a thread of their own.
    return Tracer(service=_SERVICE, auto_patch=False)
