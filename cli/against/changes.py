"""What differs between two versions of a workflow, in the words of its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cli.against.deployed import OpenRun, Version
from cli.against.said import (
    Said,
    SaidStep,
    input_says,
    output_says,
    steps_of,
    trigger_says,
    workflow_says,
)
from compiler.document.nodes import Json
from compiler.spec import model

Sign: TypeAlias = Literal["added", "removed", "changed", "renamed"]
About: TypeAlias = Literal["workflow", "input", "output", "trigger", "step", "secret", "permission"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: of a thing by its name, and where it has keys, of one of these.

    `before` is None for what was not there, `after` for what is gone. Of `depends_on` they are
    lists of ids, of a renamed step its ids.
    """

    sign: Sign
    about: About
    name: str
    key: str = ""
    before: Json = None
    after: Json = None


@dataclass(frozen=True, slots=True)
class Compared:
    """One workflow: what is deployed of it, what the project has, and what is otherwise.

    `before` is None for a new workflow, `after` for one that the project does not have. `notes`
    are what could not be compared. `runs` are open and stay with what is deployed now.
    """

    before: Version | None
    after: Version | None
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    runs: tuple[OpenRun, ...] = ()

    @property
    def version(self) -> Version:
        """The version that the project has, else the one that is deployed."""
        version = self.after or self.before
        assert version is not None
        return version

    @property
    def is_same(self) -> bool:
        """Whether a deploy leaves it as it is."""
        return (
            self.before is not None
            and self.after is not None
            and self.before.digest == self.after.digest
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """All of them; `knows_runs` says whether the open runs could be asked for."""

    place: str
    workflows: tuple[Compared, ...]
    knows_runs: bool = False


def differences(before: model.Workflow, after: model.Workflow) -> list[Change]:
    """Return what a version says otherwise than the one before it, in the order of the file."""
    return [
        *_keys("workflow", "", workflow_says(before), workflow_says(after)),
        *_things("input", _inputs(before), _inputs(after)),
        *_things("output", _outputs(before), _outputs(after)),
        *_things("trigger", _triggers(before), _triggers(after)),
        *_steps(steps_of(before), steps_of(after)),
    ]


def triggers_of(one: model.Workflow) -> list[Change]:
    """Return the triggers of a workflow that was not there before."""
    return [*_things("trigger", {}, _triggers(one))]


def _inputs(one: model.Workflow) -> dict[str, Said]:
    return {f.name: input_says(f) for f in (one.inputs.fields if one.inputs else ())}


def _outputs(one: model.Workflow) -> dict[str, Said]:
    return {f.name: output_says(f) for f in (one.outputs.fields if one.outputs else ())}


def _triggers(one: model.Workflow) -> dict[str, Said]:
    return {trigger.name: trigger_says(trigger) for trigger in one.triggers}


def _things(
    about: About, before: Mapping[str, Said], after: Mapping[str, Said]
) -> Iterator[Change]:
    for name in dict.fromkeys((*before, *after)):
        if name not in before:
            yield Change("added", about, name, after=after[name])
        elif name not in after:
            yield Change("removed", about, name, before=before[name])
        else:
            yield from _keys(about, name, before[name], after[name])


def _keys(about: About, name: str, before: Said, after: Said, within: str = "") -> Iterator[Change]:
    """Yield what is otherwise under the keys of two mappings, those inside them too."""
    for key in dict.fromkeys((*before, *after)):
        old, new, path = before.get(key), after.get(key), f"{within}{key}"
        if _same(old, new):
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _keys(about, name, old, new, f"{path}.")
        else:
            yield Change("changed", about, name, path, old, new)


def _same(one: Json, other: Json) -> bool:
    """Return whether two values are the same; 1 is not true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)


# --- steps ---------------------------------------------------------------------------------------


def _steps(before: Mapping[str, SaidStep], after: Mapping[str, SaidStep]) -> Iterator[Change]:
    renamed = _renamed(before, after)
    old = {renamed.get(was.id, was.id): was for was in before.values()}
    for was in before.values():
        if renamed.get(was.id, was.id) not in after:
            yield Change("removed", "step", was.id, before={"kind": was.kind, **was.says})
    for one in after.values():
        found = old.get(one.id)
        if found is None:
            yield Change("added", "step", one.id, after={"kind": one.kind, **one.says})
            continue
        if found.id != one.id:
            yield Change("renamed", "step", one.id, before=found.id, after=one.id)
        yield from _step(found, one, renamed)


def _step(before: SaidStep, after: SaidStep, renamed: Mapping[str, str]) -> Iterator[Change]:
    step = after.id
    block = renamed.get(before.block or "", before.block)
    for key, old, new in (
        ("kind", before.kind, after.kind),
        ("inside", block, after.block),
        ("on_failure", before.is_handler, after.is_handler),
    ):
        if old != new:
            yield Change("changed", "step", step, key, old, new)
    waited = {renamed.get(one, one) for one in before.after}
    if waited != {*after.after}:
        was: Json = [*sorted(waited)]
        yield Change("changed", "step", step, "depends_on", was, [*sorted(after.after)])
    is_same_kind = before.kind == after.kind
    shared = before.says.keys() & after.says.keys()
    old_says, new_says = (
        {
            key: value
            for key, value in one.says.items()
            if (is_same_kind or key in shared) and (key != "name" or before.id == step)
        }
        for one in (before, after)
    )
    yield from _keys("step", step, old_says, new_says)


def _renamed(before: Mapping[str, SaidStep], after: Mapping[str, SaidStep]) -> dict[str, str]:
    """Return the new ids of steps that say what they said, under a name of their own."""
    gone = [one for one in before.values() if one.id not in after]
    new = [one for one in after.values() if one.id not in before]
    found: dict[str, str] = {}
    for one in gone:
        alike = [other for other in new if _is_alike(one, other)]
        rivals = [other for other in gone if _is_alike(other, one)]
        if len(alike) == 1 and len(rivals) == 1:
            found[one.id] = alike[0].id
    return found


def _is_alike(one: SaidStep, other: SaidStep) -> bool:
    said, told = (
        {key: value for key, value in each.says.items() if key != "name"} for each in (one, other)
    )
    return one.kind == other.kind and one.block == other.block and _same(said, told)


# --- what it needs -------------------------------------------------------------------------------


def needs(
    about: Literal["secret", "permission"], before: Iterable[str], after: Iterable[str]
) -> list[Change]:
    """Return the names that are needed from now on, and those that no longer are."""
    old, new = dict.fromkeys(before), dict.fromkeys(after)
    return [
        *(Change("added", about, name) for name in new if name not in old),
        *(Change("removed", about, name) for name in old if name not in new),
    ]
