"""What a case expects, as a flat list of single things with their places in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cli.scenarios.cases import Aspect, Expected
from cli.scenarios.subject import Subject, check_outputs, named
from cli.scenarios.written import ErrorPart, ExpectPart, StepPart
from compiler.document.nodes import Json, Path
from compiler.spec.report import Reporter
from protocol.status import SUCCEEDED

_OF_STEPS: tuple[Aspect, ...] = ("status", "reason", "attempt", "tolerated", "in_doubt")


def expectations(
    written: Mapping[str, Json] | None, path: Path, subject: Subject, reporter: Reporter
) -> tuple[Expected, ...]:
    """Return what is expected at a path; where nothing is, that the run succeeds."""
    if written is None:
        return (Expected("status", SUCCEEDED, reporter.value((*path[:-1], "name"))),)
    part = reporter.read(ExpectPart, dict(written), path).value
    if part is None:
        return ()
    return tuple(_Reading(reporter, subject).run(part, path))


class _Reading:
    def __init__(self, reporter: Reporter, subject: Subject) -> None:
        self._reporter = reporter
        self._subject = subject

    def run(self, part: ExpectPart, path: Path) -> Iterator[Expected]:
        if part.status is not None:
            yield self._one("status", part.status, (*path, "status"))
        known, ids = self._subject.own, self._subject.own_ids()
        steps = (*path, "steps")
        for step, at, written in named(self._reporter, part.steps, steps, known, ids):
            expected = self._reporter.read(StepPart, written, at).value
            if expected is not None:
                yield from self._step(step, expected, at)
        names = tuple(name for name, _ in self._subject.program.outputs)
        check_outputs(self._reporter, part.outputs, (*path, "outputs"), names, "the workflow")
        yield from self._inside("outputs", part.outputs, (*path, "outputs"))
        if part.notifications is not None:
            yield self._one("notifications", part.notifications, (*path, "notifications"))
        if part.takes is not None:
            if part.takes.at_most is not None:
                yield self._one("at_most", part.takes.at_most, (*path, "takes", "at_most"))
            if part.takes.at_least is not None:
                yield self._one("at_least", part.takes.at_least, (*path, "takes", "at_least"))

    def _step(self, step: str, part: StepPart, path: Path) -> Iterator[Expected]:
        for aspect in _OF_STEPS:
            value: Json = getattr(part, aspect)
            if value is not None:
                yield self._one(aspect, value, (*path, aspect), step)
        if "outputs" in part.model_fields_set:
            names = self._subject.outputs(step)
            outputs = part.outputs if isinstance(part.outputs, dict) else {}
            check_outputs(self._reporter, outputs, (*path, "outputs"), names, f"'{step}'")
            yield from self._inside("outputs", part.outputs, (*path, "outputs"), step)
        if isinstance(part.error, ErrorPart):
            error: dict[str, Json] = part.error.model_dump(exclude_unset=True)
            yield from self._inside("error", error, (*path, "error"), step)

    def _inside(
        self, aspect: Aspect, value: Json, path: Path, step: str | None = None
    ) -> Iterator[Expected]:
        """Yield what a mapping expects, name by name, as deep as there are mappings."""
        if value is None and step is None:
            return
        if not isinstance(value, dict) or (not value and step is not None):
            yield self._one(aspect, value, path, step)
            return
        for name, inner in value.items():
            yield from self._deep(aspect, inner, (*path, name), step, (name,))

    def _deep(
        self, aspect: Aspect, value: Json, path: Path, step: str | None, names: tuple[str, ...]
    ) -> Iterator[Expected]:
        if isinstance(value, dict) and value:
            for name, inner in value.items():
                yield from self._deep(aspect, inner, (*path, name), step, (*names, name))
            return
        yield Expected(aspect, value, self._reporter.value(path), step, names)

    def _one(self, aspect: Aspect, value: Json, path: Path, step: str | None = None) -> Expected:
        return Expected(aspect, value, self._reporter.value(path), step)
