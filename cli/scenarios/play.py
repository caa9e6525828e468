"""Plays cases: a run on the local engine, held against what its case expects."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.output import causes
from cli.scenarios.cases import Case, Difference, Expected, Played, seconds_of
from cli.scenarios.subject import Subject
from functions.domain.people import Directory
from local.clock import Clock
from local.engine import INTERRUPTED
from local.people import News, People
from local.record import RunRecord, StepRecord, build
from local.workflow import Ran, Request, run_workflow
from protocol.status import FAILED, SUCCEEDED

if TYPE_CHECKING:
    from functions.domain.task import Task
    from local.engine import Progress
    from local.people import Said
    from protocol.payloads import Json, MachineInput

START = datetime(2026, 1, 1, tzinfo=UTC)
"""When the runs of cases begin, so that the same case gives the same record."""
RUN = "run-1"
_SLACK = 0.01
"""Seconds that rounding to milliseconds may add."""
_HEARD = ("decided", "counted", "repeated")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the runs of cases find here: the source, values of secrets, a folder for logs."""

    source: Path | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    keep: Path | None = None
    progress: Progress | None = None
    tell: Callable[[News], None] | None = None
    ask: Callable[[Task], Said | None] | None = None


def play(case: Case, subject: Subject, around: Surroundings) -> Played:
    """Carry a case out; raises what `local.workflow.run_workflow` raises."""
    remarks: list[str] = []

    def tell(news: News) -> None:
        remarks.extend(_refused(news))
        if around.tell is not None:
            around.tell(news)

    clock = _Watched(START)
    ran = carry_out(case, subject, replace(around, tell=tell), clock)
    started_by = case.given["run"].get("started_by")
    if ran.finished.error == INTERRUPTED:
        raise KeyboardInterrupt
    program = subject.compiled.program
    record = build(ran, program, started_by if isinstance(started_by, str) else None)
    found = _Found(record, messages(ran, record, subject), clock.worked, subject.undone_by())
    return Played(case, record, tuple(found.differences(case.expect)), tuple(remarks))


def carry_out(case: Case, subject: Subject, around: Surroundings, clock: Clock) -> Ran:
    """Carry a case out and return the run itself; raises what `run_workflow` raises."""
    program = subject.compiled.program
    stage = subject.compiled.project.surroundings(subject.path).stage
    given: MachineInput = {
        **case.given,
        "run": {**case.given["run"], "id": RUN, "attempt": 1},
    }
    people = People(
        directory=Directory(stage.groups, stage.identities, stage.approvers),
        decisions=case.decisions,
        ask=around.ask,
        tell=around.tell,
    )
    request = Request(
        program.machines,
        program.workflow,
        given,
        around.source,
        around.secrets,
        around.keep,
        case.stubs,
        people,
        actions=subject.compiled.project.actions.asked(),
        reads=program.secrets,
    )
    return run_workflow(request, around.progress, clock)


class _Watched(Clock):
    """A clock that knows for how long steps were really carried out, at most."""

    def __init__(self, start: datetime) -> None:
        super().__init__(start)
        self.worked = 0.0

    @contextmanager
    def real_work(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            with super().real_work():
                yield
        finally:
            self.worked += time.monotonic() - began


def _refused(news: News) -> Iterator[str]:
    verdict, said = news.verdict, news.said
    if verdict is None or said is None or verdict.name in _HEARD:
        return
    why = "; ".join(verdict.problems) or verdict.name.replace("_", " ")
    step = news.task.place.step_id
    yield f"{step}: the decision '{said.status}' by {said.by or 'nobody'} was refused: {why}"


def messages(ran: Ran, record: RunRecord, subject: Subject) -> int:
    """Return how many messages people got: about tasks, one each, and from steps that tell."""
    about_tasks = sum(
        notice.outcome == "sent" for task in ran.tasks for notice in task.notices.values()
    )
    return about_tasks + sum(_told(record, subject.messages()))


def _told(record: Mapping[str, Any], tellers: frozenset[str]) -> Iterator[int]:
    closing = record.get("closing") or {"handlers": []}
    for step in (*record["steps"], *closing["handlers"]):
        if "run" in step:
            yield from _told(step["run"], tellers)
        if step["step_id"] in tellers:
            for one in step.get("items", [step]):
                yield _told_by(one)


def _told_by(step: Mapping[str, Any]) -> int:
    if step["status"] != SUCCEEDED:
        return 0
    outputs = step.get("outputs")
    names = outputs.get("notified") if isinstance(outputs, dict) else None
    return len(names) if isinstance(names, list) else 1


@dataclass(frozen=True, slots=True)
class _Found:
    """What came of a run, to be held against what was expected."""

    record: RunRecord
    notifications: int
    worked: float
    undone_by: Mapping[str, str]

    def differences(self, expected: Sequence[Expected]) -> Iterator[Difference]:
        for one in expected:
            got = self._got(one)
            if one.aspect in ("at_most", "at_least"):
                if not self._in_time(one):
                    yield Difference(one, got)
            elif not matches(one.value, got):
                yield Difference(one, got, self._hint(one, got))

    def _got(self, one: Expected) -> Json:
        if one.aspect in ("at_most", "at_least"):
            return round(seconds_of(self.record), 3)
        if one.aspect == "notifications":
            return self.notifications
        holder: Mapping[str, Any] = self.record if one.step is None else self._step(one.step)
        got: Json = holder.get(one.aspect)
        if one.aspect in ("tolerated", "in_doubt"):
            return bool(got)
        for name in one.names:
            got = got.get(name) if isinstance(got, dict) else None
        return got

    def _in_time(self, one: Expected) -> bool:
        takes, wanted = seconds_of(self.record), one.value
        assert isinstance(wanted, int)
        if one.aspect == "at_least":
            return takes >= wanted - _SLACK
        return takes <= wanted + _SLACK + self.worked

    def _step(self, step: str) -> Mapping[str, Any]:
        """Return the record of a step, a handler or an undo; one that is in none was skipped."""
        closing: Any = self.record.get("closing") or {"handlers": [], "undone": []}
        records: list[StepRecord] = [*self.record["steps"], *closing["handlers"]]
        found = next((one for one in records if one["step_id"] == step), None)
        if found is not None:
            return found
        undone = self.undone_by.get(step)
        told = [one for one in closing["undone"] if one.get("step") == undone]
        if not told:
            return {"status": "skipped"}
        good = all(one["status"] == "undone" for one in told)
        return {**told[-1], "status": SUCCEEDED if good else FAILED}

    def _hint(self, one: Expected, got: Json) -> str | None:
        if isinstance(got, str) and not isinstance(one.value, str) and _is(one.value, got):
            return f'it is text: write "{got}"'
        if one.aspect != "status":
            return None
        if one.step is not None:
            return _said(self._step(one.step))
        failed = (
            f"{step['step_id']}: {told}"
            for step in self.record["steps"]
            if not step.get("tolerated") and (told := _said(step))
        )
        return next(failed, None)


def _said(step: Mapping[str, Any]) -> str | None:
    """Return the error of a step, and what failed inside it where the error does not say it."""
    error = step.get("error")
    if error is None:
        return None
    told, why = causes.said(error), causes.first_inside(step)
    return told if why is None or why in told else f"{told}; {why}"


def _is(value: Json, text: str) -> bool:
    written = str(value).lower() if isinstance(value, bool) else str(value)
    return written == text


def matches(expected: Json, got: Json) -> bool:
    """Whether a value is as expected: mappings may have more names, all else is the same."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return all(matches(value, got.get(name)) for name, value in expected.items())
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(matches, expected, got))
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    return expected == got
