"""The page of a task in a browser: readable by all, on a phone, without JavaScript."""

from __future__ import annotations

import pytest

from tests.functions.http.site import Site
from tests.functions.http.wsgi import wsgi_of
from tests.functions.tasks.conftest import dynamodb, opened, scene, stream
from tests.functions.tasks.office import ALICE, BOB, LEAD

__all__ = ["dynamodb", "opened", "scene", "stream"]

FORM = {
    "type": "object", "required": ["reason", "day", "how"],
    "properties": {
        "reason": {"type": "string", "title": "Why", "description": "In one sentence."},
        "day": {"type": "string", "format": "date"}, "how": {"enum": ["canary", "all at once"]},
        "where": {"type": "array", "items": {"enum": ["eu", "us"]}, "title": "Where"},
        "many": {"enum": ["a", "b", "c", "d", "e"], "title": "Many"},
        "count": {"type": "integer", "minimum": 1}, "loud": {"type": "boolean"},
        "mail": {"type": "string", "format": "email"}, "more": {"type": "object"},
    },
}  # fmt: skip


def path_of(scene, person, step):
    mail = [one for one in scene.mails.to(person) if step in one.text][-1]
    return mail.link.removeprefix(scene.signer.base)


@pytest.mark.slow
def test_an_approver_finds_reads_fills_in_and_decides(opened, serve, visit):
    scene = opened(starter="carol@example.com")
    site = Site(scene)
    text = "See https://example.com/a-long-address-that-does-not-break-anywhere-" + "x" * 60
    scene.open([ALICE], step="form-step", form=FORM, due_in=3600, description=text)
    scene.open([ALICE, BOB], step="late-step", due_in=60, quorum=2)
    scene.open([BOB], step="done-step", title="Done")
    scene.call(
        "pause", error={"Error": "X"}, entered="1", timeout=3600, step="pause-step", token="t"
    )
    done = path_of(scene, BOB, "done-step")
    scene.clock.forward(seconds=90)
    task = next(t for t in scene.tasks.of_run(scene.run["id"]) if t.place.step_id == "done-step")
    body = {"status": "rejected", "comments": "The login is broken.\nTry again."}
    assert site.call("POST", f"/api/tasks/{task.task_id}/status", body, person=BOB).status == 200
    base = serve(wsgi_of(site.send, None))
    form = path_of(scene, ALICE, "form-step")
    pages = {
        "form": form,
        "overdue": path_of(scene, ALICE, "late-step"),
        "decided": done,
        "pause": path_of(scene, LEAD, "pause-step"),
        "unknown": f"/tasks/{task.task_id}?t=x",
        "nobody": f"/tasks/{task.task_id}",
    }
    seen = visit("task_page.mjs", base, pages=pages, form=form)
    assert seen["found"] == {name: [] for name in (*pages, "refused")}
    assert seen["word"] == "Review staging · Stepsmith"
    assert seen["afterEnter"] == base + form, "the Enter key decides nothing"
    assert seen["stillThere"] == base + form, "the browser asks for what is required"
    assert "Your decision counts" in seen["outcome"]
    assert "?" not in seen["address"]
    decided = next(t for t in scene.tasks.of_run(scene.run["id"]) if t.place.step_id == "form-step")
    assert decided.decision.form == {
        "reason": "tested", "day": "2026-12-01", "how": "canary", "loud": False,
    }  # fmt: skip
    assert decided.decision.comments == "from a phone"
