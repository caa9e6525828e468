"""The page of a task: what it shows to whom, and what it takes."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from functions.domain.task import Actor
from functions.usecases.reassign import Handover, make_link, reassign
from tests.functions.http.site import form_in, words_in
from tests.functions.tasks.office import ALICE, BOB, CAROL, LEAD


def link_of(scene, person=ALICE):
    """The path and query of the newest link that a person was sent."""
    mail = scene.mails.to(person)[-1]
    return mail.link.removeprefix(scene.signer.base)


def token_in(path):
    return parse_qs(urlsplit(path).query)["t"][0]


def send(site, status, person=ALICE, path=None, **fields):
    """Open a link, fill in its form and press a button."""
    page = site.call("GET", path or link_of(site.scene, person))
    form = form_in(page.text)
    assert form.action == site.scene.id
    return site.form(f"/tasks/{form.action}", {**form.fields, **fields, "status": status})


# --- what it shows


def test_a_link_shows_the_task_and_two_buttons(opened, site_of):
    site = site_of(opened(starter="github:alice"))
    site.scene.open([BOB], due_in=3600, quorum=1)
    answer = site.call("GET", link_of(site.scene, BOB))
    said = words_in(answer.text)
    assert answer.status == 200
    for part in ("Review staging", "Look at it", "github:alice asks", "in 1 hour", BOB):
        assert part in said
    assert form_in(answer.text).buttons == ["approved", "rejected"]


def test_it_says_what_an_approval_lets_go_on(site):
    def rule(name, *after, **more):
        unknown = {"has_condition": False, "has_status_function": False}
        return {"id": name, "depends_on": list(after), **unknown, **more}

    rules = [
        rule("deploy", "review"), rule("tell", "deploy"), rule("rollback", "review"),
        rule("maybe", "review", has_condition=True),
    ]  # fmt: skip
    steps = [{"id": "rollback", "name": "Roll back", "undo": True}]
    steps += [{"id": name, "name": f"{name} <b>"} for name in ("deploy", "tell", "maybe")]
    site.manifests["release@1"] = {"rules": {one["id"]: one for one in rules}, "steps": steps}
    site.scene.open()
    said = words_in(site.call("GET", link_of(site.scene)).text)
    assert "An approval lets this go on: deploy <b> ." in said
    assert "release, version 1" in said


def test_an_overdue_task_says_so(site):
    site.scene.open(due_in=3600)
    site.scene.clock.forward(hours=3)
    said = words_in(site.call("GET", link_of(site.scene)).text)
    assert "Overdue" in said
    assert "2 hours ago" in said


def test_texts_are_shown_as_they_are_written(site):
    evil = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>"
    form = {
        "type": "object",
        "properties": {evil: {"type": "string", "title": evil, "description": evil,
                              "default": evil}, "x": {"enum": [evil, "b"]}},
    }  # fmt: skip
    site.scene.open(title=evil, description=f"{evil} https://example.com/?a=1&b=<2>", form=form)
    page = site.call("GET", link_of(site.scene)).text
    assert "<script" not in page
    assert "<img" not in page
    assert evil in words_in(page)
    assert 'href="https://example.com/?a=1&amp;b="' in page
    again = send(site, "approved", comments=evil)
    assert "<script" not in again.text
    assert evil in words_in(again.text)


def test_its_headers_keep_links_to_themselves(site):
    site.scene.open()
    headers = site.call("GET", link_of(site.scene)).headers
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Robots-Tag"] == "noindex"
    assert headers["X-Content-Type-Options"] == "nosniff"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy


def test_the_token_stands_in_a_hidden_field_alone(site):
    site.scene.open()
    path = link_of(site.scene)
    page = site.call("GET", path).text
    assert page.count(token_in(path)) == 1
    assert f'type="hidden" name="t" value="{token_in(path)}"' in page
    assert token_in(path) not in send(site, "approved").text


# --- what it takes


@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_the_form_decides(site, status):
    token = site.scene.open()
    answer = send(site, status, comments="looked at it")
    site.scene.stream.read()
    assert answer.status == 200
    assert "Your decision counts" in words_in(answer.text)
    taken = site.scene.executions.taken[token]
    assert (taken["status"], taken["comments"], taken["decided_by"]) == (
        status, "looked at it", ALICE,
    )  # fmt: skip
    assert site.scene.task.decision.via == "link"


def test_pressing_a_button_twice_is_fine_and_the_other_one_comes_too_late(site):
    site.scene.open()
    page = form_in(site.call("GET", link_of(site.scene)).text)
    path = f"/tasks/{site.scene.id}"
    first = site.form(path, {**page.fields, "status": "approved"})
    again = site.form(path, {**page.fields, "status": "approved"})
    other = site.form(path, {**page.fields, "status": "rejected"})
    assert [first.status, again.status, other.status] == [200, 200, 409]
    assert f"Approved by {ALICE}" in words_in(other.text)


def test_a_vote_counts_and_more_are_needed(site):
    site.scene.open([ALICE, BOB], quorum=2)
    said = words_in(send(site, "approved").text)
    assert "more are needed" in said
    assert f"2 have to agree; so far {ALICE}" in said
    assert "Your decision counts" in words_in(send(site, "approved", BOB).text)


def test_a_form_is_asked_for_and_what_is_wrong_stands_at_its_field(site):
    form = {
        "type": "object", "required": ["count", "day"],
        "properties": {
            "count": {"type": "integer", "maximum": 5}, "day": {"type": "string", "format": "date"},
            "how": {"enum": ["canary", "all"], "default": "all"}, "loud": {"type": "boolean"},
            "where": {"type": "array", "items": {"enum": ["eu", "us"]}}, "note": {"type": "string"},
        },
    }  # fmt: skip
    site.scene.open(form=form)
    missing = send(site, "approved", **{"form.count": "many", "comments": "kept"})
    assert missing.status == 400
    assert "Please write a number." in missing.text
    assert "Please fill this in." in missing.text
    assert "kept</textarea>" in missing.text
    too_many = send(site, "approved", **{"form.count": "9", "form.day": "2026-12-01"})
    assert too_many.status == 400
    assert "9 is greater than the maximum of 5" in words_in(too_many.text)
    assert site.scene.task.is_open
    done = send(
        site, "approved",
        **{"form.count": "3", "form.day": "2026-12-01", "form.where": ["eu", "us"]},
    )  # fmt: skip
    assert done.status == 200
    assert site.scene.task.decision.form == {
        "count": 3, "day": "2026-12-01", "how": "all", "loud": False, "where": ["eu", "us"],
    }  # fmt: skip


def test_a_rejection_needs_no_form(site):
    site.scene.open(form={"type": "object", "required": ["x"], "properties": {"x": {}}})
    assert send(site, "rejected").status == 200
    assert site.scene.task.decision.form is None


def test_a_pause_has_three_buttons(site):
    site.scene.call(
        "pause", error={"Error": "Broken", "Cause": "of it"}, entered="1", timeout=3600, token="t"
    )
    path = link_of(site.scene, LEAD)
    page = site.call("GET", path)
    assert form_in(page.text).buttons == ["retry", "skip", "fail"]
    assert "Broken: of it" in words_in(page.text)
    form = form_in(page.text)
    done = site.form(f"/tasks/{form.action}", {**form.fields, "status": "skip"})
    assert done.status == 200
    assert "Skipped by" in words_in(done.text)


# --- what it refuses


@pytest.mark.parametrize(
    ("status", "code"), [("yes", 400), ("", 400), ("Approved", 400), ("timed_out", 400)]
)
def test_an_answer_that_is_none_changes_nothing(site, status, code):
    site.scene.open()
    before = site.scene.task
    assert send(site, status).status == code
    assert site.scene.task == before


def test_a_comment_that_is_too_long_is_refused(site):
    site.scene.open()
    assert send(site, "approved", comments="x" * 5000).status == 400
    assert site.scene.task.is_open


@pytest.mark.parametrize("csrf", [None, "", "x", "é"])
def test_a_form_of_another_page_is_refused(site, csrf):
    site.scene.open()
    token = token_in(link_of(site.scene))
    fields = {"t": token, "status": "approved"} | ({} if csrf is None else {"csrf": csrf})
    answer = site.form(f"/tasks/{site.scene.id}", fields)
    assert answer.status == 403
    assert site.scene.task.is_open


def test_a_form_s_token_is_its_link_s_alone(site):
    site.scene.open()
    theirs = form_in(site.call("GET", link_of(site.scene, BOB)).text).fields["csrf"]
    mine = token_in(link_of(site.scene, ALICE))
    fields = {"t": mine, "csrf": theirs, "status": "approved"}
    assert site.form(f"/tasks/{site.scene.id}", fields).status == 403


def test_what_another_site_sends_is_refused(site):
    site.scene.open()
    form = form_in(site.call("GET", link_of(site.scene)).text)
    for where, code in (("cross-site", 403), ("same-site", 403), ("same-origin", 200)):
        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "sec-fetch-site": where,
        }
        body = "&".join(f"{key}={value}" for key, value in form.fields.items())
        answer = site.call(
            "POST", f"/tasks/{site.scene.id}", f"{body}&status=approved", headers=headers
        )
        assert answer.status == code


def test_what_is_no_form_is_refused(site):
    site.scene.open()
    assert site.call("POST", f"/tasks/{site.scene.id}", {"status": "approved"}).status == 415


def test_a_form_with_too_many_fields_is_refused(site):
    site.scene.open()
    fields = {f"f{number}": "" for number in range(501)}
    assert site.form(f"/tasks/{site.scene.id}", fields).status == 400
    too_large = {"comments": "x" * 300_000}
    page = site.form(f"/tasks/{site.scene.id}", too_large)
    assert page.status == 413
    assert "Nothing was decided" in words_in(page.text)


def refused(site, path, code):
    """A link is refused with a code, when it is looked at and when its form is sent."""
    assert site.call("GET", path).status == code
    fields = {"t": token_in(path), "csrf": "", "status": "approved"}
    answer = site.form(f"/tasks/{site.scene.id}", fields)
    assert answer.status == (403 if code in (200, 410) else code), "without its form's token"
    return answer


def test_forged_foreign_and_void_links_are_unknown(site):
    scene = site.scene
    scene.open()
    old = link_of(scene, BOB)
    refused(site, f"/tasks/{scene.id}?t={'A' * 43}", 404)
    scene.open(step="other")
    refused(site, f"/tasks/{scene.id}?t={token_in(link_of(scene, BOB))}", 404)
    make_link(scene.id, BOB, Actor(BOB, "login"), scene.desk)
    refused(site, old, 404)
    assert scene.task.is_open


def test_a_link_is_void_after_a_reassignment_also_when_its_person_is_asked_again(site):
    scene = site.scene
    scene.open()
    old = link_of(scene, BOB)
    for people in ([CAROL], [CAROL, BOB]):
        reassign(scene.id, Handover(people), Actor(LEAD, "login"), scene.desk, is_operator=True)
        refused(site, old, 404)


def test_a_link_s_form_is_void_with_it(site):
    scene = site.scene
    scene.open()
    form = form_in(site.call("GET", link_of(scene, BOB)).text)
    make_link(scene.id, BOB, Actor(BOB, "login"), scene.desk)
    answer = site.form(f"/tasks/{scene.id}", {**form.fields, "status": "approved"})
    assert answer.status == 404
    assert scene.task.is_open


def test_an_expired_link_is_over(site):
    scene = site.scene
    scene.open()
    path = link_of(scene)
    form = form_in(site.call("GET", path).text)
    scene.clock.forward(hours=72, minutes=1)
    answer = site.call("GET", path)
    assert (answer.status, form_in(answer.text).action) == (410, None)
    sent = site.form(f"/tasks/{scene.id}", {**form.fields, "status": "approved"})
    assert sent.status == 410
    assert scene.task.is_open, "it is for the run to say that it timed out"


@pytest.mark.parametrize("end", ["expire", "stop"])
def test_after_the_end_the_page_says_so(site, end):
    scene = site.scene
    scene.open()
    form = form_in(site.call("GET", link_of(scene)).text)
    getattr(scene, end)()
    answer = site.form(f"/tasks/{scene.id}", {**form.fields, "status": "approved"})
    assert answer.status == 410
    assert "too late" in words_in(answer.text)
    assert site.call("GET", link_of(scene)).status == 410


def test_a_link_cannot_decide_where_a_login_is_asked_for(site):
    scene = site.scene
    scene.open(auth="login")
    assert scene.mails.to(ALICE)[0].link is None
    nobody = site.call("GET", f"/tasks/{scene.id}")
    assert nobody.status == 401
    assert "Log in" in words_in(nobody.text)
    page = site.call("GET", f"/tasks/{scene.id}", person=ALICE)
    fields = {**form_in(page.text).fields, "status": "approved"}
    assert site.form(f"/tasks/{scene.id}", fields).status == 401
    assert site.form(f"/tasks/{scene.id}", fields, person=BOB).status == 403
    assert site.form(f"/tasks/{scene.id}", fields, person=ALICE).status == 200
    assert scene.task.decision.via == "login"


def test_whoever_started_the_run_looks_and_does_not_decide(opened, site_of):
    site = site_of(opened(starter=ALICE))
    site.scene.open()
    page = site.call("GET", f"/tasks/{site.scene.id}", person=ALICE)
    assert (page.status, form_in(page.text).action) == (200, None)
    assert "somebody else has to decide" in words_in(page.text)
    actor = Actor(ALICE, "login")
    fields = {"csrf": site.scene.signer.form_token(site.scene.task, actor), "status": "approved"}
    assert site.form(f"/tasks/{site.scene.id}", fields, person=ALICE).status == 403
    assert site.scene.task.is_open


def test_what_is_unknown_and_what_is_not_yours_look_the_same(site):
    site.scene.open()
    there, nowhere = f"/tasks/{site.scene.id}", f"/tasks/{'0' * 32}"
    for query, person, code in (("?t=x", None, 404), ("", CAROL, 404), ("", None, 401)):
        real = site.call("GET", there + query, person=person)
        none = site.call("GET", nowhere + query, person=person)
        assert real.status == none.status == code
        assert real.text.replace(site.scene.id, "") == none.text.replace("0" * 32, "")
        assert real.headers == none.headers
