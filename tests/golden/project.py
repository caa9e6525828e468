"""A folder of workflows as a small project: compiled together, each against the others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from cli.output.text import render
from compiler.check import (
    ActionContract,
    Nearest,
    OperationModel,
    StageSettings,
    Surroundings,
    WorkflowContract,
    contract,
)
from compiler.diagnostics import Diagnostics
from compiler.document import read
from compiler.document.nodes import Json
from compiler.pipeline import Compilation, compile_source
from compiler.source import Source
from compiler.spec import decode

ROOT = Path(__file__).parents[2]
STAGE = StageSettings(
    name="local",
    vars={"region": "eu-west-1", "domain": "staging.example.com", "replicas": 2},
    declared_vars=frozenset({"region", "domain", "replicas", "is_production"}),
    approvers=("lead@example.com",),
    groups={"release": ("ann@example.com", "bob@example.com")},
)
RUNNER_PROGRAMS = frozenset(
    {"bash", "cat", "curl", "date", "echo", "git", "printf", "python", "true"}
)


def workflows(folder: Path) -> list[Path]:
    """Return the workflow files of a folder and its folders, scenarios left out."""
    found = (path for path in folder.rglob("*.y*ml") if ".test." not in path.name)
    return sorted(found)


def compiled(files: Iterable[Path], root: Path, **changes: object) -> list[Compilation]:
    """Compile the files of a project; `changes` are made to what surrounds them."""
    sources = [Source(str(file.relative_to(root)), file.read_text("utf-8")) for file in files]
    around = surroundings(sources)
    return [
        compile_source(source, replace(around, file=source.name, **changes))  # type: ignore[arg-type]
        for source in sources
    ]


def shown(compilations: Iterable[Compilation]) -> str:
    """Return what a person reads about the files, in the order of the files."""
    return render(found for one in compilations for found in one.diagnostics)


def surroundings(sources: Iterable[Source]) -> Surroundings:
    """Return what each file of a project is checked against."""
    contracts: dict[str, tuple[WorkflowContract, ...]] = {}
    for source in sources:
        found = _contract(source)
        if found is not None:
            contracts[found.id] = (*contracts.get(found.id, ()), found)
    return Surroundings(
        catalogue=catalogue(),
        operation=operation,
        workflows=contracts,
        stage=STAGE,
        runner_programs=RUNNER_PROGRAMS,
    )


def _contract(source: Source) -> WorkflowContract | None:
    unread = Diagnostics(source)
    documents = read(source, unread)
    workflow = decode(documents[0], unread) if documents else None
    return None if workflow is None else contract(workflow, source.name)


def catalogue() -> Mapping[str, ActionContract]:
    """Return the contracts of the built-in actions."""
    written = json.loads((ROOT / "functions" / "actions" / "catalogue.json").read_text("utf-8"))
    return {
        name: ActionContract(
            inputs=action["inputs"],
            outputs=action["outputs"] or {},
            repeatable=action["repeatable"],
            reads_files=action["reads_files"],
            error_types=tuple(action["error_types"]),
        )
        for name, action in written.items()
    }


def operation(service: str, name: str) -> OperationModel | Nearest | None:
    """Know two operations of one service, as the models of AWS do."""
    if service != "dynamodb":
        return Nearest(service="dynamodb" if service.startswith("dynamo") else None)
    if name not in ("putItem", "scan"):
        return Nearest(service="dynamodb", operation="putItem")
    text: Json = {"type": "string"}
    value: Json = {"type": "object", "properties": {"S": text}, "additionalProperties": False}
    item: Json = {"type": "object", "additionalProperties": value}
    inputs: dict[str, Json] = {
        "type": "object",
        "properties": {"TableName": text, "Item": item},
        "required": ["TableName", "Item"] if name == "putItem" else ["TableName"],
        "additionalProperties": False,
    }
    return OperationModel(service, name, inputs, {"type": "object", "properties": {}})
