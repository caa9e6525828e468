"""Puts a manifest together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping

from compiler.check.portable import portable
from compiler.check.program import (
    EventWait,
    Notify,
    Program,
    Step,
    Value,
    every_step,
    expressions,
)
from compiler.document.nodes import Json
from compiler.expressions import Ref, references
from compiler.manifest import steps, triggers
from compiler.manifest.resuming import resuming
from compiler.manifest.secrets import secrets_of
from compiler.pipeline import Compilation
from compiler.plan.model import Plan
from compiler.plan.reading import exprs_of_step
from protocol.manifest import MANIFEST, NoticeManifest, StepManifest, WorkflowManifest


def manifest(
    compilation: Compilation, called: Mapping[str, Compilation] | None = None
) -> WorkflowManifest:
    """Return the manifest of a compiled workflow, which must be without errors.

    `called` has what it calls, directly or not, by the references that machines use. Raises
    KeyError where one is missing.
    """
    return _Maker(called or {}).manifest(compilation)


class _Maker:
    """Makes the manifests of a workflow and of those it calls, each once."""

    def __init__(self, called: Mapping[str, Compilation]) -> None:
        self._called = called
        self._children: dict[str, WorkflowManifest] = {}

    def _child(self, reference: str) -> WorkflowManifest:
        if reference not in self._children:
            self._children[reference] = self.manifest(self._called[reference])
        return self._children[reference]

    def manifest(self, compilation: Compilation) -> WorkflowManifest:
        program, plan = compilation.program, compilation.plan
        assert program is not None
        assert plan is not None
        contract = program.contract if isinstance(program.contract, dict) else {}
        waits = list(_waits(program))
        made: WorkflowManifest = {
            "contract": MANIFEST,
            "id": program.id,
            "version": program.version or "",
            "name": program.name,
            "description": program.description,
            "digest": "",
            "file": compilation.source.name,
            "source": compilation.source.text,
            "inputs": _schema(contract.get("inputs")),
            "outputs": _schema(contract.get("outputs")),
            "triggers": [triggers.trigger(one) for one in program.triggers],
            "steps": _resumable(program, plan),
            "rules": steps.rules(program.steps),
            "handlers": steps.rules(program.handlers),
            "blocks": steps.blocks(program.steps),
            "children": {name: self._child(name)["digest"] for name in program.children},
            "notify": [_notice(one) for one in program.notify],
            "vars": dict(program.vars) if isinstance(program.vars, dict) else {},
            "carries": sorted(self._carries(program, plan)),
            "has_close": program.has_close,
        }
        if program.handlers:
            made["handler_steps"] = steps.steps(program.handlers, program.source)
        if waits:
            made["patterns"] = waits
        if program.checkout is not None:
            checkout = program.checkout
            made["checkout"] = {
                "repository": portable(checkout.repository),
                "ref": portable(checkout.ref),
            }
        states = dict(_states(compilation))
        if states:
            made["states"] = states
        made["digest"] = _digest_of(compilation, made)
        return made

    def _carries(self, program: Program, plan: Plan) -> set[str]:
        """Return which contexts beside the inputs have to go with a run."""
        found = set(plan.carried)
        if plan.close is not None:
            found |= plan.close.carried
        # Whom to tell and which files to take is asked outside of the machine.
        found |= {ref.root for ref in _asked_outside(program)} & {"trigger", "event", "github"}
        read = [*_references(program)]
        if "github" in found and any(map(_is_event_of_github, read)):
            found.add(WHOLE_EVENT)
        if any(ref.root == "event" and ref.keys[:1] == ("detail",) for ref in read):
            found.add(DETAIL)
        for name in program.children:
            found |= {WHOLE_EVENT} & {*self._child(name)["carries"]}
        return found


WHOLE_EVENT, DETAIL = "github.event", "event.detail"
_FAILED_STEP = ("event", "workflow", "failed_step")


def _is_event_of_github(ref: Ref) -> bool:
    """Whether a path may read the webhook; a handler's failed step stands there, too."""
    keys = ref.keys
    if ref.root != "github" or keys[:3] == _FAILED_STEP:
        return False
    return not keys or not isinstance(keys[0], str) or keys[0] == "event"


def _references(program: Program) -> Iterator[Ref]:
    for step in _every(program):
        for expr in exprs_of_step(step):
            yield from references(expr)
    values = [value for _, value in program.outputs]
    if program.concurrency is not None:
        values.append(program.concurrency.group)
    yield from _read_by(values)
    yield from _asked_outside(program)


def _asked_outside(program: Program) -> Iterator[Ref]:
    values = [one.to for one in program.notify]
    if program.checkout is not None:
        values += [program.checkout.repository, program.checkout.ref]
    return _read_by(values)


def _read_by(values: Iterable[Value]) -> Iterator[Ref]:
    for value in values:
        for expr in expressions(value):
            yield from references(expr)


def _resumable(program: Program, plan: Plan) -> list[StepManifest]:
    """Return the steps, with what tells whether their stored results still count."""
    made, found = steps.steps(program.steps, program.source), resuming(program, plan)
    for one in made:
        if one["id"] in found:
            one["resume"] = found[one["id"]]
    return made


def _schema(schema: Json) -> dict[str, Json] | None:
    return schema if isinstance(schema, dict) else None


def _notice(notify: Notify) -> NoticeManifest:
    made: NoticeManifest = {"on": list(notify.on), "to": portable(notify.to)}
    names = secrets_of([notify.to])
    if names:
        made["secrets"] = names
    return made


def _every(program: Program) -> Iterator[Step]:
    """Yield all steps: those in parallel steps, handlers and undos too."""
    for step in (*every_step(program.steps), *every_step(program.handlers)):
        yield step
        if step.compensate is not None:
            yield step.compensate


def _waits(program: Program) -> Iterator[dict[str, Json]]:
    """Yield the patterns of the events that steps wait for, each once."""
    seen: list[Json] = []
    for step in _every(program):
        if isinstance(step.kind, EventWait) and step.kind.pattern not in seen:
            seen.append(step.kind.pattern)
            assert isinstance(step.kind.pattern, dict)
            yield step.kind.pattern


def _states(compilation: Compilation) -> Iterator[tuple[str, str]]:
    """Yield the states whose names do not begin with their step's whole id: it was too long."""
    assert compilation.program is not None
    ids = [step.id for step in _every(compilation.program)]
    known = frozenset(ids)
    if all(len(one) < _MAY_BE_CUT for one in ids):
        return
    for machine in compilation.machines:
        for name in _names(machine.definition):
            base = name.partition(".")[0]
            owner = next((one for one in ids if one.startswith(base)), None)
            if base not in known and owner is not None and len(base) >= _MAY_BE_CUT:
                yield name, owner


_MAY_BE_CUT = 60


def _names(definition: Mapping[str, Json]) -> Iterator[str]:
    """Yield the names of all states of a machine."""
    pending: list[Json] = [dict(definition)]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            states = here.get("States")
            if isinstance(states, dict) and "StartAt" in here:
                yield from states
            pending += here.values()
        elif isinstance(here, list):
            pending += here


def _digest_of(compilation: Compilation, made: WorkflowManifest) -> str:
    about = {key: value for key, value in made.items() if key != "digest"}
    whole = [about, *([machine.id, machine.definition] for machine in compilation.machines)]
    text = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
