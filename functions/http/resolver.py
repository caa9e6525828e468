"""Powertools' resolver for API Gateway, made strict, and fit for several threads.

What it lets pass is refused here before a route is called: bodies that are too large, of the
wrong type or no JSON objects, and parameters that nothing reads. HEAD is answered where GET is,
OPTIONS with the methods there are, and a method that is not there with 405.
"""

from __future__ import annotations

import json
import logging
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler.api_gateway import (
    APIGatewayHttpResolver,
    Response,
    ResponseBuilder,
    Route,
)
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestValidationError,
    ResponseValidationError,
)

from functions.http.calls import Call, at_hand, begin
from functions.http.extensions import body_limit, is_page, needs_login
from functions.http.page import HTML, problem_page
from functions.http.problems import Fault, Problem, unknown
from functions.http.received import MOST_BYTES, Received, can_be
from functions.http.style import POLICY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aws_lambda_powertools.event_handler.api_gateway import Router

    from functions.wiring import ApiWiring

ALIKE_SECONDS = 0.05
"""What every answer 404 takes: longer than finding out why, so that the time tells nothing."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}
"""What every answer has, unless a route says otherwise."""
_CONTEXT: ContextVar[dict[str, Any]] = ContextVar("context")
# It logs paths and arguments, in which there are tokens.
logging.getLogger("aws_lambda_powertools.event_handler").setLevel(logging.WARNING)
_TOLD = {"missing": "is missing", "extra_forbidden": "is unknown"}


class Resolver(APIGatewayHttpResolver):
    """Answers events by the routes of its routers."""

    def __init__(self, routers: Sequence[Router]) -> None:
        super().__init__(
            enable_validation=True,
            response_validation_error_http_code=500,
            serializer=_as_json,
            debug=False,  # which would show what was sent, whatever POWERTOOLS_DEV says
        )
        for router in routers:
            self.include_router(router)
        for route in self.routes:
            # Powertools builds it at the first call, which two threads may be.
            route._build_middleware_stack(self._router_middlewares, self)  # noqa: SLF001

    @property
    def routes(self) -> list[Route]:
        """Return all routes, the fixed ones ahead of those with parameters."""
        return self._static_routes + self._dynamic_routes

    # Powertools keeps the call at hand in the class; here each thread has its own.

    @property
    def current_event(self) -> Any:
        """Return the event at hand."""
        return at_hand().event

    @current_event.setter
    def current_event(self, value: Any) -> None:
        raise NotImplementedError

    @property
    def context(self) -> dict[str, Any]:
        """Return what is known about the call at hand."""
        found = _CONTEXT.get(None)
        if found is None:
            found = {}
            _CONTEXT.set(found)
        return found

    @context.setter
    def context(self, value: dict[str, Any]) -> None:
        _CONTEXT.set(value)

    def answer(self, event: Mapping[str, Any], wiring: ApiWiring) -> dict[str, Any]:
        """Return the answer to an event of API Gateway (HTTP API, version 2)."""
        _CONTEXT.set({})
        call = begin(Received(_as_get(event)), wiring)
        try:
            built = self._resolve()
        except Problem as problem:  # of the call itself, before any route
            built = self._built(problem.response())
        headers = built.response.headers
        headers.update({k: v for k, v in _HEADERS.items() if k not in headers})
        headers["X-Request-Id"] = call.request_id
        answer = self._build_response(built)
        if _method(event) == "HEAD":
            answer["body"] = ""
        self._end(call, _method(event), built.response.status_code)
        return answer

    def _end(self, call: Call, method: str, status: int) -> None:
        """Log a call; one that found nothing first takes as long as all that find nothing."""
        if status == 404:
            time.sleep(max(0.0, call.began + ALIKE_SECONDS - time.monotonic()))
        route = self.context.get("_route")
        path = "none" if route is None else route.openapi_path
        seconds = round(time.monotonic() - call.began, 3)
        call.wiring.log().answered(call.request_id, method, path, status, seconds)

    def _handle_not_found(self, method: str, path: str) -> ResponseBuilder[Any]:
        allowed = {route.method for route in self.routes if route.rule.match(path)}
        if not allowed:
            return self._built(unknown().response())
        allow = ", ".join(sorted(allowed | ({"HEAD"} if "GET" in allowed else set()) | {"OPTIONS"}))
        if method == "OPTIONS":
            return self._built(Response(204, headers={"Allow": allow}, body=""))
        problem = Problem(405, f"this takes {allow}", headers={"Allow": allow})
        return self._built(problem.response())

    def _call_route(self, route: Route, route_arguments: dict[str, str]) -> ResponseBuilder[Any]:
        try:
            _check(route, at_hand().event)
            if not can_be(route_arguments.values()):
                raise unknown()
        except Problem as problem:
            return self._told(problem, route)
        return super()._call_route(route, route_arguments)

    def _call_exception_handler(self, exp: Exception, route: Route) -> ResponseBuilder[Any] | None:
        if isinstance(exp, Problem):
            return self._told(exp, route)
        if isinstance(exp, RequestValidationError) and not isinstance(exp, ResponseValidationError):
            return self._told(_invalid(exp), route)
        call = at_hand()
        call.wiring.log().fault(call.request_id, route.openapi_path, exp)
        detail = "something went wrong on our side; the request id helps to find out what"
        return self._told(Problem(500, detail, more={"request_id": call.request_id}), route)

    def _told(self, problem: Problem, route: Route) -> ResponseBuilder[Any]:
        if not is_page(route):
            return self._built(problem.response())
        page = problem_page(problem.status, at_hand().request_id)
        headers = {"Content-Security-Policy": POLICY}
        return self._built(Response(problem.status, HTML, page, headers))

    def _built(self, response: Response[Any]) -> ResponseBuilder[Any]:
        return ResponseBuilder(response, _as_json)


def _check(route: Route, event: Received) -> None:
    """Raise Problem for what a route does not take; who has to log in is told that first."""
    if needs_login(route):
        _ = at_hand().caller
    event.check_size(body_limit(route, MOST_BYTES))
    if not is_page(route):
        event.check_query({param.alias for param in route.dependant.query_params})
    if route.dependant.body_params:
        event.check_json()


def _invalid(error: RequestValidationError) -> Problem:
    faults = []
    for one in error.errors():
        where, *path = one["loc"]
        detail = _TOLD.get(one["type"], one["msg"])
        if where == "body":
            faults.append(Fault(detail, pointer="".join(f"/{_escaped(part)}" for part in path)))
        else:
            faults.append(Fault(detail, parameter=str(path[0]) if path else str(where)))
    return Problem(400, "the call is not as it should be", faults=faults)


def _escaped(part: object) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")


def _method(event: Mapping[str, Any]) -> str:
    return str(event["requestContext"]["http"]["method"]).upper()


def _as_get(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event with GET in the place of HEAD."""
    if _method(event) != "HEAD":
        return dict(event)
    context = event["requestContext"]
    return {**event, "requestContext": {**context, "http": {**context["http"], "method": "GET"}}}


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
