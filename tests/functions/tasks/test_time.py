"""Levels, timeouts and ends: who is told when, and how often."""

from __future__ import annotations

from datetime import timedelta

import pytest

from functions.domain.errors import StepError
from functions.domain.moments import stamp
from functions.domain.task import Actor, Answer, Place, task_id
from functions.usecases import open_task
from functions.usecases.decide import decide
from functions.usecases.settle import answer_callback, deliver
from tests.functions.tasks.office import ALICE, BOB, CAROL, LEAD, came


def subjects(scene, recipient):
    return [mail.subject for mail in scene.mails.to(recipient)]


def test_a_level_waits_under_its_own_token_and_tells_whom_it_names(scene):
    first = scene.open()
    scene.clock.forward(hours=48)
    scene.times_out(first)
    second = scene.escalate()
    assert subjects(scene, LEAD) == ["Still open: Review staging"]
    assert scene.mails.to(LEAD)[0].text.startswith("Overdue\n\nReview staging")
    scene.decide()
    scene.stream.read()
    assert list(scene.executions.taken) == [second]


def test_a_level_that_finds_a_decision_has_the_run_woken_at_once(scene):
    first = scene.open()
    scene.times_out(first)
    scene.decide()
    scene.stream.read()
    assert scene.executions.taken == {}, "nothing waits between two levels"
    second = scene.escalate()
    scene.stream.read()
    assert scene.executions.taken[second]["status"] == "approved"
    assert scene.mails.to(LEAD) == []


def test_a_level_that_is_called_again_tells_nobody_twice(scene):
    scene.open()
    for _ in range(3):
        scene.escalate()
    assert len(scene.mails.to(LEAD)) == 1


def test_after_an_outage_only_the_newest_level_is_sent(scene):
    scene.open()
    scene.escalate(2, notify=[CAROL])
    scene.escalate(1)
    assert len(scene.mails.to(CAROL)) == 1
    assert scene.mails.to(LEAD) == []
    whats = [(entry.what, entry.detail) for entry in scene.task.history]
    assert ("escalation_skipped", "level 1, for level 2") in whats


def test_a_late_call_of_a_lower_level_does_not_take_the_token_back(scene):
    scene.open()
    newest = scene.escalate(2)
    scene.escalate(1)
    scene.open(token="late", entry=3)
    scene.decide()
    scene.stream.read()
    assert list(scene.executions.taken) == [newest]


def test_a_level_that_a_deadline_reached_before_its_time_tells_nobody(scene):
    scene.open()
    scene.clock.forward(hours=2)
    token = scene.escalate(after=48 * 3600)
    assert scene.mails.to(LEAD) == []
    scene.decide()
    scene.stream.read()
    assert list(scene.executions.taken) == [token]


def test_expiry_gives_a_decision_with_its_reason(scene):
    scene.open()
    scene.clock.forward(hours=72)
    assert scene.expire() == {
        "status": "timed_out", "comments": None, "decided_by": None,
        "decided_at": "2026-12-03T09:00:00.000Z", "form": None,
        "timeout_reason": "nobody decided in time",
    }  # fmt: skip


def test_expiry_yields_to_a_decision_and_comes_to_the_same_when_repeated(scene):
    scene.open()
    scene.decide("rejected", by=BOB)
    assert [scene.expire()["status"] for _ in range(2)] == ["rejected", "rejected"]


def test_expiry_before_the_time_says_that_the_run_was_over(scene):
    scene.open()
    assert scene.expire()["timeout_reason"] == "the run's time was over before"


def test_a_level_at_the_time_of_the_timeout_is_sent_once_with_it(scene):
    scene.open()
    scene.clock.forward(hours=72)
    for _ in range(2):
        scene.expire(notify=[LEAD], message="Final reminder")
    assert subjects(scene, LEAD) == ["Timed out: Review staging"]
    assert scene.mails.to(LEAD)[0].link is None


def test_a_level_at_the_time_of_the_timeout_is_not_sent_where_somebody_decided(scene):
    scene.open()
    scene.decide()
    scene.expire(notify=[LEAD])
    assert scene.mails.to(LEAD) == []


def test_due_is_not_the_end(scene):
    scene.open(due_in=3600)
    scene.clock.forward(hours=2)
    assert scene.task.is_overdue(scene.clock.now())
    assert scene.decide().name == "decided"


# --- opening


def test_a_retry_of_the_step_finds_its_task_and_tells_nobody_twice(scene):
    scene.open()
    again = scene.open(entry=1)
    assert [len(scene.mails.to(who)) for who in (ALICE, BOB)] == [1, 1]
    scene.decide()
    scene.stream.read()
    assert list(scene.executions.taken) == [again]


def test_a_retry_of_the_step_after_the_decision_is_woken_with_it(scene):
    scene.open()
    scene.decide()
    scene.executions.waiting.clear()
    again = scene.open(entry=1)
    scene.stream.read()
    assert list(scene.executions.taken) == [again]


def test_a_resumed_run_asks_again_and_the_old_links_are_void(scene):
    scene.open()
    link = scene.signer.token(scene.task, ALICE)
    scene.decide()
    scene.run = {**scene.run, "attempt": 2}
    scene.open()
    assert scene.task.is_open
    assert scene.signer.holder(scene.task, link, scene.clock.now()) is None


def test_items_of_a_for_each_have_tasks_of_their_own(scene):
    scene.open(items=[0])
    scene.open(items=[1])
    ids = {task_id("manual", Place(scene.run["id"], 1, "review", (item,))) for item in (0, 1)}
    assert {task.task_id for task in scene.tasks.of_run(scene.run["id"])} == ids


def test_a_task_that_opens_when_its_run_is_over_is_closed(scene):
    scene.stop()
    scene.open()
    assert scene.task.status == "cancelled"


def test_stopping_a_run_closes_all_its_tasks_but_no_decision(scene):
    scene.open(items=[0])
    scene.open(items=[1])
    scene.open()
    scene.decide()
    assert len(scene.stop()) == 2
    assert scene.task.status == "approved"


def test_a_mail_that_cannot_be_sent_is_noted_and_stops_nobody(scene):
    scene.mails.broken = {ALICE}
    scene.open()
    notices = scene.task.notices
    assert (notices[f"0/{ALICE}"].outcome, notices[f"0/{ALICE}"].error) == (
        "failed", "SES: MessageRejected",
    )  # fmt: skip
    assert notices[f"0/{BOB}"].outcome == "sent"
    assert scene.task.is_open


def test_a_chat_is_told_once_and_never_sees_a_link(scene):
    scene.mails.has_chat = True
    scene.open()
    scene.open(entry=1)
    (told,) = scene.mails.to(None)
    assert told.link is None


# --- pauses, events, callbacks


def pause(scene, entered="2026-11-30T09:00:00Z", **fields):
    error = {"Error": "ScriptFailed", "Cause": "out of disk"}
    return scene.call("pause", error=error, timeout=14 * 86_400, entered=entered, **fields)


def choose(scene, status, entered="2026-11-30T09:00:00Z", **fields):
    identifier = task_id("pause", Place(scene.run["id"], 1, "review"), entered)
    verdict = decide(identifier, Actor(LEAD, "login"), Answer(status, **fields), scene.desk)
    scene.stream.read()
    return verdict


@pytest.mark.parametrize(
    ("status", "form", "outputs"),
    [("retry", None, None), ("skip", {"url": "u"}, {"url": "u"}), ("fail", None, None)],
)
def test_an_approver_says_what_becomes_of_a_failed_step(scene, status, form, outputs):
    token = pause(scene)
    assert "ScriptFailed: out of disk" in scene.mails.to(LEAD)[0].text
    choose(scene, status, form=form)
    assert scene.executions.taken[token] == {"choice": status, "outputs": outputs}


def test_each_pause_of_a_step_is_asked_about_and_retries_have_an_end(scene, monkeypatch):
    assert open_task.MOST_RETRIES == 20
    monkeypatch.setattr(open_task, "MOST_RETRIES", 3)
    for entered in "abc":
        pause(scene, entered=entered)
        assert choose(scene, "retry", entered=entered).name == "decided"
    token = pause(scene, entered="d")
    assert choose(scene, "retry", entered="d").name == "invalid"
    choose(scene, "skip", entered="d")
    assert scene.executions.taken[token]["choice"] == "skip"


def test_a_pause_that_nobody_ends_fails_the_step(scene):
    pause(scene)
    scene.clock.forward(days=14)
    given = scene.expire(kind="pause", entered="2026-11-30T09:00:00Z")
    assert given == {"choice": "fail", "outputs": None}


def test_a_wait_ends_with_the_event_it_is_for(scene):
    token = scene.call("await_event", pattern={"source": ["shop"]}, timeout=60)
    other = scene.call("await_event", step="other", pattern={"source": ["bank"]}, timeout=60)

    def reads(subject, event):
        fits = event["source"] in subject["pattern"]["source"] and event["run"] == scene.run["id"]
        return (event,) if fits else None

    event = {"source": "shop", "run": scene.run["id"]}
    assert deliver(came(scene, event), reads, scene.desk) == [
        task_id("event", Place(scene.run["id"], 1, "review"))
    ]
    assert deliver(came(scene, event), reads, scene.desk) == [], "once"
    scene.stream.read()
    assert scene.executions.taken == {token: {"event": event}}
    assert other in scene.executions.waiting


@pytest.mark.parametrize(
    ("pattern", "match", "said"),
    [
        ({}, None, "no event came until "),
        ({"detail-type": ["packed"]}, None, "no event 'packed' came until "),
        ({"detail-type": ["a", {"prefix": "b"}, "c"]}, None, "no event 'a or c' came until "),
        ({"detail-type": [{"prefix": "b"}]}, True, "no event that fits `match` came until "),
        ({"detail-type": ["packed"]}, True, "no event 'packed' that fits `match` came until "),
        (None, None, "no answer came in time"),
    ],
)
def test_what_does_not_come_times_the_step_out(scene, pattern, match, said):
    """The error names the event, and the end of the wait."""
    if pattern is not None:
        scene.call("await_event", pattern=pattern, match=match, timeout=60)
    else:
        scene.call("open_callback", waits=False, timeout=60)
    ends = "" if pattern is None else stamp(scene.desk.clock.now() + timedelta(seconds=60))
    with pytest.raises(StepError) as raised:
        scene.expire(kind="callback" if pattern is None else "event")
    assert type(raised.value).__name__ == "StepTimedOut"
    assert str(raised.value) == f"{said}{ends}"


def answer(scene, url, outputs, **fields):
    verdict = answer_callback(url.rsplit("/", 1)[1], outputs, scene.desk, **fields)
    scene.stream.read()
    return verdict


@pytest.mark.parametrize("early", [True, False])
def test_a_callback_may_come_before_or_after_its_wait(scene, early):
    url = scene.call("open_callback", waits=False, timeout=60)["url"]
    if early:
        assert answer(scene, url, {"x": 1}).name == "decided"
    token = scene.call("await_callback")
    scene.stream.read()
    if not early:
        answer(scene, url, {"x": 1})
    assert scene.executions.taken == {token: {"outputs": {"x": 1}}}
    assert answer(scene, url, {"x": 2}).name == "repeated"


def test_a_callback_s_url_is_the_same_for_every_attempt_and_a_good_answer_stays(scene):
    url = scene.call("open_callback", waits=False, timeout=60)["url"]
    scene.stop()
    scene.run = {**scene.run, "attempt": 2}
    assert scene.call("open_callback", waits=False, timeout=60)["url"] == url
    answer(scene, url, {"x": 1})
    scene.run = {**scene.run, "attempt": 3}
    scene.call("open_callback", waits=False, timeout=60)
    token = scene.call("await_callback")
    scene.stream.read()
    assert scene.executions.taken == {token: {"outputs": {"x": 1}}}


def test_a_failure_of_the_outside_system_fails_the_step(scene):
    url = scene.call("open_callback", waits=False, timeout=60)["url"]
    token = scene.call("await_callback")
    answer(scene, url, None, failure={"type": "OutOfStock", "message": "none left"})
    assert scene.executions.taken == {token: ("OutOfStock", "none left")}


@pytest.mark.parametrize("forged", ["", ".", "x.y", "{id}.", "{id}.AAAA", "{id}x.{secret}"])
def test_a_forged_callback_is_nobody_s(scene, forged):
    url = scene.call("open_callback", waits=False, timeout=60)["url"]
    identifier, secret = url.rsplit("/", 1)[1].split(".")
    forged = forged.format(id=identifier, secret=secret)
    assert answer(scene, f"x/{forged}", {}).name == "unknown"
