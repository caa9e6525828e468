"""Ids of steps: from `id` or from the slug of `name`, unique in the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compiler.document.nodes import Path
from compiler.source import Span
from compiler.spec import names
from compiler.spec.model import Step
from compiler.spec.report import Reporter


@dataclass(frozen=True, slots=True)
class Identity:
    """A step's id and name; `known` is false where the id is only a stand-in."""

    id: str
    name: str
    given: bool
    known: bool = True


def identify(
    report: Reporter, given_id: str | None, name: str | None, path: Path, default: str | None
) -> Identity:
    """Return the id and name of the step at `path`; `default` is its id if it says neither."""
    if given_id is not None:
        return _given(report, given_id, name, (*path, "id"))
    if name is not None:
        return _from_name(report, name, path)
    if default is not None:
        return Identity(default, default, given=False)
    if not any(report.document.find((*path, key)) for key in ("id", "name")):
        report.error(
            "missing-key",
            path,
            "this step has neither `id` nor `name`",
            "add `id:`, which other steps can refer to",
        )
    instead = stand_in(report, path)
    return Identity(instead, instead, given=False, known=False)


def job(report: Reporter, key: str, name: str | None, path: Path) -> Identity:
    """Return the id and name of a job, whose key in `jobs` is its id."""
    return _given(report, key, name, path)


def _given(report: Reporter, given: str, name: str | None, path: Path) -> Identity:
    problem: str | None = None
    if given in names.RESERVED:
        problem = f"'{given}' cannot be an id: a state of the machine is called so"
    elif not names.is_id(given):
        problem = f"'{given}' cannot be an id"
    elif len(given) > names.LONGEST:
        problem = f"an id of {len(given)} characters is too long"
    if problem is None:
        return Identity(given, name or given, given=True)
    better = names.slug(given)
    help_ = f"write `{better}`" if better else "use letters, digits, - and _, with a letter first"
    if len(given) > names.LONGEST:
        help_ = f"use at most {names.LONGEST} characters"
    where = path if path[-1:] == ("id",) else path[:-1]
    if where == path:
        report.error("bad-id", path, problem, help_)
    else:
        report.error_at_key("bad-id", path, problem, help_)
    # What the help proposes may be another step's id, which is for the author to see then.
    return Identity(better or stand_in(report, path[:-1]), name or given, given=True, known=False)


def _from_name(report: Reporter, name: str, path: Path) -> Identity:
    slug = names.slug(name)
    if slug:
        return Identity(slug, name, given=False)
    report.error(
        "bad-id",
        (*path, "name"),
        f"no id can be made of the name '{name}'",
        "add an `id` of letters, digits, - and _",
    )
    return Identity(stand_in(report, path), name, given=False, known=False)


def stand_in(report: Reporter, path: Path) -> str:
    """Return an id for a step that has none: its place, so that messages show nothing invented.

    It is none that could be written (`names.is_id`), as nobody should.
    """
    line, column = report.document.source.line_column(report.value(path).start)
    return f"step at {line}:{column}"


def collisions(report: Reporter, steps: Iterable[Step], unknown: set[Path]) -> set[Path]:
    """Report every id that a step before has too; return the paths of those steps.

    Steps whose path is in `unknown` have no id of their own.
    """
    seen: dict[str, Step] = {}
    twice: set[Path] = set()
    for step in steps:
        if step.path in unknown:
            continue
        first = seen.setdefault(names.same(step.id), step)
        if first is not step:
            twice.add(step.path)
            _collide(report, first, step)
    return twice


def _collide(report: Reporter, first: Step, second: Step) -> None:
    says, where = _says(report, second)
    before, place = _says(report, first)
    if says == before:
        message = f"two steps have {says}"
    else:
        same = f"is the same as {before}" if first.given_id else f"{before} gives too"
        message = f"{says} gives the id `{second.id}`, which {same}"
        if second.given_id:
            message = f"{says} is taken: {before} gives the same id"
    report.diagnostics.error(
        "duplicate-step",
        where,
        message,
        help="give one of them another `id`",
        labels=[report.diagnostics.label(place, f"{before} stands here")],
    )


def _says(report: Reporter, step: Step) -> tuple[str, Span]:
    if not step.given_id and report.document.find((*step.path, "name")) is not None:
        return f"the name '{step.name}'", report.value((*step.path, "name"))
    if report.document.find((*step.path, "id")) is not None:
        return f"the id `{step.id}`", report.value((*step.path, "id"))
    return f"the id `{step.id}`", report.key(step.path)
