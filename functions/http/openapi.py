"""The OpenAPI document of the API, with what holds for all routes written into each."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from functions.http.problems import PROBLEM_JSON, ProblemDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.http.resolver import Resolver

_LOGIN = "login"
_SCHEMAS = "#/components/schemas/"
_PROBLEM = {
    "content": {PROBLEM_JSON: {"schema": {"$ref": f"{_SCHEMAS}{ProblemDocument.__name__}"}}}
}
_UNUSED = ("HTTPValidationError", "ValidationError", "ResponseValidationError")


def document(resolver: Resolver) -> dict[str, Any]:
    """Return the OpenAPI document (3.1) of the routes of a resolver."""
    text = resolver.get_openapi_json_schema(
        title="Stepsmith",
        version="1",
        description="Start, watch and decide workflows.",
        security_schemes=_schemes(),
        security=[{_LOGIN: []}],
    )
    told: dict[str, Any] = json.loads(text)
    for path in told["paths"].values():
        for operation in path.values():
            _complete(operation)
    schemas = told["components"]["schemas"]
    for name in _UNUSED:
        schemas.pop(name, None)
    renamed: dict[str, Any] = _renamed(told, _titles(schemas))
    return renamed


def _titles(schemas: Mapping[str, Any]) -> dict[str, str]:
    """Return what each schema is called: its title, unless another one has it too."""
    titles = {name: str(schema["title"]) for name, schema in schemas.items()}
    count = Counter(titles.values())
    return {name: title if count[title] == 1 else name for name, title in titles.items()}


def _renamed(value: Any, titles: Mapping[str, str]) -> Any:
    """Return a document in which schemas are called by their titles, not as our classes are."""
    if isinstance(value, list):
        return [_renamed(one, titles) for one in value]
    if not isinstance(value, dict):
        return value
    if set(titles) == set(value):
        return {titles[name]: _renamed(value[name], titles) for name in sorted(value)}
    reference = value.get("$ref")
    if isinstance(reference, str):
        return {**value, "$ref": _SCHEMAS + titles[reference.removeprefix(_SCHEMAS)]}
    return {name: _renamed(one, titles) for name, one in value.items()}


def _schemes() -> dict[str, Any]:
    from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer

    return {_LOGIN: HTTPBearer(bearerFormat="JWT", description="A token of the stage's user pool")}


def _complete(operation: dict[str, Any]) -> None:
    """Add the problems that come with a body, with parameters and without a login."""
    answers = operation["responses"]
    # Powertools' own; nothing here answers so.
    if "HTTPValidationError" in json.dumps(answers.get("422", {})):
        del answers["422"]
    answers.pop("500", None)
    common = {"400": "Bad Request"}
    if operation.get("security") != []:
        common["401"] = "Unauthorized"
    if "requestBody" in operation:
        common |= {"413": "Content Too Large", "415": "Unsupported Media Type"}
    for code, about in common.items():
        answers.setdefault(code, {"description": about, **_PROBLEM})
