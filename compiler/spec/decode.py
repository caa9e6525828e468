"""The pass itself: a located document becomes a `Workflow`."""

from __future__ import annotations

from pathlib import PurePath

from pydantic import JsonValue

from compiler.diagnostics import Diagnostics
from compiler.document import to_plain
from compiler.document.nodes import Document, Path
from compiler.spec import contract, identity, model, names, parts
from compiler.spec.keys import allowed
from compiler.spec.report import Reporter, plain_list
from compiler.spec.steps import StepDecoder
from compiler.spec.triggers import triggers
from compiler.spec.written.parts import Notify
from compiler.spec.written.root import Root


def decode(document: Document, diagnostics: Diagnostics) -> model.Workflow | None:
    """Return the workflow that a document holds; None if nothing in it can be used.

    Every mistake in the form of the file is reported once. What could be read is returned also
    then, with the parts that had mistakes marked `broken`.
    """
    report = Reporter(document, diagnostics)
    found = _root(report, to_plain(document.root))
    if found is None:
        return None
    plain, path = found
    before = report.count
    read = report.read(Root, plain, path)
    if read.value is None:
        return None
    return _workflow(report, read.value, path, broken=report.count > before)


def _root(report: Reporter, plain: JsonValue) -> tuple[dict[str, JsonValue], Path] | None:
    """Return the mapping that holds the workflow's keys, and its path."""
    if isinstance(plain, list):
        report.error(
            "not-a-workflow",
            (),
            "the file is a list, but must be a mapping",
            "write `name:` and, above the list, `steps:`",
        )
        return None
    if not isinstance(plain, dict) or not plain:
        report.error(
            "not-a-workflow",
            (),
            "the file holds no workflow",
            "write `name:` and `steps:` with at least one step",
        )
        return None
    if "workflow" not in plain:
        return plain, ()
    inner = plain["workflow"]
    if "cases" in plain:
        name, is_named_so = report.document.source.name, report.document.source.is_of_scenarios
        report.error_at_key(
            "not-a-workflow",
            ("cases",),
            "this file holds scenarios, no workflow",
            f"run it with `stepsmith test {name}`"
            if is_named_so
            else "name it *.test.yaml, and run it with `stepsmith test`",
        )
        return None
    others = {key: value for key, value in plain.items() if key != "workflow"}
    if not isinstance(inner, dict):
        help_ = "put the keys below it, further to the right, or remove the line"
        if isinstance(inner, str):
            help_ = "write `name:` for the workflow's name"
        report.wrong_type(("workflow",), "a mapping, the workflow", help_)
        return (others, ()) if others else None
    for key in others:
        help_ = "move it under `workflow:`" if key in allowed(Root) else "remove it"
        report.error_at_key("unknown-key", (key,), f"`{key}` stands beside `workflow`", help_)
    return inner, ("workflow",)


def _workflow(report: Reporter, root: Root, path: Path, *, broken: bool) -> model.Workflow:
    before = report.count
    name, workflow_id = _identity(report, root, path)
    defaults = _defaults(report, root, path)
    env = parts.env(report, root.env, (*path, "env"))
    inputs, outputs = _contract(report, root, path)
    notify = _notify(report, root.notify, (*path, "notify"))
    started_by = (
        ()
        if root.trigger is None
        else triggers(report, root.trigger, (*path, "trigger"), workflow_id)
    )
    broken = broken or report.count > before
    decoder = StepDecoder(report, defaults)
    steps = _steps(report, root, path, decoder, broken=broken)
    handlers = (
        () if root.on_failure is None else decoder.handlers(root.on_failure, (*path, "on_failure"))
    )
    workflow = model.Workflow(
        path=path,
        id=workflow_id,
        name=name,
        given_id=root.id is not None,
        broken=broken,
        version=root.version,
        description=root.description,
        form="jobs" if root.jobs is not None and root.steps is None else "steps",
        triggers=started_by,
        inputs=inputs,
        outputs=outputs,
        env=env,
        defaults=defaults,
        source=None
        if root.source is None
        else model.Checkout(
            path=(*path, "source"), repository=root.source.repository, ref=root.source.ref
        ),
        timeout=root.timeout,
        concurrency=_concurrency(root, path),
        steps=steps,
        on_failure=handlers,
        notify=notify,
    )
    identity.collisions(report, workflow.all_steps(), decoder.unknown)
    return workflow


def _identity(report: Reporter, root: Root, path: Path) -> tuple[str, str]:
    name = root.name or PurePath(report.document.source.name).stem
    if root.id is not None:
        if names.is_id(root.id) and len(root.id) <= names.LONGEST:
            return name, root.id
        better = names.slug(root.id)
        report.error(
            "bad-id",
            (*path, "id"),
            f"'{root.id}' cannot be an id",
            f"write `{better}`" if better else "use letters, digits, - and _",
        )
        return name, better or "workflow"
    slug = names.slug(name, prefix="workflow")
    if not slug and root.name is not None:
        report.error(
            "bad-id",
            (*path, "name"),
            f"no id can be made of the name '{name}'",
            "add an `id` of letters, digits, - and _",
        )
    return name, slug or "workflow"


def _defaults(report: Reporter, root: Root, path: Path) -> model.Defaults:
    at = (*path, "defaults")
    if root.defaults is None:
        return model.Defaults(path=at)
    return model.Defaults(
        path=at,
        retry=parts.retry(report, root.defaults.retry, (*at, "retry")),
        timeout=root.defaults.timeout,
        runner=root.defaults.runner,
    )


def _contract(
    report: Reporter, root: Root, path: Path
) -> tuple[model.Inputs | None, model.Outputs | None]:
    places: dict[str, tuple[JsonValue, Path]] = {}
    if root.inputs is not None:
        places["inputs"] = (root.inputs, (*path, "inputs"))
    if root.outputs is not None:
        places["outputs"] = (root.outputs, (*path, "outputs"))
    at = (*path, "schema")
    if root.schema_ is not None and not isinstance(root.schema_, dict):
        report.wrong_type(at, "a mapping with `inputs` and `outputs`")
    elif root.schema_ is not None:
        for key, value in root.schema_.items():
            if key not in ("inputs", "outputs"):
                report.error_at_key(
                    "unknown-key",
                    (*at, key),
                    f"`{key}` is not a key of `schema`",
                    "the keys here are inputs, outputs",
                )
            elif key in places:
                report.error_at_key(
                    "conflicting-keys",
                    (*at, key),
                    f"`{key}` stands at the root and under `schema`",
                    "leave one of them out",
                    [report.diagnostics.label(report.key((*path, key)), "here too")],
                )
            else:
                places[key] = (value, (*at, key))
    given, gives = places.get("inputs"), places.get("outputs")
    return (
        contract.inputs(report, *given) if given else None,
        contract.outputs(report, *gives) if gives else None,
    )


def _steps(
    report: Reporter, root: Root, path: Path, decoder: StepDecoder, *, broken: bool
) -> tuple[model.Step, ...]:
    if root.steps is not None and root.jobs is not None:
        parts.conflict(
            report, path, "jobs", "steps", "write the jobs as steps of `type: subworkflow`"
        )
    if root.steps is not None:
        if root.steps == []:
            report.error_at_key(
                "missing-key",
                (*path, "steps"),
                "the workflow has no steps",
                "add a step: `- id: ...`",
            )
        return decoder.steps(root.steps, (*path, "steps"))
    if root.jobs is not None:
        if root.jobs == {}:
            report.error_at_key(
                "missing-key",
                (*path, "jobs"),
                "the workflow has no jobs",
                "add a job, or write `steps:`",
            )
        return decoder.jobs(root.jobs, (*path, "jobs"))
    if not broken:
        report.error("missing-key", path, "the workflow has no `steps`", "add `steps:`, a list")
    return ()


def _concurrency(root: Root, path: Path) -> model.Concurrency | None:
    found = root.concurrency
    if found is None:
        return None
    return model.Concurrency(
        path=(*path, "concurrency"),
        group=found.group,
        limit=found.limit or 1,
        on_conflict=found.on_conflict or "queue",
    )


def _notify(report: Reporter, plain: JsonValue, path: Path) -> tuple[model.Notify, ...]:
    if plain is None:
        return ()
    items = (
        [((*path, index), item) for index, item in plain_list(plain)]
        if isinstance(plain, list)
        else [(path, plain)]
    )
    found: list[model.Notify] = []
    for at, item in items:
        value = report.read(Notify, item, at).value
        if value is not None:
            found.append(model.Notify(path=at, on=value.on or ("failed",), to=value.to))
    return tuple(found)
