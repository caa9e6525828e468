"""A project as a deployment takes it: its workflows compiled, and what they need found out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cdk import model
from cli.console import WRONG, Misuse
from cli.plan.overview import BUILDS, NOTIFY, all_steps, users_of_secrets
from cli.plan.permissions import Statement, statements
from cli.project.manifests import Workflow, workflows
from cli.project.project import Project, Projects
from cli.project.settings import DAY, FILE, LOCAL, Stage
from compiler.check.program import Action, Pause, Program
from compiler.check.suggest import suggestion
from compiler.check.workflows import highest
from compiler.document.nodes import Json
from compiler.plan.durations import longest_run
from protocol import environment

RETENTION_DAYS = 365
_YEAR = 365 * DAY
_ACTION = re.compile(r"\$\{action:([^{}\x22]+)\}")  # \x22: a quote
_MACHINE = re.compile(r"\$\{machine:([^{}\x22]+)\}")
_BUILD = "${codebuild}"
_RUN = "run"


class Undeployable(Misuse):
    """A project that compiles and cannot be deployed; its text says why and what to do."""

    code = WRONG


@dataclass(frozen=True, slots=True)
class Deployment:
    """What is deployed for a stage, before anything is packed.

    `manifests` are by their references; `people` are the stage's, as functions read them.
    `secrets` are those that triggers and `notify` read, `build_secrets` those that builds do.
    `actions` are in the order of their names; `built` are the names of those, beside scripts,
    that builds carry out.
    """

    project: Project
    stage: model.Stage
    workflows: tuple[model.Workflow, ...]
    actions: tuple[model.Action, ...]
    manifests: Mapping[str, Json]
    people: Mapping[str, Json]
    secrets: tuple[str, ...]
    build_secrets: tuple[str, ...]
    built: tuple[str, ...]
    has_builds: bool


def project_in(root: Path, stage: str | None) -> Project:
    """Return the project in a folder, with the stage to deploy: the one named, else the first.

    Raises Misuse where there is no project, no such stage, or none to deploy.
    """
    if not (root / FILE).is_file():
        raise Misuse(f"there is no {FILE} in '{root}'\nstepsmith init DIR makes a project")
    if stage is None:
        names = Projects().of(root / FILE).settings.names()
        stage = next((name for name in names if name != LOCAL), None)
    if stage is None or stage == LOCAL:
        about = f"{FILE} names no stage" if stage is None else f"'{LOCAL}' is this machine's"
        raise Misuse(
            f"{about}: there is nowhere to deploy to\nwrite one under `stages`, such as `dev: "
            "{region: eu-central-1}`"
        )
    return Projects(stage).of(root / FILE)


def deployment(project: Project) -> Deployment:
    """Compile a project for its stage; raises Refused, Misuse, and Undeployable."""
    written = (project.settings.stages or {}).get(project.stage) or Stage.model_validate({})
    found = _chosen(workflows(project), written, project)
    by_file = {one.manifest["file"]: _reference(one, project) for one in found}
    stage = replace(_stage(project.stage, written), longest=_longest(found))
    _check_streams(found, stage)
    made = tuple(_workflow(one, by_file) for one in found)
    users = _users(found)
    definitions = [machine.definition for one in made for machine in one.machines]
    return Deployment(
        project,
        stage,
        tuple(sorted(made, key=lambda one: one.reference)),
        _actions(definitions, users, project, _of_sources(found)),
        _manifests(found, by_file),
        _people(project, written),
        _secrets(found, users),
        tuple(sorted({*users.get(BUILDS, ()), *_of_sources(found)})),
        _built(found),
        any(_BUILD in text for text in definitions),
    )


def _chosen(found: list[Workflow], stage: Stage, project: Project) -> list[Workflow]:
    """Return the workflows that a stage lists, with those that they call; all without a list."""
    if stage.workflows is None:
        return found
    alike = {one.manifest["id"].replace("-", "_"): one.manifest["id"] for one in found}
    wanted: set[str] = set()
    for name in stage.workflows:
        if name.replace("-", "_") not in alike:
            hint = suggestion(name, alike.values(), "the workflows")
            raise Undeployable(f"the stage '{project.stage}' lists '{name}', which is none\n{hint}")
        wanted.add(alike[name.replace("-", "_")])
    files = {one.manifest["file"] for one in found if one.manifest["id"] in wanted}
    for one in found:
        if one.manifest["id"] in wanted:
            files |= {called.source.name for called in one.called.values()}
    return [one for one in found if one.manifest["file"] in files]


def _reference(one: Workflow, project: Project) -> str:
    """Return what a version is called in its stage: its id alone if it is the highest of it."""
    manifest = one.manifest
    known = project.surroundings(project.root / manifest["file"]).workflows
    is_highest = (highest(known[manifest["id"]]).version or "") == manifest["version"]
    return manifest["id"] if is_highest else one.reference


def _stage(name: str, written: Stage) -> model.Stage:
    oidc, domain = written.oidc, written.domain
    seconds = written.retention or RETENTION_DAYS * DAY
    return model.Stage(
        name=name,
        account=written.account,
        region=written.region,
        architecture=written.architecture or "arm64",
        auth=written.auth or "cognito",
        oidc=None if oidc is None else model.Oidc(oidc.issuer, oidc.audience),
        domain=None if domain is None else model.Domain(domain.name, domain.certificate),
        sender=written.sender,
        chat=written.chat,
        alarms=written.alarms or (),
        days=-(-seconds // DAY),
        streams=dict(written.streams or {}),
        clusters=written.clusters,
        protected=written.protected is not False,
    )


def _longest(found: Iterable[Workflow]) -> int:
    """Return how many days a run may take: its files and records have to outlast it.

    A workflow without a bound of its own takes what those take that it calls, or, where it waits
    for a time that is only known then, as long as Step Functions lets it.
    """
    seconds = 0
    for one in found:
        programs = [each.program for each in (one.own, *one.called.values()) if each.program]
        seconds = max(seconds, sum(_bound(program) for program in programs))
    return -(-min(seconds, _YEAR) // DAY)


def _bound(program: Program) -> int:
    known = longest_run(program)
    pauses = {step.id for step in all_steps(program) if isinstance(step.kind, Pause)}
    return _YEAR if pauses & {*known.open} else known.seconds


def _workflow(one: Workflow, by_file: Mapping[str, str]) -> model.Workflow:
    reference = by_file[one.manifest["file"]]
    names = [machine.id for machine in one.own.machines]
    own = {name: reference + name.removeprefix(one.manifest["id"]) for name in names}
    called = {name: by_file[other.source.name] for name, other in one.called.items()}

    def named(found: re.Match[str]) -> str:
        name = found[1]
        if name not in own:
            workflow, dashes, part = name.partition("--")
            name = called[workflow] + dashes + part
        else:
            name = own[name]
        return f"${{machine:{name}}}"

    machines: list[model.Machine] = []
    for machine in one.own.machines:
        text = _MACHINE.sub(named, machine.to_json())
        allowed = statements(json.loads(text))
        machines.append(model.Machine(own[machine.id], text, tuple(map(_statement, allowed))))
    started = {n for each in machines for n in _MACHINE.findall(each.definition)} - {*own.values()}
    return model.Workflow(
        reference,
        tuple(machines),
        tuple(sorted({name.partition("--")[0] for name in started})),
        tuple(one.manifest["triggers"]) if reference == one.manifest["id"] else (),
        tuple(one.manifest.get("patterns", ())),
    )


def _statement(found: Statement) -> model.Statement:
    """Return a statement as a role has it: whoever searches a table may search its indexes."""
    searches = {"dynamodb:Query", "dynamodb:Scan"} & {*found.actions}
    tables = [one for one in found.resources if searches and ":table/" in one]
    indexes = (f"{table}/index/*" for table in tables)
    return model.Statement(found.actions, (*found.resources, *indexes))


def _users(found: Iterable[Workflow]) -> dict[str, set[str]]:
    """Return the secrets that steps read, by the action that carries them out."""
    users: dict[str, set[str]] = {}
    for one in found:
        assert one.own.program is not None
        for action, names in users_of_secrets(one.own.program).items():
            users.setdefault(action, set()).update(names)
    return users


def _built(found: Iterable[Workflow]) -> tuple[str, ...]:
    """Return the actions that builds carry out."""
    programs = (one.own.program for one in found)
    steps = (step for program in programs if program for step in all_steps(program))
    built = (step.kind for step in steps if step.is_build)
    return tuple(sorted({kind.action for kind in built if isinstance(kind, Action)}))


def _of_sources(found: Iterable[Workflow]) -> set[str]:
    """Return the secret that sources are fetched with; none of it where no workflow has one."""
    has_source = any(
        "checkout" in one.manifest
        or any(trigger["type"] == "git-push" for trigger in one.manifest["triggers"])
        for one in found
    )
    return {environment.GITHUB_KEY} if has_source else set()


def _actions(
    definitions: Iterable[str],
    users: Mapping[str, set[str]],
    project: Project,
    of_sources: set[str],
) -> tuple[model.Action, ...]:
    names = {name for text in definitions for name in _ACTION.findall(text)}
    files = project.actions.files(names)
    return tuple(
        model.Action(
            name,
            tuple(
                sorted(
                    {
                        *users.get(name, ()),
                        *(of_sources if project.actions[name].reads_files else ()),
                    }
                )
            ),
            f"actions/{files[name].name}" if name in files else None,
            project.actions[name].reads_files or project.actions[name].makes_files,
        )
        for name in sorted(names)
    )


def _manifests(found: Iterable[Workflow], by_file: Mapping[str, str]) -> dict[str, Json]:
    """Return manifests by all references: the highest version of an id has two."""
    made: dict[str, Json] = {}
    for one in found:
        manifest: Json = json.loads(json.dumps(one.manifest))
        for name in (by_file[one.manifest["file"]], one.reference):
            made[name] = manifest
    return dict(sorted(made.items()))


def _people(project: Project, stage: Stage) -> dict[str, Json]:
    settings = project.settings
    return {
        "approvers": [*(stage.approvers or ())],
        "groups": {name: [*members] for name, members in (settings.groups or {}).items()},
        "identities": dict(settings.identities or {}),
    }


def _secrets(found: Iterable[Workflow], users: Mapping[str, set[str]]) -> tuple[str, ...]:
    names = set(users.get(NOTIFY, ()))
    for one in found:
        for trigger in one.manifest["triggers"]:
            secret = trigger["settings"].get("secret")
            if isinstance(secret, str):
                names.add(secret)
    return tuple(sorted(names))


def _check_streams(found: Iterable[Workflow], stage: model.Stage) -> None:
    missing: dict[str, list[str]] = {}
    for one in found:
        for trigger in one.manifest["triggers"]:
            table = trigger["settings"].get("table")
            if (
                isinstance(table, str)
                and not table.startswith("arn:")
                and table not in stage.streams
            ):
                missing.setdefault(table, []).append(one.manifest["file"])
    lines = [
        f"the stream of the table '{table}', which {', '.join(files)} listens to, is not known\n"
        f"write its ARN under `stages.{stage.name}.streams`, as `{table}: arn:aws:dynamodb:...`: "
        f"aws dynamodb describe-table --table-name {table} --query Table.LatestStreamArn"
        for table, files in sorted(missing.items())
    ]
    if lines:
        raise Undeployable("\n".join(lines))
