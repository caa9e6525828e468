"""Reads scenario files: every mistake is reported at its place, as in workflow files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cli.scenarios.cases import Case, Scenario
from cli.scenarios.expectations import expectations
from cli.scenarios.given import given
from cli.scenarios.subject import Subject, check_outputs, named
from cli.scenarios.written import (
    CHOICES,
    DECISIONS,
    CasePart,
    DecisionPart,
    FailPart,
    FilePart,
    StubPart,
)
from compiler.check.suggest import suggestion
from compiler.diagnostics import Diagnostics
from compiler.document import Document, only, read, to_plain
from compiler.document.nodes import Json
from compiler.document.nodes import Path as Place
from compiler.source import Source
from compiler.spec.report import Reporter
from local.people import Said
from local.stubs import Fail, Stub


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario file whose workflow is known, but not read yet."""

    path: Path
    source: Source
    workflow: Path
    document: Document
    cases: tuple[tuple[Place, CasePart], ...]


def read_draft(path: Path, source: Source, diagnostics: Diagnostics) -> Draft | None:
    """Return what a file says by itself, None where its workflow is not known."""
    documents = read(source, diagnostics)
    if not documents:
        return None
    document = only(documents, diagnostics)
    reporter = Reporter(document, diagnostics)
    plain = to_plain(document.root)
    part = reporter.read(FilePart, plain, ()).value
    if part is None:
        return None
    workflow = path.parent / part.workflow
    if not workflow.is_file():
        names = [one.name for one in path.parent.iterdir() if one.suffix in (".yaml", ".yml")]
        help_ = suggestion(part.workflow, names, "the files there")
        message = f"there is no workflow '{part.workflow}' beside this file"
        reporter.error("unknown-workflow", ("workflow",), message, help_)
        return None
    cases: list[tuple[Place, CasePart]] = []
    for at, written in enumerate(part.cases):
        case = reporter.read(CasePart, written, ("cases", at)).value
        if case is not None:
            cases.append((("cases", at), case))
    _check_names(reporter, cases)
    if not part.cases:
        reporter.error("wrong-type", ("cases",), "`cases` is empty", "write at least one case")
    return Draft(path, source, workflow, document, tuple(cases))


def _check_names(reporter: Reporter, cases: list[tuple[Place, CasePart]]) -> None:
    taken: dict[str, Place] = {}
    for path, case in cases:
        at = (*path, "name")
        if case.name in taken:
            first = reporter.label(taken[case.name], "the first one stands here")
            message = f"two cases have the name '{case.name}'"
            reporter.error("bad-name", at, message, "give one of them another name", [first])
        taken.setdefault(case.name, at)


def read_scenario(draft: Draft, subject: Subject, diagnostics: Diagnostics) -> Scenario:
    """Return a scenario whose workflow is compiled; to be played only if nothing was reported."""
    reader = _Reader(Reporter(draft.document, diagnostics), subject)
    cases = tuple(reader.case(path, part) for path, part in draft.cases)
    return Scenario(draft.path, draft.source, draft.workflow, cases)


class _Reader:
    """Reads the cases of one file."""

    def __init__(self, reporter: Reporter, subject: Subject) -> None:
        self._reporter = reporter
        self._subject = subject

    def case(self, path: Place, part: CasePart) -> Case:
        """Return a case; what has mistakes is left out of it."""
        subject = self._subject
        known, ids = subject.any, subject.any_ids()
        decided: dict[str, tuple[Said, ...]] = {}
        stubs: dict[str, Stub] = {}
        for step, at, written in named(self._reporter, part.stubs, (*path, "stubs"), known, ids):
            stub = self._stub(written, at)
            if stub is not None:
                stubs[step] = stub
                names = subject.outputs(step)
                given_out = (*at, "outputs")
                check_outputs(self._reporter, stub.outputs, given_out, names, f"'{step}'")
        for step, at, written in named(
            self._reporter, part.decisions, (*path, "decisions"), known, ids
        ):
            decided[step] = self._decisions(step, written, at)
        return Case(
            name=part.name,
            span=self._reporter.value((*path, "name")),
            given=given(part, path, subject, self._reporter),
            stubs=stubs,
            decisions=decided,
            expect=expectations(part.expect, (*path, "expect"), subject, self._reporter),
        )

    def _stub(self, written: Json, path: Place) -> Stub | None:
        part = self._reporter.read(StubPart, written, path).value
        if part is None:
            return None
        if part.fail is not None and part.happens is not None:
            message = "a stub cannot have both `fail` and `happens`"
            self._reporter.error_at_key(
                "conflicting-keys", (*path, "happens"), message, "leave one of them out"
            )
        if part.times is not None and part.fail is None:
            message = "`times` says how often `fail` happens, and this stub has none"
            self._reporter.error_at_key(
                "not-here", (*path, "times"), message, "add `fail: {type: ...}`"
            )
        fail = None if part.fail is None else self._fail(part.fail, part.times, (*path, "fail"))
        return Stub(float(part.takes or 0), dict(part.outputs or {}), fail, part.happens)

    def _fail(self, written: Json, times: int | None, path: Place) -> Fail | None:
        part = self._reporter.read(FailPart, written, path).value
        if part is None:
            return None
        return Fail(part.type, part.message or "", tuple(part.details or ()), times)

    def _decisions(self, step: str, written: Json, path: Place) -> tuple[Said, ...]:
        listed = isinstance(written, list)
        every = [((*path, at), one) for at, one in enumerate(written)] if listed else []  # type: ignore[arg-type]
        answers = self._subject.answers(step)
        if not answers:
            self._reporter.error_at_key(
                "not-here",
                path,
                f"nobody is asked about '{step}'",
                "decisions are for manual steps, and for steps with `on_error: pause`",
            )
            return ()
        said = [self._decision(one, at, answers) for at, one in every or [(path, written)]]
        return tuple(one for one in said if one is not None)

    def _decision(self, written: Json, path: Place, answers: tuple[str, ...]) -> Said | None:
        if isinstance(written, str) and written in (*DECISIONS, *CHOICES):
            self._reporter.wrong_type(
                path, "a mapping, a decision", f"write `{{status: {written}}}`"
            )
            return None
        part = self._reporter.read(DecisionPart, written, path).value
        if part is None:
            return None
        if part.status not in answers:
            choices = ", ".join(answers)
            message = f"this step cannot be decided with '{part.status}'"
            self._reporter.error(
                "unknown-value", (*path, "status"), message, f"write one of {choices}"
            )
        return Said(part.status, part.by, part.comments, part.form, float(part.after or 0))
