"""What a workflow is checked against beside its own text: handed in, never looked up here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from compiler.document.nodes import Json

Schema: TypeAlias = "Mapping[str, Json]"


@dataclass(frozen=True, slots=True)
class ActionContract:
    """What an action takes and gives, both JSON Schemas of an object.

    `repeatable`: an attempt of unknown effect may be made again. `reads_files`: starts in a
    workspace. `makes_files`: an output of it names a file that it made. `error_types` are the
    errors it declares beside the categories. `hands_on_callback`: an outside system may learn
    of it where to answer to. `runner`: what carries it out where a step does not say otherwise;
    one for Lambda runs nowhere else.
    """

    inputs: Schema
    outputs: Schema
    repeatable: bool = False
    reads_files: bool = False
    makes_files: bool = False
    error_types: tuple[str, ...] = ()
    hands_on_callback: bool = True
    runner: Literal["lambda", "codebuild"] = "lambda"


@dataclass(frozen=True, slots=True)
class OperationModel:
    """An AWS operation: the names as the SDK integration spells them, its JSON Schemas."""

    service: str
    operation: str
    inputs: Schema
    outputs: Schema


@dataclass(frozen=True, slots=True)
class Nearest:
    """No such AWS operation; `service` is the nearest service where that is what is wrong."""

    service: str | None = None
    operation: str | None = None


Operations: TypeAlias = Callable[[str, str], "OperationModel | Nearest | None"]
"""Looks up a service and an operation; None where operations are not checked."""


def unchecked(service: str, operation: str) -> OperationModel | Nearest | None:  # noqa: ARG001
    """Know no AWS operation: calls are compiled as written."""
    return None


@dataclass(frozen=True, slots=True)
class WorkflowContract:
    """What other workflows of the project may know of one: see `contract`.

    `inputs` and `outputs` are JSON Schemas of an object, None without a contract. `children`
    are the workflows it calls, each as written: `id`, `id@version` or `./path`. `file` is its
    path from the project's root.
    """

    id: str
    version: str | None
    file: str
    inputs: Schema | None = None
    outputs: Schema | None = None
    children: tuple[str, ...] = ()
    has_people: bool = False
    has_undos: bool = False
    free_inputs: Schema = field(default_factory=dict)
    """Stands for `inputs` where there is no contract: what its triggers give, nothing checked."""

    @property
    def reference(self) -> str:
        """The text that names exactly this version."""
        return self.id if self.version is None else f"{self.id}@{self.version}"


@dataclass(frozen=True, slots=True)
class StageSettings:
    """What the check reads of a stage.

    `declared_vars` are the names that any stage declares, each with the stages that do.
    """

    name: str = "local"
    vars: Mapping[str, Json] = field(default_factory=dict)
    declared_vars: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    approvers: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Everything beside the workflow. `workflows` holds all versions of each id.

    `runner_programs` are the programs that the Lambda which runs scripts can call.
    """

    catalogue: Mapping[str, ActionContract] = field(default_factory=dict)
    operation: Operations = unchecked
    workflows: Mapping[str, tuple[WorkflowContract, ...]] = field(default_factory=dict)
    stage: StageSettings = field(default_factory=StageSettings)
    runner_programs: frozenset[str] = frozenset()
    file: str = ""
    """The path of the workflow's own file from the project's root."""
