"""The HTTP API: its routers, put together.

A router is a module of its own with `router = Router()`; what its paths begin with is put into
`ROUTERS` below, and it needs nothing else. A route looks like this:

    @router.post(
        "/api/runs/<run_id>/cancel",
        summary="Cancel a run",
        tags=["runs"],
        responses=answers(404, 409, status=202, about="It is being cancelled"),
        status_code=202,
    )
    def cancel(run_id: str, body: Annotated[CancelBody, Body()]) -> RunView:
        call = at_hand()
        run = call.wiring.runs().get(run_id)
        if run is None:
            raise unknown()
        ...

* `at_hand()` (`functions.http.calls`) is the call: `.caller` is who is logged in (Problem 401
  for nobody), `.wiring` is the `ApiWiring`, each part of which is a function that makes it at
  its first use, `.event` is the event (`.raw` its body's bytes, for signatures), `.request_id`.
* Bodies are pydantic models of the kind `BodyModel`: unknown fields are refused, nothing is
  converted. What comes back is annotated, a pydantic model too, and held against it. For headers
  of its own a route returns `Response[Model]` of Powertools.
* Errors are raised: `Problem(409, "detail", more={...})`, `unknown()` for all that is not there or
  not the caller's. `faults_of` makes faults of problems that use cases tell.
* `responses=answers(404, ...)` documents the problems of a route; 400, 401, 413 and 415 are
  documented where they can come. `openapi_extensions=PUBLIC` is a route that needs no login,
  `{BODY_LIMIT: bytes}` one that takes larger bodies (`functions.http.extensions`).
* Lists are paged with `functions.http.paging`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler.api_gateway import Response, Router

from functions.http import files
from functions.http.extensions import PUBLIC
from functions.http.problems import answers
from functions.http.resolver import Resolver

if TYPE_CHECKING:
    from functions.wiring import ApiWiring

ROUTERS: Mapping[str, str] = {
    "/tasks": "pages",
    "/api/tasks": "tasks",
    "/api/callbacks": "callbacks",
    "/api/workflows": "workflows",
    "/api/runs": "runs",
    "/api/webhooks": "events",
    "/api/events": "events",
}
"""The modules whose routers answer what begins so."""
own = Router()


def answer(event: Mapping[str, Any], wiring: ApiWiring) -> dict[str, Any]:
    """Return the answer to an event of API Gateway (HTTP API, version 2).

    Only the routers that the path asks for are loaded: who opens a link does not wait for what
    webhooks need.
    """
    if wiring.site is not None and files.is_file(str(event["rawPath"])):
        return files.answer(event, wiring.site)
    begin = "/".join(str(event["rawPath"]).split("/")[: 3 if _is_api(event) else 2])
    return _resolver(ROUTERS.get(begin, "")).answer(event, wiring)


@cache
def application() -> Resolver:
    """Return what answers all events of the API."""
    modules = dict.fromkeys(ROUTERS.values())
    return Resolver([own, *(_router(module) for module in modules)])


@own.get(
    "/api/openapi.json",
    summary="This document",
    tags=["api"],
    responses=answers(),
    openapi_extensions=PUBLIC,
)
def openapi() -> Response[str]:
    """Return the OpenAPI document."""
    return Response(200, "application/json", _document())


@cache
def _document() -> str:
    from functions.http.openapi import document

    return json.dumps(document(application()), ensure_ascii=False)


@cache
def _resolver(module: str) -> Resolver:
    return Resolver([_router(module) if module else own])


def _router(module: str) -> Router:
    router: Router = import_module(f"functions.http.{module}").router
    return router


def _is_api(event: Mapping[str, Any]) -> bool:
    return str(event["rawPath"]).startswith("/api/")
