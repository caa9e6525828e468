"""Deciding: who may, what counts, and what everybody else is told."""

from __future__ import annotations

import pytest

from functions.domain.errors import ValidationError
from functions.domain.people import Directory
from tests.functions.tasks.office import ALICE, BOB, CAROL, LEAD, PEOPLE


def test_a_decision_wakes_the_run_with_the_step_s_outputs(scene):
    token = scene.open()
    verdict = scene.decide("approved", comments="fine", form={"x": 1})
    assert scene.executions.sent == 0, "only the stream wakes"
    scene.stream.read()
    assert verdict.name == "decided"
    assert scene.executions.taken == {
        token: {
            "status": "approved", "comments": "fine", "decided_by": ALICE,
            "decided_at": "2026-11-30T09:00:00.000Z", "form": {"x": 1}, "timeout_reason": None,
        }
    }  # fmt: skip


def test_a_run_is_woken_once_however_often_the_task_changes_afterwards(scene):
    scene.open()
    scene.decide()
    scene.stream.read()
    scene.decide()
    scene.decide("rejected", by=BOB)
    scene.stream.read()
    assert scene.executions.sent == 1


def test_the_same_answer_again_is_fine_and_another_one_is_told_who_decided(scene):
    scene.open()
    scene.decide("approved")
    again, other = scene.decide("approved"), scene.decide("rejected", by=BOB)
    assert (again.name, other.name) == ("repeated", "conflict")
    assert {again.task.decision.decided_by, other.task.decision.decided_by} == {ALICE}
    assert scene.audited() == ["other_answer"]


@pytest.mark.parametrize("end", ["expire", "stop"])
def test_after_the_end_nobody_decides_and_it_is_audited(scene, end):
    scene.open()
    getattr(scene, end)()
    verdict = scene.decide()
    assert verdict.name == "ended"
    assert verdict.task.status in ("timed_out", "cancelled")
    assert scene.audited() == ["late_decision"]


def test_a_task_that_its_run_forgot_is_over_a_while_after_its_time(scene):
    scene.open()
    scene.clock.forward(hours=72, minutes=1)
    assert scene.task.is_open
    scene.clock.forward(hours=1)
    assert scene.decide().name == "ended"
    assert scene.task.status == "timed_out"


def test_only_an_assignee_decides_and_others_cannot_tell_it_from_nothing(scene):
    scene.open()
    assert scene.decide(by=CAROL).name == "not_yours"
    assert scene.decide(by=LEAD).name == "not_yours"
    assert scene.task.is_open
    assert scene.audited() == ["refused", "refused"]


@pytest.mark.parametrize("name", ["ALICE@Example.COM", " alice@example.com", "alice+x@example.com",
                                  "github:alice", "AL@example.com"])  # fmt: skip
def test_a_person_is_known_under_all_their_names(scene, name):
    scene.open()
    assert scene.decide(by=name).name == "decided"


@pytest.mark.parametrize("starter", [ALICE, "github:alice", "Alice@example.com"])
def test_whoever_started_the_run_may_not_decide(opened, starter):
    scene = opened(starter=starter)
    scene.open()
    assert scene.decide("approved").name == "forbidden"
    assert scene.decide("rejected").name == "forbidden"
    assert scene.mails.to(ALICE) == [], "and is not asked"
    assert scene.decide(by=BOB).name == "decided"


def test_a_task_that_only_the_starter_could_decide_is_not_opened_and_says_what_to_write(opened):
    with pytest.raises(ValidationError, match="somebody else, too, or write `self_approval: true`"):
        opened(starter=ALICE).open([ALICE])


def test_self_approval_may_be_allowed(opened):
    scene = opened(starter=ALICE)
    scene.open([ALICE], self_approval=True)
    assert scene.decide().name == "decided"


def test_a_step_that_nobody_could_decide_fails_at_once(opened):
    scene = opened(starter=ALICE)
    with pytest.raises(ValidationError, match="whoever started"):
        scene.open([ALICE])


def test_auth_login_takes_no_link(scene):
    scene.open(auth="login")
    assert scene.task.links == {}
    assert scene.decide(via="link").name == "forbidden"
    assert scene.decide(via="login").name == "decided"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"status": "yes"}, "/status"),
        ({"status": "timed_out"}, "/status"),
        ({"status": "Approved"}, "/status"),
        ({"comments": "x" * 4097}, "/comments"),
        ({"comments": "é" * 2049}, "/comments"),
        ({"form": {"count": "many", "date": "2026-02-30"}}, "/form/count"),
        ({"form": {"count": 1, "date": "soon"}}, "/form/date"),
        ({"form": {"count": 1, "at": "2026-01-31"}}, "/form/at"),
        ({"form": {"count": 1, "at": "2026-01-31T10:00"}}, "/form/at"),
        ({"form": {"count": 1, "at": "2026-01-31T10:00:00"}}, "/form/at"),
        ({"form": {"count": 1, "at": "2026-02-30T10:00:00Z"}}, "/form/at"),
        ({"form": {"date": "2026-01-31"}}, "/form"),
        ({}, "/form"),
        ({"form": {"x": "y" * 40_000}}, "/form"),
    ],
)
def test_a_wrong_answer_changes_nothing_and_says_what_is_wrong(scene, fields, problem):
    form = {
        "type": "object", "required": ["count"],
        "properties": {"count": {"type": "integer"}, "date": {"type": "string", "format": "date"},
                       "at": {"type": "string", "format": "date-time"}},
    }  # fmt: skip
    scene.open(form=form)
    before = scene.task
    verdict = scene.decide(**fields)
    assert verdict.name == "invalid"
    assert any(one.split(":")[0] == problem for one in verdict.problems)
    assert scene.task == before


@pytest.mark.parametrize(
    "at", ["2026-01-31T10:00:00Z", "2026-01-31t10:00:00.123456789z", "2026-01-31T10:00:00+09:00", 7]
)
def test_a_moment_in_a_form_has_its_zone(scene, at):
    scene.open(form={"type": "object", "properties": {"at": {"format": "date-time"}}})
    assert scene.decide(form={"at": at}).name == "decided"


def test_a_comment_of_4_kb_is_not_too_long(scene):
    scene.open()
    assert scene.decide(comments="x" * 4096).name == "decided"


def test_a_rejection_needs_no_form(scene):
    scene.open(form={"type": "object", "required": ["count"]})
    assert scene.decide("rejected").name == "decided"


# --- several people


def test_a_quorum_takes_one_vote_of_each_person(scene):
    token = scene.open([ALICE, BOB, CAROL], quorum=2)
    assert scene.decide(comments="good").name == "counted"
    assert scene.decide(by="github:alice").name == "repeated"
    assert scene.decide(by="al@example.com").name == "repeated"
    assert scene.task.is_open
    assert scene.decide(by=BOB, comments="me too").name == "decided"
    scene.stream.read()
    answer = scene.executions.taken[token]
    assert answer["decided_by"] == f"{ALICE}, {BOB}"
    assert answer["comments"] == f"{ALICE}: good\n{BOB}: me too"


def test_one_no_ends_a_quorum_also_of_somebody_who_said_yes(scene):
    scene.open([ALICE, BOB], quorum=2)
    scene.decide("approved")
    assert scene.decide("rejected").name == "decided"
    assert (scene.task.status, scene.task.decision.decided_by) == ("rejected", ALICE)


def test_more_votes_than_people_can_never_come(scene):
    with pytest.raises(ValidationError, match="2 people have to agree, and only 1 can"):
        scene.open([ALICE, "al@example.com"], quorum=2)


# --- assignees


@pytest.mark.parametrize(
    ("written", "people"),
    [
        (ALICE, (ALICE,)),
        ([ALICE, "Alice@example.com", "al@example.com"], (ALICE,)),
        (["group:developers", LEAD], (ALICE, BOB, LEAD)),
        ("group:developers", (ALICE, BOB)),
        ([[ALICE, "group:developers"], CAROL], (ALICE, BOB, CAROL)),
    ],
)
def test_assignees_are_texts_lists_and_groups_each_person_once(written, people):
    assert PEOPLE.resolve(written) == people


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("bob@example.com", " BOB@Example.COM", True),
        ("bob@example.com", "bob+ci@example.com", True),
        ("bob@example.com", "ｂob@example.com", True),
        ("bob@strasse.example", "bob@straße.example", False),
        ("bob@example.com", "bob@example.org", False),
        ("+bob@example.com", "+eve@example.com", False),
    ],
)
def test_spellings_are_one_person_and_domains_that_differ_are_not(one, other, same):
    assert (PEOPLE.identity(one) == PEOPLE.identity(other)) is same


@pytest.mark.parametrize(
    "written",
    [None, [], "", [""], [None], 7, {"a": ALICE}, "alice", "@example.com", "group:nobody",
     "group:empty", [[[ALICE]]], "a b@example.com", f"{ALICE}, {BOB}", [ALICE, None],
     f"{ALICE},{BOB}", f"{BOB}<{ALICE}>", f"<{ALICE}>", f"{ALICE};", f"{ALICE}\u200b",
     f"\u202e{ALICE}", f"{ALICE}\0", "a@b@example.com", "x" * 400 + "@example.com"],
)  # fmt: skip
def test_anything_else_is_an_error_and_never_anyone(written):
    directory = Directory(groups={"empty": ()})
    with pytest.raises(ValidationError):
        directory.resolve(written)
