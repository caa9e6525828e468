"""What `plan` tells of a compiled workflow, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cli.drawing.layout import layers_of
from cli.plan.permissions import Statement, statements
from compiler.asl import StateMachine
from compiler.check.program import (
    Action,
    AwsCall,
    Fields,
    Items,
    Program,
    Publish,
    Script,
    Secret,
    Step,
    SubWorkflow,
    Value,
    every_step,
)
from compiler.pipeline import Compilation
from compiler.plan.bounds import PRICE_PER_TRANSITION, Bounds, bounds, executions
from compiler.plan.durations import Longest, longest_run
from compiler.plan.graph import ancestors
from compiler.plan.layout_regions import Fork, Leaf, Region
from compiler.plan.limits import DEFINITION_LIMIT, EVENT_LIMIT, request_size
from compiler.plan.model import Plan
from compiler.plan.together import skipped_together

CLOSE = "close"
"""The part of a workflow that follows a failed run."""
BUILDS, NOTIFY = "builds:", "notify:"
"""Who else looks secrets up, beside the functions of actions; no action has such a name."""


@dataclass(frozen=True, slots=True)
class Latch:
    """A dependency that the nested branches cannot hold, and why."""

    producer: str
    consumer: str
    why: str


@dataclass(frozen=True, slots=True)
class Runner:
    """Where a script runs, or an action that CodeBuild could carry out, and why."""

    step: str
    runner: str
    why: str
    is_script: bool


@dataclass(frozen=True, slots=True)
class MachineSize:
    """What a machine takes: its bounds, and the bytes of the request that creates it.

    `part` is what it carries out of the workflow, as of `StateMachine`; `executions` is how many
    of it there are in a run at most.
    """

    id: str
    part: str
    bounds: Bounds
    bytes: int
    executions: int

    @property
    def cost(self) -> tuple[float, float]:
        """US dollars of the transitions of one execution, at least and at most."""
        return _usd(self.bounds.least), _usd(self.bounds.most)


@dataclass(frozen=True, slots=True)
class Overview:
    """All that `plan` tells of one workflow.

    `machines` has its own first, then those of chunks, and its close machine. `secrets` are names
    with the steps that use them; `missing` are those with no value here.
    """

    file: str
    id: str
    version: str | None
    steps: int
    dependencies: int
    depth: int
    forks: int
    latches: tuple[Latch, ...]
    machines: tuple[MachineSize, ...]
    longest: Longest
    runners: tuple[Runner, ...]
    secrets: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    together: tuple[tuple[str, ...], ...]
    permissions: tuple[Statement, ...]

    @property
    def transitions(self) -> tuple[int, int]:
        """Of a run, at least and at most, with chunks and without what follows a failed run."""
        own = self.machines[0].bounds
        return own.least, own.most + sum(one.executions * one.bounds.most for one in self.chunks)

    @property
    def cost(self) -> tuple[float, float]:
        """US dollars of these transitions."""
        least, most = self.transitions
        return _usd(least), _usd(most)

    @property
    def chunks(self) -> tuple[MachineSize, ...]:
        """The machines that carry out items of a for_each, in executions of their own."""
        return tuple(one for one in self.machines if one.part not in ("", CLOSE))

    @property
    def limits(self) -> tuple[int, int]:
        """The bytes of a definition and the events of a run that are allowed."""
        return DEFINITION_LIMIT, EVENT_LIMIT


def overview(compilation: Compilation, has_secret: frozenset[str] | None) -> Overview:
    """Return what there is to tell; `has_secret` are the secrets that have a value, None: unknown.

    The compilation must be without errors.
    """
    plan, program = compilation.plan, compilation.program
    assert plan is not None
    assert program is not None
    secrets = secrets_of(program)
    missing = () if has_secret is None else tuple(n for n in secrets if n not in has_secret)
    every = tuple(every_step(program.steps))
    return Overview(
        file=compilation.source.name,
        id=program.id,
        version=program.version,
        steps=len(every),
        dependencies=sum(len(step.depends_on) for step in every),
        depth=_depth(program),
        forks=_forks(plan.layout.root),
        latches=tuple(_latches(plan)),
        machines=tuple(_sizes(program, compilation.machines)),
        longest=longest_run(program),
        runners=tuple(_runners(program)),
        secrets=secrets,
        missing=missing,
        together=skipped_together(program),
        permissions=_permissions(compilation.machines),
    )


def _permissions(machines: tuple[StateMachine, ...]) -> tuple[Statement, ...]:
    whole: dict[tuple[str, ...], set[str]] = {}
    for machine in machines:
        for one in statements(machine.definition):
            whole.setdefault(one.actions, set()).update(one.resources)
    return tuple(Statement(actions, tuple(sorted(on))) for actions, on in sorted(whole.items()))


def _sizes(program: Program, machines: tuple[StateMachine, ...]) -> Iterator[MachineSize]:
    counts = executions(program, {machine.id: machine for machine in machines})
    for machine in machines:
        size = request_size(machine.definition)
        found = bounds(program, machine)
        yield MachineSize(machine.id, machine.part, found, size, counts[machine.id])


def _usd(transitions: int) -> float:
    return transitions * PRICE_PER_TRANSITION


def _depth(program: Program) -> int:
    places = {step.id: at for at, step in enumerate(program.steps)}
    edges = [(places[need], at) for at, s in enumerate(program.steps) for need in s.depends_on]
    return max(layers_of(len(places), edges), default=-1) + 1


def _forks(root: Region | None) -> int:
    count = 0
    pending = [] if root is None else [root]
    while pending:
        region = pending.pop()
        if isinstance(region, Leaf):
            continue
        count += isinstance(region, Fork)
        pending.extend(region.branches if isinstance(region, Fork) else region.items)
    return count


def _latches(plan: Plan) -> Iterator[Latch]:
    steps = plan.program.by_id
    users: dict[str, list[str]] = {}
    for step in steps.values():
        for need in step.depends_on:
            users.setdefault(need, []).append(step.id)
    places = {name: at for at, name in enumerate(steps)}
    above = ancestors([[places[n] for n in step.depends_on] for step in steps.values()])
    for producer, consumer in plan.latches:
        why = f"it runs beside '{producer}' and nothing else keeps them in order"
        others = [name for name in steps[consumer].depends_on if name != producer]
        beside = (
            (also, other)
            for also in users[producer]
            for other in others
            if also not in (consumer, other) and not above[places[also]] >> places[other] & 1
        )
        also, other = next(beside, (None, None))
        if also is not None:
            why = f"'{consumer}' also needs '{other}', and '{also}' needs '{producer}' without it"
        yield Latch(producer, consumer, why)


def all_steps(program: Program) -> Iterator[Step]:
    """Yield the steps of a workflow, its handlers and what undoes its steps."""
    for step in (*every_step(program.steps), *every_step(program.handlers)):
        yield step
        if step.compensate is not None:
            yield step.compensate


def _runners(program: Program) -> Iterator[Runner]:
    for step in all_steps(program):
        kind = step.kind
        if isinstance(kind, Script) or (isinstance(kind, Action) and kind.why):
            yield Runner(step.id, kind.runner, kind.why, isinstance(kind, Script))


def secrets_of(program: Program) -> dict[str, tuple[str, ...]]:
    """Return the names of the secrets that a workflow reads, each with the steps that do."""
    found: dict[str, list[str]] = {}
    for step in all_steps(program):
        for value in _values(step):
            for name in _named(value):
                users = found.setdefault(name, [])
                if step.id not in users:
                    users.append(step.id)
    for notify in program.notify:
        for name in _named(notify.to):
            found.setdefault(name, []).append("notify")
    return {name: tuple(users) for name, users in sorted(found.items())}


def users_of_secrets(program: Program) -> dict[str, tuple[str, ...]]:
    """Return the secrets that a workflow reads, by the action whose function looks them up.

    Those that builds look up stand under the name `builds:`, which no action has, and those of
    `notify` under `notify:`.
    """
    found: dict[str, set[str]] = {}
    for step in all_steps(program):
        match step.kind:
            case Action() | Script() if step.is_build:
                user = BUILDS
            case Action(action=action):
                user = action
            case Script():
                user = "run"
            case _:
                continue
        names = {name for value in _values(step) for name in _named(value)}
        found.setdefault(user, set()).update(names)
    found[NOTIFY] = {name for one in program.notify for name in _named(one.to)}
    return {user: tuple(sorted(names)) for user, names in sorted(found.items()) if names}


def _values(step: Step) -> Iterator[Value]:
    yield from (value for _, value in step.env)
    match step.kind:
        case Script(variables=variables):
            yield from (value for _, value in variables)
        case Action(inputs=inputs, variables=variables):
            yield inputs
            yield from (value for _, value in variables)
        case SubWorkflow(inputs=inputs):
            yield inputs
        case AwsCall(arguments=arguments):
            yield arguments
        case Publish(payload=payload):
            yield payload
        case _:
            return


def _named(value: Value) -> Iterator[str]:
    match value:
        case Secret(parts=parts):
            yield from (text for kind, text in parts if kind == "secret")
        case Fields(items=fields):
            for _, item in fields:
                yield from _named(item)
        case Items(items=items):
            for item in items:
                yield from _named(item)
        case _:
            return
