"""Callbacks: what outside systems answer."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body
from pydantic import ConfigDict, Field

from functions.http.bodies import BodyModel, View
from functions.http.calls import at_hand
from functions.http.extensions import PUBLIC
from functions.http.problems import Fault, Problem, answers
from functions.http.tasks import problem_of
from functions.usecases.settle import answer_callback

router = Router()


class FailureBody(BodyModel):
    """That it was not done."""

    model_config = ConfigDict(title="CallbackFailure")

    type: str = Field(min_length=1, max_length=256, description="What the step fails with")
    message: str = Field(default="", max_length=16_384)


class CallbackBody(BodyModel):
    """The outputs of the step, or its failure; one of the two."""

    model_config = ConfigDict(title="CallbackAnswer")

    outputs: dict[str, Any] | None = None
    failure: FailureBody | None = None


class TakenView(View):
    """That the answer stands."""

    model_config = ConfigDict(title="CallbackTaken")

    status: str


@router.post(
    "/api/callbacks/<token>",
    summary="Answer a step that waits for an outside system",
    tags=["callbacks"],
    responses=answers(404, 409, 410),
    openapi_extensions=PUBLIC,
)
def callback(token: str, body: Annotated[CallbackBody, Body()]) -> TakenView:
    """End a step with its outputs or a failure. The same kind of answer again is fine."""
    if (body.outputs is None) == (body.failure is None):
        fault = Fault("give either `outputs` or `failure`", pointer="")
        raise Problem(400, "that is no answer to it", faults=[fault])
    failure = None if body.failure is None else body.failure.model_dump()
    verdict = answer_callback(token, body.outputs, at_hand().wiring.desk(), failure=failure)
    problem = problem_of(verdict)
    if problem is not None:
        raise problem
    assert verdict.task is not None
    return TakenView(status=verdict.task.status)
