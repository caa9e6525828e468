"""Workflows: list, read, run, disable and enable.

Whoever is logged in may run what is deployed.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.api_gateway import Response, Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Header, Query
from pydantic import ConfigDict, Field

from functions.domain.moments import stamp
from functions.http.bodies import IdempotencyKey, View
from functions.http.calls import at_hand
from functions.http.paging import Cursor, Limit, cursor_of, no_cursor, place_in
from functions.http.problems import Fault, Problem, answers, unknown
from functions.ports import Execution
from functions.usecases.claim import Gate, Held
from functions.usecases.run_workflow import (
    LONGEST_WAIT,
    Asked,
    Disabled,
    Invalid,
    KeyReused,
    Ran,
    failure_of,
    run_workflow,
    wait_for_end,
)
from functions.usecases.switches import disable, enable
from protocol.manifest import WorkflowManifest

router = Router()
_TAGS = ["workflows"]
_WAIT = re.compile(r"wait\s*=\s*(\d{1,6})")


class TriggerView(View):
    """A trigger."""

    model_config = ConfigDict(title="Trigger")

    name: str
    type: str


class WorkflowView(View):
    """A version of a workflow."""

    model_config = ConfigDict(title="Workflow")

    id: str
    version: str
    name: str
    description: str | None
    disabled: bool = Field(description="Nothing starts it; events wait")
    triggers: list[TriggerView]


class ListedView(WorkflowView):
    """A version of a workflow in a list."""

    model_config = ConfigDict(title="ListedWorkflow")

    steps: int = Field(description="How many it has")


class WorkflowsView(View):
    """A page of workflows."""

    model_config = ConfigDict(title="Workflows")

    items: list[ListedView]
    next: str | None = Field(description="The cursor of the next page")


class WholeView(WorkflowView):
    """A version of a workflow with its contract, its steps and its drawing."""

    model_config = ConfigDict(title="WholeWorkflow")

    digest: str
    inputs: Any = Field(description="A JSON Schema, or null where it takes anything")
    outputs: Any
    steps: list[dict[str, Any]]
    graph: Any
    file: str
    source: str | None


class SwitchView(View):
    """Whether a workflow is disabled."""

    model_config = ConfigDict(title="Switch")

    id: str
    disabled: bool


@router.get("/api/workflows", summary="List workflows", tags=_TAGS, responses=answers())
def workflows(limit: Limit = 50, cursor: Cursor = "") -> WorkflowsView:
    """Return all versions deployed, by their ids; of one id the highest comes first."""
    _ = at_hand().caller
    gate = _gate()
    place = place_in(cursor) or 0
    if not isinstance(place, int) or isinstance(place, bool) or place < 0:
        raise no_cursor()
    found = gate.manifests.all()
    disabled = gate.switches.disabled()
    end = place + limit
    items = [
        ListedView(**_common(one, disabled), steps=len(one["steps"])) for one in found[place:end]
    ]
    return WorkflowsView(items=items, next=cursor_of(end if end < len(found) else None))


@router.get(
    "/api/workflows/<reference>", summary="Read a workflow", tags=_TAGS, responses=answers(404)
)
def workflow(
    reference: str,
    digest: Annotated[str, Query(description="Of a version that a run was started from")] = "",
) -> WholeView:
    """Return a workflow: `id` is its highest version, `id@version` that one."""
    gate = _gate()
    one = _found(reference, gate)
    if digest:
        kept = gate.manifests.by_digest(digest)
        if kept is None or kept["id"] != reference.partition("@")[0]:
            raise unknown()
        one = kept
    return WholeView(
        **_common(one, gate.switches.disabled()),
        digest=one["digest"],
        inputs=one["inputs"],
        outputs=one["outputs"],
        steps=[dict(step) for step in one["steps"]],
        graph=one.get("graph"),
        file=one["file"],
        source=one.get("source"),
    )


@router.post(
    "/api/workflows/<reference>/run",
    summary="Run a workflow",
    tags=_TAGS,
    responses=answers(400, 404, 409, 422, about="It has ended well: its outputs")
    | {202: {"description": "It goes on"}},
)
def run(
    reference: str,
    inputs: Annotated[dict[str, Any] | None, Body(description="The inputs")] = None,
    key: IdempotencyKey = "",
    prefer: Annotated[
        str, Header(alias="Prefer", description="`respond-async`, or `wait=SECONDS` (up to 25)")
    ] = "",
    rerun_of: Annotated[str, Query(description="The run that this one repeats")] = "",
) -> Response[dict[str, Any]]:
    """Start a run and wait for its end, for 25 seconds at most."""
    call = at_hand()
    caller, gate = call.caller.name, _gate()
    manifest = _found(reference, gate)
    asked = Asked(manifest, inputs or {}, caller, key or None, rerun_of or None)
    ran = _ran(asked, gate)
    ended = wait_for_end(manifest, ran.run_id, _seconds(prefer), gate)
    headers = {"X-Run-Id": ran.run_id}
    if ran.again:
        headers["Idempotent-Replayed"] = "true"
    return _answered(ran, ended, headers)


def _ran(asked: Asked, gate: Gate) -> Ran:
    try:
        return run_workflow(asked, gate)
    except Invalid as error:
        faults = [Fault(one["detail"], pointer=one["pointer"]) for one in error.problems]
        raise Problem(400, "the inputs are not as the contract says", faults=faults) from None
    except Disabled:
        detail = f"the workflow '{asked.manifest['id']}' is disabled"
        raise Problem(409, detail, kind="disabled") from None
    except KeyReused:
        detail = "the Idempotency-Key was used for another call"
        raise Problem(422, detail, kind="idempotency-key-reused") from None
    except Held:
        detail = "an equal call is about to start the run; ask again in a moment"
        raise Problem(409, detail, kind="in-progress", headers={"Retry-After": "1"}) from None


def _answered(ran: Ran, ended: Execution | None, headers: dict[str, str]) -> Response[Any]:
    if ended is None or ended.stopped_at is None:
        headers["Location"] = f"/api/runs/{ran.run_id}"
        body = {"run_id": ran.run_id, "status": "running"}
        return Response(202, "application/json", body, headers)
    if ended.status != "SUCCEEDED":
        more: dict[str, Any] = {"run_id": ran.run_id, "error": failure_of(ended)}
        raise Problem(422, "the run failed", more=more, headers=headers)
    outputs = ended.output if isinstance(ended.output, dict) else {}
    told = {"timestamp": stamp(ended.stopped_at), **outputs}
    return Response(200, "application/json", told, headers)


def _seconds(prefer: str) -> int:
    """Return how long a call wants to wait (https://www.rfc-editor.org/rfc/rfc7240)."""
    found = _WAIT.search(prefer.lower())
    if found is not None:
        return min(int(found[1]), LONGEST_WAIT)
    return 0 if "respond-async" in prefer.lower() else LONGEST_WAIT


@router.post(
    "/api/workflows/<reference>/disable",
    summary="Disable a workflow",
    tags=_TAGS,
    responses=answers(404),
)
def disable_workflow(reference: str) -> SwitchView:
    """Let nothing start the workflow; its events wait, and runs go on."""
    _ = at_hand().caller
    id_ = _found(reference, _gate())["id"]
    disable(id_, _gate())
    return SwitchView(id=id_, disabled=True)


@router.post(
    "/api/workflows/<reference>/enable",
    summary="Enable a workflow",
    tags=_TAGS,
    responses=answers(404),
)
def enable_workflow(reference: str) -> SwitchView:
    """Let events start the workflow again, and those that waited."""
    _ = at_hand().caller
    id_ = _found(reference, _gate())["id"]
    enable(id_, _gate())
    return SwitchView(id=id_, disabled=False)


def _gate() -> Gate:
    return at_hand().wiring.door().gate


def _found(reference: str, gate: Gate) -> WorkflowManifest:
    _ = at_hand().caller
    found = gate.manifests.current(reference)
    if found is None:
        raise unknown()
    return found


def _common(one: WorkflowManifest, disabled: frozenset[str]) -> dict[str, Any]:
    return {
        "id": one["id"],
        "version": one["version"],
        "name": one["name"],
        "description": one["description"],
        "disabled": one["id"] in disabled,
        "triggers": [TriggerView(name=t["name"], type=t["type"]) for t in one["triggers"]],
    }
