"""The contracts of the built-in actions as the compiler reads them: `catalogue.json`.

`python -m functions.actions.catalogue` writes that file anew.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from functions.actions import (
    build_artifact,
    deploy_to_kubernetes,
    http_request,
    notify,
    run,
    run_tests,
    send_transactional_email,
)
from functions.domain.action import Action, InputsT, OutputsT
from functions.domain.services import Services
from protocol.payloads import Json

FILE = Path(__file__).with_name("catalogue.json")
_HAND_ON = frozenset({http_request.ACTION.name})
"""The actions that tell an outside system where to answer to (`context.callback`)."""
_ANY_JSON = "$ref"
"""The one definition that the actions refer to is that of any JSON value, which says nothing."""


def catalogue() -> dict[str, Json]:
    """Return the contracts by the actions' names: JSON Schemas and what else is declared."""
    unbound = Services()
    entries = [
        _entry(build_artifact.action(unbound)),
        _entry(deploy_to_kubernetes.action(unbound)),
        _entry(http_request.ACTION),
        _entry(notify.action(unbound)),
        _entry(run.ACTION),
        _entry(run_tests.ACTION),
        _entry(send_transactional_email.action(unbound)),
    ]
    return dict(sorted(entries))


def text() -> str:
    """Return the catalogue as the file holds it."""
    return json.dumps(catalogue(), indent=2, ensure_ascii=False) + "\n"


def _entry(action: Action[InputsT, OutputsT]) -> tuple[str, Json]:
    return action.name, {
        "description": action.description,
        "inputs": _taking(_schema(action.inputs.model_json_schema(mode="validation"))),
        "outputs": _schema(action.outputs.model_json_schema(mode="serialization")),
        "repeatable": action.repeatable,
        "reads_files": action.reads_files,
        "files": list(action.files),
        "callback": action.name in _HAND_ON,
        "runner": action.runner,
        "error_types": [error.__name__ for error in action.error_types],
    }


def _taking(schema: Json) -> Json:
    """Return a schema of inputs in the words for authors: to leave one out is not to write null.

    A null that an expression comes to is taken as left out; that is the model's business.
    """
    assert isinstance(schema, dict)
    inputs = schema["properties"]
    assert isinstance(inputs, dict)
    for one in inputs.values():
        assert isinstance(one, dict)
        types = one.get("type")
        if isinstance(types, list):
            rest = [name for name in types if name != "null"]
            one["type"] = rest[0] if len(rest) == 1 else rest
    return schema


def _schema(raw: dict[str, Json]) -> Json:
    """Return a model's schema without the class's own words, which are about Python."""
    return _plain({key: raw[key] for key in raw if key not in ("description", "$defs")})


def _plain(schema: Json, *, names: bool = False) -> Json:
    """Return a schema without what pydantic adds and nobody reads: titles, null defaults.

    With `names` the keys are the author's, and mean something.
    """
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if names:
        return {key: _plain(value) for key, value in schema.items()}
    kept = {
        key: _plain(value, names=key == "properties")
        for key, value in schema.items()
        if key not in ("title", _ANY_JSON) and not (key == "default" and value is None)
    }
    return _merged(kept)


def _merged(schema: dict[str, Json]) -> dict[str, Json]:
    """Return a choice of different types as one schema: each keyword minds its own type only."""
    choices = schema.get("anyOf")
    if not isinstance(choices, list):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    types: list[Json] = []
    for choice in choices:
        assert isinstance(choice, dict)
        assert choice["type"] not in types
        types.append(choice["type"])
        rest |= {key: value for key, value in choice.items() if key != "type"}
    return {"type": types, **rest}


if __name__ == "__main__":
    sys.stdout.write(f"{FILE}\n")
    FILE.write_text(text(), encoding="utf-8")
