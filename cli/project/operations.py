"""AWS operations as direct calls know them, from botocore's models.

Step Functions spells services as the SDK for Java does, and parameters and results in PascalCase:
https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from compiler.check import Nearest, OperationModel
from compiler.document.nodes import Json

if TYPE_CHECKING:
    from botocore.model import ServiceModel, Shape

_DEEPEST = 12
"""Members inside members that are checked; shapes that hold themselves end there."""

_KINDS: dict[str, Json] = {
    "string": "string",
    "character": "string",
    "blob": "string",
    "integer": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "boolean": "boolean",
    "timestamp": ["string", "number"],
}


@cache
def operation(service: str, name: str) -> OperationModel | Nearest | None:
    """Look an operation up by the names of a direct call, `dynamodb` and `putItem`."""
    from compiler.expressions.nearest import nearest

    services = _services()
    folder = services.get(service)
    if folder is None:
        return Nearest(service=_nearest_service(service, services))
    model = _model(folder)
    by_name = {f"{found[:1].lower()}{found[1:]}": str(found) for found in model.operation_names}
    exact = by_name.get(name)
    if exact is None:
        near = nearest(name, by_name) or next(iter(sorted(by_name)))
        return Nearest(service=service, operation=near)
    found = model.operation_model(exact)
    return OperationModel(
        service,
        name,
        _schema(found.input_shape, strict=True),
        _schema(found.output_shape, strict=False),
    )


@cache
def _services() -> Mapping[str, str]:
    """Return botocore's folder of each service, by the name that Step Functions uses."""
    from botocore.loaders import Loader
    from botocore.utils import CLIENT_NAME_TO_HYPHENIZED_SERVICE_ID_OVERRIDES as IDS

    folders = Loader().list_available_services("service-2")
    return {IDS.get(folder, folder).replace("-", ""): folder for folder in folders}


def _nearest_service(service: str, services: Mapping[str, str]) -> str | None:
    """Return the service probably meant: one by its name elsewhere, else the nearest."""
    from compiler.expressions.nearest import nearest

    plain = service.lower().replace("-", "").replace("_", "")
    by_folder = {folder.replace("-", ""): name for name, folder in services.items()}
    for known in (plain, plain.removeprefix("amazon"), plain.removeprefix("aws")):
        if known in services:
            return known
        if known in by_folder:
            return by_folder[known]
    return nearest(plain, services)


@cache
def _model(folder: str) -> ServiceModel:
    from botocore.loaders import Loader
    from botocore.model import ServiceModel

    return ServiceModel(Loader().load_service_model(folder, "service-2"), folder)


def _pascal(name: str) -> str:
    return name[:1].upper() + name[1:]


def _schema(shape: Shape | None, *, strict: bool) -> dict[str, Json]:
    if shape is None:
        empty: dict[str, Json] = {"type": "object", "properties": {}}
        return empty | ({"additionalProperties": False} if strict else {})
    return _of(shape, strict=strict, inside=(), depth=0)


def _of(shape: Shape, *, strict: bool, inside: tuple[str, ...], depth: int) -> dict[str, Json]:
    if shape.name in inside or depth > _DEEPEST:
        return {}
    inside = (*inside, shape.name)
    kind = shape.type_name
    if kind == "structure":
        if getattr(shape, "is_document_type", False):
            return {}
        members = {
            _pascal(str(name)): _of(member, strict=strict, inside=inside, depth=depth + 1)
            for name, member in shape.members.items()  # type: ignore[attr-defined]
        }
        found: dict[str, Json] = {"type": "object", "properties": dict(members)}
        if strict:
            required = shape.required_members
            found["required"] = [_pascal(str(name)) for name in required]
            found["additionalProperties"] = False
        return found
    if kind == "list":
        item = _of(shape.member, strict=strict, inside=inside, depth=depth + 1)  # type: ignore[attr-defined]
        return {"type": "array", "items": item}
    if kind == "map":
        value = _of(shape.value, strict=strict, inside=inside, depth=depth + 1)  # type: ignore[attr-defined]
        return {"type": "object", "additionalProperties": value}
    return {"type": _KINDS[kind]} if kind in _KINDS else {}


def permission_prefix(service: str) -> str:
    """Return how IAM calls a service; the same name where the service is not known."""
    folder = _services().get(service)
    if folder is None:
        return service
    model = _model(folder)
    return str(model.metadata.get("signingName") or model.endpoint_prefix)
