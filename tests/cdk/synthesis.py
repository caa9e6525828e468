"""Projects synthesised without their functions being packed: archives are stubs of a few bytes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from cdk.model import CORE, Application
from cli.app import add_stack, new_app
from cli.deployment import deployment, project_in
from protocol.names import action_name

Resource: TypeAlias = dict[str, Any]

os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")


@dataclass(frozen=True)
class Templates:
    """The templates of a stage: the root's, and those of its workflows by their references."""

    folder: Path
    root: dict[str, Any]
    workflows: Mapping[str, dict[str, Any]]

    def all(self) -> Iterator[dict[str, Any]]:
        """Yield every template."""
        yield self.root
        yield from self.workflows.values()

    def of_type(self, kind: str) -> list[Resource]:
        """Return the resources of a type in all templates."""
        return [one for template in self.all() for one in of_type(template, kind).values()]

    def definition(self, reference: str, machine: str = "") -> str:
        """Return the definition of a workflow's machine (`--close`) as it is uploaded."""
        wanted = reference + machine
        for resource in of_type(self.workflows[reference], MACHINE).values():
            properties = resource["Properties"]
            if properties["StateMachineName"].endswith(f"-{wanted}"):
                digest = properties["DefinitionS3Location"]["Key"].partition(".")[0]
                return (self.folder / f"asset.{digest}.json").read_text(encoding="utf-8")
        raise KeyError(wanted)


HELLO = "name: Hello\nsteps:\n  - {id: hello, run: echo hello}\n"
FUNCTION = "AWS::Lambda::Function"
MACHINE = "AWS::StepFunctions::StateMachine"
ROLE = "AWS::IAM::Role"
VERSION = "AWS::Lambda::Version"


def of_type(template: Mapping[str, Any], kind: str) -> dict[str, Resource]:
    """Return the resources of a type in a template."""
    return {name: one for name, one in template["Resources"].items() if one["Type"] == kind}


def statements(role: Resource) -> list[dict[str, Any]]:
    """Return the statements of a role's own policy."""
    return [
        statement
        for policy in role["Properties"].get("Policies", ())
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def listed(value: Any) -> list[Any]:
    """Return one or several as a list."""
    return value if isinstance(value, list) else [value]


def function(templates: Templates, name: str) -> Resource:
    """Return a function by what it is called in the stage."""
    for one in of_type(templates.root, FUNCTION).values():
        if one["Properties"]["Description"].endswith(f": {name}"):
            return one
    raise KeyError(name)


def allowed(templates: Templates, name: str) -> dict[str, list[Any]]:
    """Return what a function may do, and on what."""
    role = templates.root["Resources"][
        function(templates, name)["Properties"]["Role"]["Fn::GetAtt"][0]
    ]
    found: dict[str, list[Any]] = {}
    for one in statements(role):
        for action in listed(one["Action"]):
            found.setdefault(action, []).extend(listed(one["Resource"]))
    return found


def application_in(root: Path, scratch: Path, stage: str | None = None) -> Application:
    """Return what is deployed of the project in a folder, with stubs of its functions."""
    found = deployment(project_in(root, stage))
    names = [*CORE, *(action_name(one.name) for one in found.actions)]
    return Application(
        project="shop",
        stage=found.stage,
        workflows=found.workflows,
        actions=found.actions,
        code={name: stub(name, scratch) for name in names},
        scratch=scratch,
        secrets=found.secrets,
        build_secrets=found.build_secrets,
        build=stub("builds", scratch) if found.has_builds else None,
    )


def stub(name: str, scratch: Path, content: str = "first") -> Path:
    """Return the path of an archive that is none."""
    path = scratch / f"{name}.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{name} {content}")
    return path


def with_code(application: Application, name: str, content: str, scratch: Path) -> Application:
    """Return an application of which one function has other code."""
    return replace(application, code={**application.code, name: stub(name, scratch, content)})


def synthesised(application: Application, folder: Path) -> Templates:
    """Synthesise an application into a folder and return its templates."""
    app = new_app(folder)
    add_stack(app, application)
    app.synth()
    return templates_in(folder, application.stage.name)


def templates_in(folder: Path, stage: str) -> Templates:
    """Return the templates of a stage that were written into a folder."""
    root = _read(folder / f"stepsmith-{stage}.template.json")
    nested = [_read(path) for path in sorted(folder.glob("*.nested.template.json"))]
    return Templates(folder, root, {one["Description"].rpartition(" ")[2]: one for one in nested})


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write_project(root: Path, workflows: Mapping[str, str], stage: str = "{}") -> Path:
    """Write a project with workflows by their names and the settings of its stage `dev`."""
    (root / "workflows").mkdir(parents=True, exist_ok=True)
    (root / "stepsmith.yaml").write_text(f"stages: {{dev: {stage}}}\n", encoding="utf-8")
    for name, text in workflows.items():
        (root / "workflows" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return root
