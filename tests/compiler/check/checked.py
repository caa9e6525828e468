"""A workflow's text through the passes up to the check, in surroundings of a small project."""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import dedent

from compiler.check import (
    ActionContract,
    Nearest,
    OperationModel,
    StageSettings,
    Surroundings,
    WorkflowContract,
    check,
    contract,
)
from compiler.check.program import Program
from compiler.diagnostics import Diagnostic, Diagnostics
from compiler.document import read
from compiler.document.nodes import Json
from compiler.source import Source
from compiler.spec import decode


def schema(required: dict[str, Json], **optional: Json) -> dict[str, Json]:
    """Return the JSON Schema of an object with these members and no others."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


TEXT: dict[str, Json] = {"type": "string"}
CATALOGUE = {
    "build-artifact": ActionContract(
        schema({"source": TEXT}, branch=TEXT, replicas={"type": "integer", "minimum": 1}),
        schema({"artifact": TEXT}, digest=TEXT),
        reads_files=True,
        error_types=("BuildError",),
    ),
    "run-tests": ActionContract(
        schema({"artifact": TEXT}, environment=TEXT),
        schema({}, coverage={"type": "number"}),
        reads_files=True,
        error_types=("TestSuiteError",),
        hands_on_callback=False,
    ),
    "deploy": ActionContract(
        schema(
            {"manifest": TEXT},
            region={"type": "string", "enum": ["us-east-1", "eu-west-1"]},
            options={"type": "object", "properties": {"wait": {"type": "boolean"}},
                     "additionalProperties": False},
            tags={"type": "array", "items": TEXT},
            token=TEXT,
        ),
        schema({"revision": TEXT}),
        reads_files=True,
    ),
    "http-request": ActionContract(schema({"url": TEXT}), schema({"body": TEXT})),
}  # fmt: skip
BUILD_APP = WorkflowContract(
    "build-app",
    "1.2",
    "workflows/build_app.yaml",
    schema({"source": TEXT}, branch=TEXT),
    schema({"artifact": TEXT, "version": TEXT}),
)


def operation(service: str, name: str) -> OperationModel | Nearest | None:
    """Know one operation of one service."""
    if service != "dynamodb":
        return Nearest(service="dynamodb")
    if name != "putItem":
        return Nearest(service="dynamodb", operation="putItem")
    item: dict[str, Json] = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Value"}}
    texts: dict[str, Json] = {"type": "array", "items": {"$ref": "#/$defs/Value"}}
    value = schema({}, S=TEXT, L=texts)
    inputs = schema({"TableName": TEXT, "Item": item})
    return OperationModel("dynamodb", "putItem", {**inputs, "$defs": {"Value": value}}, schema({}))


PROJECT = Surroundings(
    catalogue=CATALOGUE,
    operation=operation,
    workflows={"build-app": (BUILD_APP,)},
    stage=StageSettings(
        vars={"region": "eu-west-1", "replicas": 3},
        declared_vars={
            "region": ("local", "prod"),
            "replicas": ("local", "prod"),
            "only_in_production": ("prod",),
        },
        approvers=("lead@example.com",),
        groups={"release": ("ann@example.com", "bob@example.com")},
    ),
    runner_programs=frozenset({"echo", "git", "true", "test", "curl", "cat"}),
    file="workflows/this.yaml",
)


@dataclass(frozen=True)
class Checked:
    """What became of a workflow, and what was said about it."""

    text: str
    program: Program | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def found(self) -> list[tuple[str, str]]:
        """Each finding as its code and the text it underlines, in the order of the file."""
        return [(d.code, self.text[d.span.start : d.span.end]) for d in self.diagnostics]

    @property
    def codes(self) -> list[str]:
        """The code of each finding."""
        return [d.code for d in self.diagnostics]

    @property
    def helps(self) -> list[str | None]:
        """The help of each finding."""
        return [d.help for d in self.diagnostics]

    def lines(self, at: int = 0) -> list[int]:
        """Return the lines of a finding and of the second places it names."""
        found = self.diagnostics[at]
        spans = [found.span, *(label.span for label in found.labels)]
        return [found.source.line_column(span.start)[0] for span in spans]


def checked(text: str, surroundings: Surroundings = PROJECT, **changes: object) -> Checked:
    """Check a workflow; `changes` are made to the surroundings."""
    text = dedent(text).lstrip("\n")
    source = Source("workflow.yaml", text)
    diagnostics = Diagnostics(source)
    program = None
    for document in read(source, diagnostics)[:1]:
        workflow = decode(document, diagnostics)
        if workflow is not None:
            around = replace(surroundings, **changes)
            program = check(workflow, document, around, diagnostics)
    return Checked(text, program, tuple(diagnostics))


def contract_of(text: str, file: str) -> WorkflowContract:
    """Return what other workflows may know of one."""
    source = Source(file, dedent(text))
    diagnostics = Diagnostics(source)
    workflow = decode(read(source, diagnostics)[0], diagnostics)
    assert workflow is not None
    return contract(workflow, file)
