"""A stage in an account that is none: machines with versions, executions, functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cli.prune.delete import NotDeleted
from cli.prune.left import Other, waits_in
from cli.prune.plan import Found, Function, Machine, named_in

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STATES = "arn:aws:states:eu-central-1:123456789012"
LAMBDA = "arn:aws:lambda:eu-central-1:123456789012:function"


def machine(name: str) -> str:
    """Return the ARN of a machine of the stage `prod`."""
    return f"{STATES}:stateMachine:stepsmith-prod-{name}"


def function(name: str) -> str:
    """Return the ARN of a function of it."""
    return f"{LAMBDA}:stepsmith-prod-{name}"


def naming(*arns: str) -> str:
    """Return a definition that calls versions, as compiled ones do."""
    states = ", ".join(
        f'"s{at}": {{"Arguments": {{"FunctionName": "{arn}"}}}}' for at, arn in enumerate(arns)
    )
    return f'{{"States": {{{states}}}}}'


@dataclass
class Town:
    """`cli.prune.account.Account` in memory; `refused` are ARNs that are not deleted, and why.

    `roles` are those that versions and machines have, by ARNs.
    """

    machines: dict[str, Machine] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    others: list[Other] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    _made: int = 0

    def machine(
        self,
        name: str,
        *versions: Iterable[str],
        live: int | None = None,
        left: bool = False,
        astray: Mapping[str, Iterable[str]] | None = None,
        **opened: str,
    ) -> None:
        """Add a machine: what each version names, from 1 on, and `run="2"` for open executions."""
        arn = machine(name)
        on: dict[int, tuple[str, ...]] = {}
        for run, number in opened.items():
            on[int(number)] = (*on.get(int(number), ()), run)
        made = {}
        for at, named in enumerate(versions, 1):
            self._made += 1
            made[at] = BEGIN + timedelta(minutes=self._made)
            self.definitions[f"{arn}:{at}"] = naming(*named)
        self.definitions[arn] = naming(*(versions[-1] if versions else ()))
        runs = {f"{arn}:{run}".replace(":stateMachine:", ":execution:"): named
                for run, named in (astray or {}).items()}  # fmt: skip
        self.definitions |= {run: naming(*named) for run, named in runs.items()}
        alias = {len(versions) if live is None else live: "live"} if versions else {}
        numbers = tuple(sorted(made, reverse=True))
        self.machines[arn] = Machine(arn, name, numbers, alias, on, (*runs,), made, left)

    def function(
        self,
        name: str,
        versions: int,
        *,
        left: bool = False,
        roles: Mapping[int, str] | None = None,
    ) -> None:
        """Add a function with as many versions."""
        arn, numbers = function(name), tuple(range(versions, 0, -1))
        self.functions[arn] = Function(arn, name, numbers, is_left=left, roles=roles or {})

    # --- what an account does ---------------------------------------------------------------------

    def found(self, *, left: bool = False) -> Found:
        return Found(
            "stage 'prod' in eu-central-1 of 123456789012",
            tuple(self.machines.values()),
            tuple(self.functions.values()),
            tuple(self.others) if left else (),
        )

    def names(self, arn: str) -> frozenset[str]:
        text = self.definitions[arn]
        role = [self.roles[arn]] if arn in self.roles else []
        return frozenset({*named_in(text), *waits_in(text), *role})

    def delete(self, arn: str) -> None:
        if arn in self.refused:
            raise NotDeleted(self.refused[arn])
        self.deleted.append(arn)
