"""What a route says about itself in its OpenAPI extensions (`openapi_extensions`)."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler.api_gateway import Route

PUBLIC: dict[str, Any] = {"security": []}
"""A route that needs no login."""
PAGE: dict[str, Any] = {**PUBLIC, "x-page": True}
"""A page for people: it knows them itself, takes any query (mail programs add to links), and
says in HTML what went wrong."""
BODY_LIMIT = "x-body-limit"
"""With it a route takes more, or fewer, bytes than others (`received.MOST_BYTES`)."""


def needs_login(route: Route) -> bool:
    """Return whether a route is for people who are logged in."""
    return (route.openapi_extensions or {}).get("security") != []


def is_page(route: Route) -> bool:
    """Return whether a route is a page for people."""
    return "x-page" in (route.openapi_extensions or {})


def body_limit(route: Route, usual: int) -> int:
    """Return how many bytes a route takes."""
    return int((route.openapi_extensions or {}).get(BODY_LIMIT, usual))
