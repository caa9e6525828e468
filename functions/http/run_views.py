"""Runs as the API tells them: the record, from which fields that say nothing are left out."""

from __future__ import annotations

from typing import Any

from pydantic import (
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic_core import CoreSchema

from functions.http.bodies import AnyJson, BodyModel, Moment, View


class SparseView(View):
    """What is answered; fields that were not given are left out."""

    @model_serializer(mode="wrap")
    def _given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        told = handler(self)
        return {name: value for name, value in told.items() if name in self.model_fields_set}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        plain: Any = {key: value for key, value in core_schema.items() if key != "serialization"}
        return handler(plain)


class ErrorView(SparseView):
    """What failed a step or a run; of a run, `details` are the steps that failed it."""

    model_config = ConfigDict(title="RunError")

    type: str
    message: str
    details: AnyJson = None
    run_id: str | None = Field(
        default=None, description="Of a step that called a workflow: the run that it started"
    )


class PlaceView(SparseView):
    """What became of a step, or of one item of a step."""

    status: str
    in_doubt: bool = Field(default=False, description="It may have had its effect all the same")
    undone: bool = Field(default=False, description="A failed run has undone it")
    kept: bool = Field(default=False, description="It is of an earlier attempt of the run")
    attempt: int = 1
    rounds: int = Field(default=1, description="Of a `repeat`")
    started_at: Moment | None = None
    completed_at: Moment | None = None
    last_attempt: Moment | None = None
    outputs: AnyJson = None
    refs: AnyJson = Field(default=None, description="Outputs that are kept apart, by name")
    error: ErrorView | None = None
    run: RunView | None = Field(default=None, description="The workflow that it called")
    task_id: str | None = Field(default=None, description="The task that it waits for, or did")


class ItemView(PlaceView):
    """One item of a step with `for_each`; `index` is a list where they nest."""

    model_config = ConfigDict(title="RunItem")

    index: int | list[int]


class StepView(PlaceView):
    """A step of a run."""

    model_config = ConfigDict(title="RunStep")

    step_id: str
    reason: str | None = Field(default=None, description="Why it was skipped")
    tolerated: bool = Field(default=False, description="Its failure does not count")
    items: list[ItemView] = Field(default_factory=list)
    line: int | None = Field(default=None, description="Its line in the workflow's file")


class ClosingView(View):
    """What followed a failed run; `compensation` is complete or partial, null for nothing."""

    model_config = ConfigDict(title="RunClosing")

    status: str
    compensation: str | None
    undone: list[AnyJson]
    handlers: list[StepView]
    error: ErrorView | None


class SummaryView(View):
    """A run in a list."""

    model_config = ConfigDict(title="RunSummary")

    run_id: str
    workflow_id: str
    workflow_version: str
    run_attempt: int
    status: str
    started_by: str | None
    started_at: Moment
    completed_at: Moment | None
    trigger: AnyJson
    error: str | None = Field(description="The message of its error")


class RunsView(View):
    """A page of runs."""

    model_config = ConfigDict(title="Runs")

    items: list[SummaryView]
    next: str | None = Field(description="The cursor of the next page")


class RunView(SparseView):
    """All that is known of a run: while it goes on, what stored results and tasks tell."""

    model_config = ConfigDict(title="Run")

    run_id: str
    workflow_id: str
    workflow_version: str
    run_attempt: int
    status: str = Field(description="running, paused, succeeded, failed or cancelled")
    started_by: str | None
    started_at: Moment
    completed_at: Moment | None
    steps: list[StepView]
    outputs: AnyJson
    error: ErrorView | None
    closing: ClosingView | None = None
    trigger: AnyJson = None
    inputs: AnyJson = None
    event_id: str | None = None
    rerun_of: str | None = None
    manifest: str | None = Field(default=None, description="The digest of its version")
    tasks: list[str] = Field(default_factory=list)
    links: dict[str, str] = Field(default_factory=dict)


class LogLineView(View):
    """A line of a run's log; `stream` is stdout or stderr where a program said it."""

    model_config = ConfigDict(title="LogLine")

    at: Moment
    step: str
    items: list[int]
    attempt: int
    level: str
    stream: str | None
    text: str


class LogView(View):
    """A page of a run's log."""

    model_config = ConfigDict(title="RunLog")

    items: list[LogLineView]
    next: str | None = Field(description="The cursor of the next page")


class CancelBody(BodyModel):
    """How a run is to be cancelled."""

    model_config = ConfigDict(title="Cancelling")

    compensate: bool = Field(default=False, description="Undo what it did")


class CancelledView(View):
    """A run that is being cancelled."""

    model_config = ConfigDict(title="CancelledRun")

    run_id: str
    status: str


class ResumeBody(BodyModel):
    """How a run is to be resumed; steps inside a called workflow are `step.inner`."""

    model_config = ConfigDict(title="Resuming", populate_by_name=True)

    dry_run: bool = Field(default=False, description="Only say what would be done")
    start: str | list[str] = Field(
        default_factory=list, alias="from", description="Begin at these steps, whatever is stored"
    )
    redo: list[str] = Field(
        default_factory=list, description="Steps in doubt that are to be carried out again"
    )
    done: list[str] | dict[str, dict[str, AnyJson]] = Field(
        default_factory=list, description="Steps in doubt that are done, perhaps with outputs"
    )


class ResumedStepView(View):
    """A step, and why that becomes of it."""

    model_config = ConfigDict(title="ResumedStep")

    step_id: str
    why: str


class ResumeView(View):
    """What a resume does with each step of a run."""

    model_config = ConfigDict(title="Resume")

    run_id: str
    run_attempt: int
    again: list[ResumedStepView] = Field(description="Steps that run again")
    perhaps: list[ResumedStepView] = Field(description="Steps that run again if inputs changed")
    kept: list[str] = Field(description="Steps whose results stay")
    following: list[str] = Field(description="Steps behind those, which have not run")
    removed: list[str] = Field(description="Steps that the workflow no longer has")
    refused: list[ResumedStepView] = Field(description="Steps that are in the way")
