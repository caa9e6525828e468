"""Deleting what a plan says may go, and an account of what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from cli.prune.plan import Found, Machine, Names, Plan, Unreadable, Verdict, Wish, plan, version

_NEVER = datetime.min.replace(tzinfo=UTC)
_STUCK = "it could not be deleted"


class NotDeleted(Exception):
    """Something was not deleted; the text says why."""


class Deletes(Protocol):
    """What deletes."""

    def delete(self, arn: str) -> None:
        """Delete a machine, a function, or a version of one; raises NotDeleted."""


@dataclass(frozen=True, slots=True)
class Item:
    """A thing to delete: a version, by its number, or the whole of what it belongs to."""

    of: Verdict
    number: int | None

    @property
    def arn(self) -> str:
        """Return its ARN."""
        return self.of.of.arn if self.number is None else version(self.of.of.arn, self.number)


@dataclass(slots=True)
class Outcome:
    """What was deleted, and what was not and why."""

    deleted: list[Item] = field(default_factory=list)
    failed: list[tuple[Item, str]] = field(default_factory=list)


def carry_out(found: Found, wish: Wish, names: Names, made: Plan, account: Deletes) -> Outcome:
    """Delete what a plan says, callers before what they call.

    What could not be deleted stays whole: what its definition names then stays, too. Where that
    cannot be found out, nothing more is deleted.
    """
    outcome = Outcome()
    stuck: dict[str, str] = {}
    going = {item.arn for item in items(made.machines)}
    for item in sorted(items(made.machines), key=_created, reverse=True):
        if item.arn not in going or _deleted(item, account, outcome):
            continue
        stuck |= dict.fromkeys(_versions(item), _STUCK)
        try:
            made = both(made, plan(found, wish, names, stuck))
        except Unreadable as why:
            outcome.failed.append((item, str(why)))
            return outcome
        going = {item.arn for item in items(made.machines)}
    for item in items(made.functions):
        if not _deleted(item, account, outcome):
            # Roles and rules of what is still there, and perhaps of more: the next call asks anew.
            made = Plan(made.machines, made.functions)
    for item in items(made.others):
        _deleted(item, account, outcome)
    return outcome


def _deleted(item: Item, account: Deletes, outcome: Outcome) -> bool:
    try:
        account.delete(item.arn)
    except NotDeleted as why:
        outcome.failed.append((item, str(why)))
        return False
    outcome.deleted.append(item)
    return True


def items(verdicts: tuple[Verdict, ...]) -> Iterator[Item]:
    """Yield what is deleted, the newest versions first."""
    for one in verdicts:
        if one.whole:
            yield Item(one, None)
        else:
            for number in one.deleted:
                yield Item(one, number)


def both(one: Plan, other: Plan) -> Plan:
    """Return the second of two plans without what the first does not delete."""
    agreed = {item.arn for item in items(one.all)}
    return Plan(
        tuple(_within(verdict, agreed) for verdict in other.machines),
        tuple(_within(verdict, agreed) for verdict in other.functions),
        tuple(_within(verdict, agreed) for verdict in other.others),
    )


def _within(verdict: Verdict, agreed: set[str]) -> Verdict:
    if verdict.whole:
        is_agreed = verdict.of.arn in agreed
        return verdict if is_agreed else Verdict(verdict.of, {}, ())
    deleted = tuple(n for n in verdict.deleted if version(verdict.of.arn, n) in agreed)
    return Verdict(verdict.of, verdict.kept, deleted)


def _versions(item: Item) -> list[str]:
    if item.number is not None:
        return [item.arn]
    return [version(item.arn, number) for number in item.of.of.versions]


def _created(item: Item) -> datetime:
    """Return when a version was made: whoever names it was made later."""
    machine = item.of.of
    if not isinstance(machine, Machine):
        return _NEVER
    if item.number is not None:
        return machine.made.get(item.number, _NEVER)
    return max(machine.made.values(), default=_NEVER)
