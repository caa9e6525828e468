"""Calls made up from the OpenAPI document: whatever is sent, what comes back is documented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS as ALL
from schemathesis.checks import load_all_checks

from tests.functions.http.site import Site
from tests.functions.http.wsgi import wsgi_of

load_all_checks()
CHECKS = ALL.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
    ]
)


def operations(site: Site, person: str, tags: set[str]) -> Iterator[Any]:
    """Return the operations with one of some tags; who calls with a login is that person."""
    app = wsgi_of(site.send, {"email": person})
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", app)
    for found in schema.get_all_operations():
        operation = found.ok()
        if {tag.name if hasattr(tag, "name") else tag for tag in operation.tags or ()} & tags:
            yield operation


def check(operation: Any, examples: int, path: Mapping[str, Any] | None = None) -> None:
    """Call an operation with what fits its document, and with what does not.

    `path` are the values of its path, where they are to be of things that are there.
    """
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        fixed = {"path_parameters": dict(path)} if path else {}
        strategy = operation.as_strategy(generation_mode=mode, **fixed)

        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=strategy)
        def call(case: Any) -> None:
            headers = {"Authorization": "Bearer x"}
            case.call_and_validate(headers=headers, checks=CHECKS)

        call()
