"""Other workflows of the project: found by what a step calls them, and by who calls whom."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TypeAlias

from compiler.check.context import Context
from compiler.check.contexts import inputs_of_git
from compiler.check.suggest import listed, suggestion
from compiler.check.surroundings import Schema, WorkflowContract
from compiler.source import Span
from compiler.spec import GitPushTrigger, SubworkflowStep, Workflow
from compiler.spec.names import same

Workflows: TypeAlias = Mapping[str, tuple[WorkflowContract, ...]]


def contract(workflow: Workflow, file: str) -> WorkflowContract:
    """Return what other workflows may know of one; `file` is its path from the project's root."""
    steps = list(workflow.all_steps())
    children = (step.reference for step in steps if isinstance(step, SubworkflowStep))
    return WorkflowContract(
        id=workflow.id,
        version=workflow.version,
        file=file,
        inputs=None if workflow.inputs is None else workflow.inputs.json_schema,
        outputs=None if workflow.outputs is None else workflow.outputs.json_schema,
        children=tuple(dict.fromkeys(children)),
        has_people=any(step.kind == "manual" or step.on_error == "pause" for step in steps),
        has_undos=any(step.compensate is not None for step in steps),
        free_inputs=_free_inputs(workflow),
    )


def is_undone(called: WorkflowContract, workflows: Workflows) -> bool:
    """Whether something can be undone of a workflow that ended well, by it or one it calls."""
    known = {called.file}
    stack = [called]
    while stack:
        here = stack.pop()
        if here.has_undos:
            return True
        for reference in here.children:
            child = find(reference, here.file, workflows)
            if child is not None and child.file not in known:
                known.add(child.file)
                stack.append(child)
    return False


def _free_inputs(workflow: Workflow) -> Schema:
    """Return the schema of inputs without a contract: what the triggers give, else anything."""
    names: set[str] = set()
    for trigger in workflow.triggers:
        names.update(trigger.inputs.entries)
        if isinstance(trigger, GitPushTrigger):
            names.update(inputs_of_git(trigger))
    return {"type": "object", "properties": {name: {} for name in sorted(names)}}


def highest(versions: tuple[WorkflowContract, ...]) -> WorkflowContract:
    """Return the version that a call without `@` means."""
    return max(versions, key=lambda one: order(one.version))


def order(version: str | None) -> tuple[tuple[int, int, str], ...]:
    """Return a key that orders versions by their numbers: `1.9` before `1.10`."""
    if version is None:
        return ()
    parts = version.lstrip("v").replace("-", ".").split(".")
    return tuple((1, int(p), "") if p.isdecimal() else (0, 0, p) for p in parts)


def find(reference: str, caller: str, workflows: Workflows) -> WorkflowContract | None:
    """Return the workflow that `id`, `id@version` or `./path` in the file `caller` means."""
    if reference.startswith(("./", "../")):
        by_file = {one.file: one for versions in workflows.values() for one in versions}
        from_root = posixpath.normpath(reference)
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(caller), reference))
        return by_file.get(from_root) or by_file.get(beside)
    name, _, version = reference.partition("@")
    versions = _versions(name, workflows)
    if not versions:
        return None
    if not version:
        return highest(versions)
    return next((one for one in versions if one.version == version), None)


def _versions(name: str, workflows: Workflows) -> tuple[WorkflowContract, ...]:
    exact = workflows.get(name)
    if exact is not None:
        return exact
    return next((found for id_, found in workflows.items() if same(id_) == same(name)), ())


def resolve(
    step: SubworkflowStep, context: Context, span: Span
) -> tuple[WorkflowContract | None, str]:
    """Return the workflow that a step calls, and the text that names it; reports an unknown one."""
    surroundings = context.surroundings
    workflows = surroundings.workflows
    found = find(step.reference, surroundings.file, workflows)
    if found is None:
        _report_unknown(step.reference, workflows, context, span)
        return None, step.reference
    path = _way_back(found, context)
    if path is not None:
        message = f"workflows call each other: {' -> '.join(path)}"
        advice = "take one of these calls out: a workflow cannot wait for itself"
        if len(path) == 2:
            message = "the workflow calls itself"
            advice = "take the call out: a workflow cannot wait for itself"
        context.diagnostics.error("workflow-cycle", span, message, help=advice)
    pinned = step.version is not None
    if step.file is not None:
        pinned = found != highest(_versions(found.id, workflows))
    return found, found.reference if pinned else found.id


def _report_unknown(reference: str, workflows: Workflows, context: Context, span: Span) -> None:
    name, _, version = reference.partition("@")
    versions = _versions(name, workflows)
    if reference.startswith(("./", "../")):
        own = context.surroundings.file
        files = [f"./{one.file}" for found in workflows.values() for one in found]
        others = [file for file in files if file != f"./{own}"]
        message = f"there is no workflow file '{reference}'"
        advice = suggestion(reference, others, "the workflow files") or (
            "it is looked up from the project's root, then beside this file"
        )
    elif versions:
        known = [one.version for one in versions if one.version is not None]
        message = f"workflow '{name}' has no version '{version}'"
        advice = f"there is {listed(known)}" if known else f"write `workflow: {name}`"
    else:
        ids = [other for other in workflows if same(other) != same(context.workflow.id)]
        message = f"there is no workflow '{name}'"
        advice = suggestion(name, ids, "the workflows") or "there is no other workflow to call"
    context.diagnostics.error("unknown-workflow", span, message, help=advice)


def _way_back(start: WorkflowContract, context: Context) -> list[str] | None:
    """Return the files on the way from this workflow through `start` back to itself, or None."""
    own, workflows = context.workflow, context.surroundings.workflows
    came_from: dict[str, WorkflowContract | None] = {start.file: None}
    stack = [start]
    while stack:
        here = stack.pop()
        if (same(here.id), here.version) == (same(own.id), own.version):
            path: list[str] = []
            at: WorkflowContract | None = here
            while at is not None:
                path.append(at.file)
                at = came_from[at.file]
            own_file = context.surroundings.file or here.file
            return [own_file, *reversed(path)]
        for reference in here.children:
            child = find(reference, here.file, workflows)
            if child is not None and child.file not in came_from:
                came_from[child.file] = here
                stack.append(child)
    return None
