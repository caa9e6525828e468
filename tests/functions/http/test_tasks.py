"""Tasks over HTTP: who sees what, what is refused with which code, and what it says."""

from __future__ import annotations

import threading
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from functions.domain.people import Directory
from tests.functions.http.site import Site
from tests.functions.tasks.office import ALICE, BOB, CAROL, LEAD, PEOPLE

STARTER = "starter@example.com"
TASK_MEMBERS = {
    "task_id", "kind", "workflow_id", "run_id", "run_attempt", "step_id", "items", "status",
    "title", "description", "assignees", "answers", "due_at", "expires_at", "opened_at", "overdue",
    "quorum", "votes", "form", "decision", "started_by", "subject", "level", "auth", "notices",
    "history", "may_decide",
}  # fmt: skip


@pytest.fixture
def started(opened):
    """A site whose run was started by somebody, with an operator."""
    scene = opened(starter=STARTER)
    groups = {**PEOPLE.groups, "operators": ("op@example.com",)}
    directory = Directory(groups, PEOPLE.identities, PEOPLE.approvers)
    scene.desk = replace(scene.desk, directory=directory)
    scene.office = replace(scene.office, desk=scene.desk)
    return Site(scene)


def decide(site, person=ALICE, status="approved", **fields):
    path = f"/api/tasks/{site.scene.id}/status"
    return site.call("POST", path, {"status": status, **fields}, person=person)


def read(site, person=ALICE):
    return site.call("GET", f"/api/tasks/{site.scene.id}", person=person)


def listed(site, query="", person=ALICE):
    answer = site.call("GET", f"/api/tasks?run={site.scene.run['id']}{query}", person=person)
    assert answer.status == 200
    return [task["step_id"] for task in answer.json["items"]]


# --- reading


def test_a_task_is_told_with_its_audit_trail(started):
    scene = started.scene
    scene.open(due_in=3600)
    scene.clock.forward(hours=2)
    for person, status in (
        (CAROL, "approved"), (ALICE, "yes"), (ALICE, "approved"), (BOB, "rejected")
    ):  # fmt: skip
        decide(started, person, status)
        scene.clock.forward(seconds=1)
    task = read(started).json
    assert set(task) == TASK_MEMBERS
    assert [(entry["what"], entry["by"], entry["via"]) for entry in task["history"]] == [
        ("opened", None, "system"), ("refused", CAROL, "login"), ("invalid_answer", ALICE, "login"),
        ("approved", ALICE, "login"), ("other_answer", BOB, "login"),
    ]  # fmt: skip
    assert [notice["to"] for notice in task["notices"]] == [ALICE, BOB]
    assert task["notices"][0] | {"at": ""} == {
        "at": "", "level": "0", "to": ALICE, "outcome": "sent", "error": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("person", "code", "may"),
    [(ALICE, 200, True), ("github:alice", 200, True), (BOB, 200, True), (STARTER, 200, False),
     ("op@example.com", 200, False), (CAROL, 404, None), (LEAD, 404, None)],
)  # fmt: skip
def test_who_is_asked_and_who_started_see_a_task_and_operators(started, person, code, may):
    started.scene.open()
    answer = read(started, person)
    assert answer.status == code
    assert answer.json.get("may_decide") == may


def test_who_has_voted_sees_it_and_reassignment_takes_it_from_others(started):
    started.scene.open([ALICE, BOB], quorum=2)
    decide(started, ALICE)
    path = f"/api/tasks/{started.scene.id}/reassign"
    body = {"from": BOB, "to": [CAROL], "reason": "holiday"}
    assert started.call("POST", path, body, person=BOB).status == 200
    assert read(started, BOB).status == 404
    assert read(started, CAROL).json["votes"][0]["by"] == ALICE


def test_nobody_reads_without_a_login(site):
    site.scene.open()
    for path in ("/api/tasks", f"/api/tasks/{site.scene.id}"):
        answer = site.call("GET", path)
        assert answer.status == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_what_is_unknown_and_what_is_not_yours_have_the_same_answer(site):
    site.scene.open()
    bodies = {
        "": None, "/status": {"status": "approved"}, "/link": {"for": ALICE},
        "/reassign": {"to": [CAROL], "reason": "x"},
    }  # fmt: skip
    for end, body in bodies.items():
        method = "GET" if body is None else "POST"
        answers = [
            site.call(method, f"/api/tasks/{one}{end}", body, person=CAROL)
            for one in (site.scene.id, "0" * 32, "x", "1; drop table")
        ]
        assert {answer.status for answer in answers} == {404}
        assert len({answer.text for answer in answers}) == 1
        assert len({str(answer.headers) for answer in answers}) == 1


# --- lists


def test_lists_are_of_what_one_may_see_and_asks_for(started):
    scene = started.scene
    scene.open([ALICE], due_in=60)
    scene.open([BOB, CAROL], step="second")
    scene.call("await_event", pattern={}, timeout=60, step="event", token="t")
    scene.clock.forward(hours=1)
    assert listed(started, "") == ["review"]
    assert listed(started, "", BOB) == ["second"]
    assert sorted(listed(started, "", STARTER)) == ["event", "review", "second"]
    assert listed(started, "&mine=true", STARTER) == []
    assert listed(started, "&overdue=true", STARTER) == ["review"]
    assert listed(started, "&workflow=release&mine=true") == ["review"]
    assert listed(started, "&workflow=other") == []
    decide(started)
    assert listed(started, "&status=closed") == ["review"]
    assert listed(started, "&status=open") == []
    assert listed(started, "&overdue=true", STARTER) == []


def test_lists_come_in_pages_open_ones_first_and_none_is_lost(started):
    scene = started.scene
    for number in range(7):
        scene.open([CAROL], step=f"s{number}", due_in=60 * (number + 1))
    for number in (1, 4):
        task = next(t for t in scene.tasks.of_run(scene.run["id"])
                    if t.place.step_id == f"s{number}")  # fmt: skip
        path = f"/api/tasks/{task.task_id}/status"
        assert started.call("POST", path, {"status": "rejected"}, person=CAROL).status == 200
    for query in ("", f"&run={scene.run['id']}"):
        found: list[str] = []
        cursor: str | None = ""
        pages = 0
        while cursor is not None:
            path = f"/api/tasks?mine=true&limit=2&cursor={cursor}{query}"
            page = started.call("GET", path, person=CAROL).json
            found += [t["step_id"] for t in page["items"] if t["run_id"] == scene.run["id"]]
            cursor, pages = page["next"], pages + 1
        if query:
            assert found == [f"s{number}" for number in range(7)], "a run's: by when they are due"
            assert pages == 4
        else:
            assert found == ["s0", "s2", "s3", "s5", "s6", "s4", "s1"], "closed ones: newest first"


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=x", "limit=1&limit=2", "status=pending", "mine=perhaps",
     "cursor=x", "cursor=W10", "cursor=WzEsMiwzXQ", "cursor=W3RydWUsIiIsIngiXQ", "stauts=open"],
)  # fmt: skip
def test_a_query_that_is_wrong_is_refused_by_name(site, query):
    answer = site.call("GET", f"/api/tasks?{query}", person=ALICE)
    assert answer.status == 400
    (error,) = answer.json["errors"]
    assert error["parameter"] == query.partition("=")[0]


def test_a_misspelt_parameter_is_told_what_may_be_meant(site):
    answer = site.call("GET", "/api/tasks?stauts=open", person=ALICE)
    assert answer.json["errors"][0]["detail"] == "is unknown; did you mean 'status'?"


# --- deciding


def test_a_decision_is_told_as_the_task_is_then(site):
    site.scene.open()
    answer = decide(site, comments="fine")
    assert answer.status == 200
    assert answer.json["status"] == "approved"
    assert answer.json["counted"] is False
    assert answer.json["decision"] == {
        "status": "approved", "decided_by": ALICE, "decided_at": "2026-11-30T09:00:00.000Z",
        "comments": "fine", "form": None, "timeout_reason": None, "via": "login",
    }  # fmt: skip


def test_a_vote_counts(site):
    site.scene.open([ALICE, BOB], quorum=2)
    assert decide(site).json["counted"] is True
    assert decide(site, BOB).json["counted"] is False


def test_the_same_answer_again_is_fine_and_another_one_is_a_conflict(site):
    site.scene.open()
    decide(site)
    assert decide(site, BOB).status == 200
    other = decide(site, BOB, "rejected")
    assert other.status == 409
    assert other.headers["Content-Type"] == "application/problem+json"
    assert other.json["detail"] == f"it was approved by {ALICE}"
    assert other.json["task"] == {"task_id": site.scene.id, "status": "approved"}
    assert other.json["decision"]["decided_by"] == ALICE


def test_of_40_at_once_one_wins_and_the_others_are_told_who(site):
    token = site.scene.open()
    start, answers = threading.Barrier(40), []

    def press(number):
        person, status = ((ALICE, "approved"), (BOB, "rejected"))[number % 2]
        start.wait()
        answers.append((status, decide(site, person, status)))

    threads = [threading.Thread(target=press, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    site.scene.stream.read()
    won = site.scene.task.decision
    assert site.scene.executions.sent == 1
    assert site.scene.executions.taken[token]["decided_by"] == won.decided_by
    for status, answer in answers:
        assert answer.status == (200 if status == won.status else 409)
        assert answer.json["decision"]["decided_by"] == won.decided_by


@pytest.mark.parametrize(("end", "said"), [("expire", "timed_out"), ("stop", "cancelled")])
def test_after_the_end_it_is_gone(site, end, said):
    site.scene.open()
    getattr(site.scene, end)()
    answer = decide(site)
    assert answer.status == 410
    assert answer.json["task"]["status"] == said
    assert answer.json["decision"]["decided_by"] is None
    assert answer.json["type"] == "urn:problem-type:stepsmith:over"


@pytest.mark.parametrize("starter", [ALICE, "github:alice", "Alice+work@example.com"])
def test_whoever_started_the_run_may_not_decide_it_nor_choose_who_does(opened, starter):
    site = Site(opened(starter=starter))
    site.scene.open()
    assert decide(site).status == 403
    assert decide(site, status="rejected").status == 403
    body = {"to": [CAROL], "reason": "my friend"}
    path = f"/api/tasks/{site.scene.id}/reassign"
    assert site.call("POST", path, body, person=ALICE).status == 403
    assert site.scene.task.is_open


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"status": "yes"}, "/status"),
        ({"status": "timed_out"}, "/status"),
        ({"status": None}, "/status"),
        ({"status": True}, "/status"),
        ({"comments": "fine"}, "/status"),
        ({"status": "approved", "comment": "x"}, "/comment"),
        ({"status": "approved", "comments": 7}, "/comments"),
        ({"status": "approved", "comments": "x" * 4097}, "/comments"),
        ({"status": "approved", "by": BOB}, "/by"),
        ({"status": "approved", "a/b~c": 1}, "/a~1b~0c"),
        ({"status": "approved", "form": {"n": "x"}}, "/form/n"),
        ({"status": "approved"}, "/form"),
    ],
)
def test_a_wrong_answer_is_refused_at_its_place(site, body, pointer):
    site.scene.open(
        form={"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    )
    before = site.scene.task
    answer = site.call("POST", f"/api/tasks/{site.scene.id}/status", body, person=ALICE)
    assert answer.status == 400
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert site.scene.task == before


# --- handing over, links


def test_a_task_is_handed_over_with_a_reason_and_the_new_people_are_told(started):
    scene = started.scene
    scene.open()
    path = f"/api/tasks/{scene.id}/reassign"
    body = {"to": [CAROL], "reason": "on holiday"}
    answer = started.call("POST", path, body, person=ALICE)
    assert answer.status == 200
    assert answer.json["assignees"] == [CAROL]
    assert answer.json["notices"][-1]["to"] == CAROL
    (mail,) = scene.mails.to(CAROL)
    assert mail.subject.startswith("Now yours")
    assert "on holiday" in answer.json["history"][-1]["detail"]
    assert decide(started, ALICE).status == 404
    assert decide(started, CAROL).status == 200
    late = started.call("POST", path, {"to": [BOB], "reason": "late"}, person=CAROL)
    assert (late.status, late.json["decision"]["decided_by"]) == (409, CAROL)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"to": [], "reason": "x"}, "/to"),
        ({"to": ["group:nobody"], "reason": "x"}, "/to"),
        ({"to": ["no address"], "reason": "x"}, "/to"),
        ({"to": CAROL, "reason": "x"}, "/to"),
        ({"to": [STARTER], "reason": "x"}, "/to"),
        ({"to": [CAROL], "from": LEAD, "reason": "x"}, "/from"),
        ({"to": [CAROL]}, "/reason"),
        ({"to": [CAROL], "reason": ""}, "/reason"),
    ],
)
def test_nobody_is_asked_who_cannot_be(started, body, pointer):
    started.scene.open()
    path = f"/api/tasks/{started.scene.id}/reassign"
    answer = started.call("POST", path, body, person=ALICE)
    assert answer.status == 400
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert started.scene.task.people == (ALICE, BOB)


def test_one_of_several_is_replaced(started):
    started.scene.open()
    path = f"/api/tasks/{started.scene.id}/reassign"
    body = {"from": "AL@example.com", "to": [CAROL, LEAD], "reason": "ill"}
    answer = started.call("POST", path, body, person=BOB)
    assert answer.json["assignees"] == [BOB, CAROL, LEAD]


def test_links_are_made_by_who_they_are_for_and_by_operators(started):
    scene = started.scene
    scene.open()
    path = f"/api/tasks/{scene.id}/link"
    own = started.call("POST", path, {"for": ALICE}, person="al@example.com")
    assert own.status == 200
    assert own.json["expires_at"] == "2026-12-03T09:00:00.000Z"
    link = urlsplit(own.json["url"])
    assert started.call("GET", f"{link.path}?{link.query}").status == 200
    assert started.call("POST", path, {"for": BOB}, person=ALICE).status == 403
    operators = started.call("POST", path, {"for": BOB}, person="op@example.com")
    assert operators.status == 200
    assert started.call("GET", f"{link.path}?{link.query}").status == 200, "of another person"
    assert scene.task.history[-1].by == "op@example.com"
    assert started.call("POST", path, {"for": CAROL}, person="op@example.com").status == 400
    assert started.call("POST", path, {"for": ALICE}, person=STARTER).status == 404


def test_on_a_machine_of_one_s_own_whoever_calls_is_an_operator(started):
    started.scene.open()
    path = f"/api/tasks/{started.scene.id}"
    own = Site(started.scene, operators=True)
    assert own.call("GET", path, person=CAROL).status == 200
    assert own.call("POST", f"{path}/link", {"for": BOB}, person=CAROL).status == 200
    assert own.call("POST", f"{path}/status", {"status": "approved"}, person=CAROL).status == 404
