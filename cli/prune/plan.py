"""Which versions of a stage's machines and functions nothing needs any more.

A version of a machine is needed while an alias means it, an execution is open on it, it is among
the newest, or the definition of one that is needed names it. A version of a function is needed
while the definition of a machine's version that is needed names it, or while it is the newest.
Roles and rules that are left over are needed by versions that are needed (`cli.prune.left`). What
waits for a person or for an answer is an open execution.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime

from cli.console import Misuse
from cli.prune.left import Other

NEWEST = 10
"""Versions of a machine that are kept for going back, unless another number is asked for."""

_NAMED = re.compile(
    r"arn:[\w-]+:(?:states|lambda):[\w-]+:\d{12}:(?:stateMachine|function):[\w-]+:\d+(?![\w-])"
)


@dataclass(frozen=True, slots=True)
class Machine:
    """A state machine of the stage: its versions, newest first, and who is on them.

    `aliases` are those that mean a version, `open` the executions that are open, both by the
    numbers of versions; `astray` are ARNs of those whose version is not there (any more). `made`
    is when each version was. `is_left`: the stack does not know it any more.
    """

    arn: str
    name: str
    versions: tuple[int, ...]
    aliases: Mapping[int, str] = field(default_factory=dict)
    open: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    astray: tuple[str, ...] = ()
    made: Mapping[int, datetime] = field(default_factory=dict)
    is_left: bool = False

    @property
    def is_open(self) -> bool:
        """Whether an execution is open on any version."""
        return bool(self.open or self.astray)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the stage whose versions are called by number, newest first.

    `roles` are the ARNs of the roles of its versions, and under 0 of what is no version.
    """

    arn: str
    name: str
    versions: tuple[int, ...]
    aliases: Mapping[int, str] = field(default_factory=dict)
    is_left: bool = False
    roles: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """What there is of a stage; `place` says where, for people.

    `others` are the roles and rules that were left over.
    """

    place: str
    machines: tuple[Machine, ...]
    functions: tuple[Function, ...]
    others: tuple[Other, ...] = ()


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for: how many newest versions stay, and whether all that is left over goes."""

    newest: int = NEWEST
    left: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a machine or a function: why a version stays, by number; which go.

    `whole`: it goes altogether, with all its versions; so does a role or a rule.
    """

    of: Machine | Function | Other
    kept: Mapping[int, str]
    deleted: tuple[int, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of everything."""

    machines: tuple[Verdict, ...]
    functions: tuple[Verdict, ...]
    others: tuple[Verdict, ...] = ()

    @property
    def all(self) -> tuple[Verdict, ...]:
        """All of them."""
        return (*self.machines, *self.functions, *self.others)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be deleted."""
        return not any(one.deleted or one.whole for one in self.all)


class Unreadable(Misuse):
    """What a definition names cannot be found out, so that nothing it may name can go."""


Names = Callable[[str], AbstractSet[str]]
"""What the definition of a machine, a version or an execution names: versions, by their ARNs, its
role, and what it waits for.

Raises Unreadable.
"""


def plan(found: Found, wish: Wish, names: Names, also: Mapping[str, str] | None = None) -> Plan:
    """Return what may be deleted and what stays.

    `also` are versions that stay whatever else holds, by their ARNs, each with the reason.
    """
    staying = {one.arn for one in found.machines if not (wish.left and one.is_left)}
    while True:
        why = dict(also or {})
        for machine in found.machines:
            for number, reason in _roots(machine, wish, whole=machine.arn in staying):
                why.setdefault(version(machine.arn, number), reason)
        _follow(why, found.machines, staying, names)
        needed = {one.arn for one in found.machines if _is_needed(one, why)}
        if needed <= staying:
            break
        # Something left over is needed after all: what was said of others' newest holds for it.
        staying |= needed
    functions = tuple(_of_function(one, why, wish) for one in found.functions)
    for one in functions:
        why.update(dict.fromkeys(_roles(one), f"the role of {one.of.name}"))
    return Plan(
        tuple(_of_machine(one, why, is_kept=one.arn in staying) for one in found.machines),
        functions,
        tuple(Verdict(one, {}, (), whole=not one.is_needed(why)) for one in found.others),
    )


def version(arn: str, number: int) -> str:
    """Return the ARN of a version."""
    return f"{arn}:{number}"


def named_in(definition: str) -> set[str]:
    """Return the ARNs of versions, of functions and machines, that a definition names."""
    return set(_NAMED.findall(definition))


def _roots(machine: Machine, wish: Wish, *, whole: bool) -> Iterator[tuple[int, str]]:
    """Yield the versions of a machine that are needed of themselves, the best reason first."""
    if whole:
        for number, alias in machine.aliases.items():
            yield number, f"'{alias}' means it"
    for number, executions in machine.open.items():
        yield number, _open(executions)
    if whole:
        for number in machine.versions[: wish.newest]:
            yield number, "it is among the newest"


def _open(executions: Sequence[str]) -> str:
    if len(executions) == 1:
        return f"an execution is open: {executions[0]}"
    return f"{len(executions)} executions are open, such as {executions[0]}"


def _follow(
    why: dict[str, str], machines: Iterable[Machine], staying: set[str], names: Names
) -> None:
    """Add all that is named by what is needed, and by that in turn."""
    machine_arns = {one.arn for one in machines}
    called = {one.arn: one.name for one in machines}
    called |= {run: f"execution {run.rpartition(':')[2]}" for one in machines for run in one.astray}
    # A machine itself is what an execution is on that was started by hand, by no version.
    own = [arn for arn in called if arn not in machine_arns or arn in staying]
    pending = [*own, *why]  # the last first: a version tells more
    known = {
        version(one.arn, number) for one in machines for number in one.versions
    } | called.keys()
    seen: set[str] = set()
    while pending:
        arn = pending.pop()
        if arn in seen or arn not in known:
            continue
        seen.add(arn)
        machine, _, number = arn.rpartition(":")
        told = called.get(arn) or f"version {number} of {called[machine]}"
        for one in sorted(names(arn)):
            why.setdefault(one, f"named by {told}")
            pending.append(one)


def _is_needed(machine: Machine, why: Mapping[str, str]) -> bool:
    return machine.is_open or any(version(machine.arn, one) in why for one in machine.versions)


def _of_machine(machine: Machine, why: Mapping[str, str], *, is_kept: bool) -> Verdict:
    if not is_kept:
        return Verdict(machine, {}, machine.versions, whole=True)
    kept = _kept(machine, why)
    return Verdict(machine, kept, tuple(one for one in machine.versions if one not in kept))


def _of_function(function: Function, why: Mapping[str, str], wish: Wish) -> Verdict:
    kept = _kept(function, why)
    for number, alias in function.aliases.items():
        kept.setdefault(number, f"'{alias}' means it")
    if function.is_left and wish.left and not kept:
        return Verdict(function, {}, function.versions, whole=True)
    for number in function.versions[:1]:
        kept.setdefault(number, "it is the newest")
    return Verdict(function, kept, tuple(one for one in function.versions if one not in kept))


def _roles(verdict: Verdict) -> Iterator[str]:
    """Yield the roles of a function's versions that stay, and of the function if it does."""
    assert isinstance(verdict.of, Function)
    if not verdict.whole:
        for number, arn in verdict.of.roles.items():
            if number not in verdict.deleted:
                yield arn


def _kept(one: Machine | Function, why: Mapping[str, str]) -> dict[int, str]:
    arns = {number: version(one.arn, number) for number in one.versions}
    return {number: why[arn] for number, arn in arns.items() if arn in why}
