"""One resume of a run wins, and whoever dies on the way leaves nothing that another cannot mend."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from functions.domain.records.item import CLOSED, ENDED
from functions.domain.resuming import Wishes
from functions.usecases.resume import LEASE, NotResumed, resume
from tests.functions.resume.simple import A, B, C, failed, failing, script
from tests.functions.resume.town import RUN, Killed, Town

CHANGED = script("a", env={"NEW": "1"})


class Points:
    """Counts what a resume asks of others; at one of them it dies, before or after."""

    def __init__(self, at: int | None, *, after: bool) -> None:
        self.at, self.after, self.passed = at, after, 0

    def around(self, owner: Any) -> Any:
        return _Watched(owner, self)

    def call(self, method: Any, arguments: Any, keywords: Any) -> Any:
        number, self.passed = self.passed, self.passed + 1
        if number == self.at and not self.after:
            raise Killed
        result = method(*arguments, **keywords)
        if number == self.at:
            raise Killed
        return result


class _Watched:
    def __init__(self, owner: Any, points: Points) -> None:
        self._owner, self._points = owner, points

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._owner, name)
        return lambda *arguments, **keywords: self._points.call(method, arguments, keywords)


def town() -> Town:
    """Return a run that failed at its end, whose first step has been corrected meanwhile."""
    found = failed(A, B, C, at="c")
    found.deploy({"steps": [CHANGED, B, C]})
    return found


def watched(found: Town, points: Points) -> Any:
    resumer = found.resumer()
    return replace(
        resumer,
        runs=points.around(resumer.runs),
        results=points.around(resumer.results),
        machines=points.around(resumer.machines),
        manifests=points.around(resumer.manifests),
    )


def points_of_a_resume() -> int:
    points = Points(None, after=False)
    found = town()
    resume(RUN, Wishes(), "ann", watched(found, points))
    return points.passed


def test_of_two_resumes_at_once_one_wins():
    found = town()
    resumer = found.resumer()
    others: list[str] = []

    class Slow:
        """Lets another resume come in between, before the run's item is written."""

        def change(self, run_id: str, wish: Any) -> Any:
            if not others:
                others.append("other")
                resume(RUN, Wishes(), "bob", found.resumer())
            return resumer.runs.change(run_id, wish)

        def __getattr__(self, name: str) -> Any:
            return getattr(resumer.runs, name)

    with pytest.raises(NotResumed, match="another resume was first"):
        resume(RUN, Wishes(), "ann", replace(resumer, runs=Slow()))
    assert found.done(2) == ["a", "b", "c"]
    assert len(found.plays) == 2


@pytest.mark.parametrize("after", [False, True])
def test_whoever_dies_on_the_way_is_followed_by_another(after: bool):
    """The steps run again once, whatever of it had been written."""
    for at in range(points_of_a_resume()):
        found = town()
        with pytest.raises(Killed):
            resume(RUN, Wishes(), "ann", watched(found, Points(at, after=after)))
        if len(found.plays) == 2:  # it died after the run had begun
            assert found.done(2) == ["a", "b", "c"]
            continue
        item = found.runs.items[RUN]
        if item.attempt == 2:
            with pytest.raises(NotResumed, match="not over"):
                found.resume()
            found.time += LEASE.total_seconds() + 1
        found.resume()
        assert found.runs.items[RUN].attempt == 2
        assert found.done(2) == ["a", "b", "c"], at


def test_an_attempt_that_never_began_is_no_end_of_the_run():
    """It was taken by a resume that died at once, and given up by a sweep an hour later."""
    found = town()
    with pytest.raises(Killed):
        resume(RUN, Wishes(), "ann", watched(found, Points(taken_at(), after=True)))
    item = found.runs.items[RUN]
    assert (item.attempt, item.execution, (RUN, 2) in found.runs.inputs) == (2, "", False)
    found.runs.items[RUN] = replace(item, phase=CLOSED, status="failed", settled=True)
    found.resume()
    assert found.runs.items[RUN].attempt == 3
    assert found.done(3) == ["a", "b", "c"]


def taken_at() -> int:
    """Return which of a resume's calls takes the attempt."""
    for at in range(points_of_a_resume()):
        found = town()
        with pytest.raises(Killed):
            resume(RUN, Wishes(), "ann", watched(found, Points(at, after=True)))
        if found.runs.items[RUN].attempt == 2:
            return at
    raise AssertionError


def test_a_resume_that_was_only_slow_starts_nothing_of_its_own():
    """Another call took over and was first: what it kept is what is started, once."""
    found = town()
    resumer = found.resumer()

    class Slow:
        def give(self, run_id: str, attempt: int, given: Any) -> None:
            if len(found.plays) == 1:
                found.time += LEASE.total_seconds() + 1
                found.resume()
            resumer.runs.give(run_id, attempt, given)

        def __getattr__(self, name: str) -> Any:
            return getattr(resumer.runs, name)

    resume(RUN, Wishes(), "ann", replace(resumer, runs=Slow()))
    assert len(found.plays) == 2
    assert found.done(2) == ["a", "b", "c"]


def test_a_run_that_goes_on_or_is_being_closed_is_not_resumed():
    found = town()
    item = found.runs.items[RUN]
    found.runs.items[RUN] = replace(item, phase=ENDED)
    with pytest.raises(NotResumed, match="undos, handlers"):
        found.resume()
    found.runs.items[RUN] = replace(item, phase=1)
    with pytest.raises(NotResumed, match="not over"):
        found.resume()


def test_a_result_that_comes_between_the_plan_and_its_writing_stays():
    """An attempt in doubt that was forgotten, and then reported after all."""
    found = failed(A, B, at="b", killed=True, fails=None)
    resumer = found.resumer()
    row = found.results.rows[RUN, "b"]

    class Late:
        def let_go(self, run: str, result: Any) -> bool:
            at = result.at + timedelta(seconds=1)
            row.result = replace(row.result, status="succeeded", at=at)
            row.envelope = {"step": "b", "status": "succeeded", "attempt": 1, "started_at": "",
                            "timestamp": at.isoformat(), "outputs": {}}  # fmt: skip
            return found.results.let_go(run, result)

        def __getattr__(self, name: str) -> Any:
            return getattr(found.results, name)

    found.say = failing()
    wishes = Wishes(redo=frozenset({"b"}))
    resume(RUN, wishes, "ann", replace(resumer, results=Late()))
    assert found.done() == ["a", "b"]
