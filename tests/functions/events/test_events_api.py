"""Events over the API: published, listed, read, replayed."""

from __future__ import annotations

import pytest

from functions.event_ports import STALE
from functions.usecases.switches import disable
from tests.functions.events.kit import SETTINGS, manifest, trigger
from tests.functions.events.site import ALICE, EventSite


@pytest.fixture
def site(deployed):
    contract = {"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]}
    other = manifest(trigger(name="strict"), id="other", inputs=contract)
    return EventSite(deployed(manifest(trigger()), other))


def get(site, path):
    answer = site.call("GET", f"/api/events{path}", person=ALICE)
    assert answer.status == 200, answer.text
    return answer.json


def replay(site, name, **headers):
    return site.call("POST", f"/api/events/{name}/replay", person=ALICE, headers=headers)


def test_an_event_is_published_as_a_step_publishes(site):
    body = {"event": "user.signup", "payload": {"user": 1}}
    answer = site.call("POST", "/api/events", body, person=ALICE)
    assert answer.status == 202
    detail = {"event_id": answer.json["event_id"], "payload": {"user": 1}, "started_by": ALICE}
    assert site.published == [("user.signup", detail)]
    answer = site.call("POST", "/api/events", {**body, "id": "s-1"}, person=ALICE)
    assert answer.json["event_id"] == "s-1"
    assert site.call("POST", "/api/events", body).status == 401


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("user.signup", {"heard": True, "near": []}),
        ("user.signpu", {"heard": False, "near": ["user.signup"]}),
        ("job.done", {"heard": True, "near": []}),
        ("order.paid", {"heard": False, "near": []}),
    ],
)
def test_who_publishes_is_told_whether_anybody_listens(deployed, name, told):
    asks = trigger("event", settings={"pattern": {"detail-type": ["user.signup"]}})
    waits = manifest(id="waits") | {"patterns": [{"detail-type": ["job.done"]}]}
    site = EventSite(deployed(manifest(asks), waits))
    answer = site.call("POST", "/api/events", {"event": name}, person=ALICE)
    assert {key: answer.json[key] for key in told} == told


@pytest.mark.parametrize("body", [{}, {"event": ""}, {"event": "x" * 129}, {"event": "a", "b": 1}])
def test_a_publication_that_is_none_is_refused(site, body):
    assert site.call("POST", "/api/events", body, person=ALICE).status == 400
    assert site.published == []


def test_events_are_listed_by_what_became_of_them(site):
    for name in ("e1", "e2", "e1"):
        site.stage.come(id=name)
        site.stage.clock.forward(seconds=1)
    site.stage.post({"trigger": "other.strict", "event": {}, "id": "e3"})
    letter = site.stage.queue.record("no JSON")
    site.stage.take({**letter, "eventSourceARN": SETTINGS.dead_letters})
    listed = {
        query: [one["source_id"] for one in get(site, query)["items"]]
        for query in ("", "?outcome=started", "?workflow=other", "?duplicates=true", "?dead=true",
                      "?outcome=duplicate", "?workflow=release&outcome=rejected")
    }  # fmt: skip
    assert sorted(listed[""]) == sorted(["e1", "e2", "e3", letter["messageId"]])
    assert listed["?outcome=started"] == ["e2", "e1"]
    assert listed["?workflow=other"] == ["e3"]
    assert listed["?duplicates=true"] == listed["?outcome=duplicate"] == ["e1"]
    assert listed["?dead=true"] == [letter["messageId"]]
    assert listed["?workflow=release&outcome=rejected"] == []


def test_an_event_says_what_became_of_it(site):
    site.stage.post({"trigger": "other.strict", "event": {"a": 1}, "id": "e1", "source": "ci"})
    [one] = get(site, "?outcome=rejected")["items"]
    assert one["problems"] == [{"pointer": "/env", "detail": "is required"}]
    assert (one["workflow_id"], one["trigger"], one["type"]) == ("other", "strict", "http")
    whole = get(site, f"/{one['event_id']}")
    assert (whole["event"], whole["source"]) == ({"a": 1}, "ci")
    assert whole == get(site, "/e1"), "by its own identity"


def test_a_list_is_read_to_its_end(site):
    for number in range(5):
        site.stage.come(id=f"e{number}")
        site.stage.clock.forward(seconds=1)
    found, query = [], "?limit=2"
    while query:
        page = get(site, query)
        found += [one["source_id"] for one in page["items"]]
        query = page["next"] and f"?limit=2&cursor={page['next']}"
    assert found == ["e4", "e3", "e2", "e1", "e0"]


@pytest.mark.parametrize("cursor", ["x", "WzFd", "WyJhIiwiYiJd", "bnVsbA"])
def test_a_cursor_that_somebody_made_up_is_refused_or_the_beginning(site, cursor):
    answer = site.call("GET", f"/api/events?cursor={cursor}", person=ALICE)
    assert answer.status in (400, 200)
    assert answer.status == 400 or cursor == "bnVsbA"


def test_a_replay_starts_a_run(site):
    site.stage.come(id="e1")
    answer = replay(site, "e1")
    assert answer.status == 202
    assert answer.json["run_id"] in site.stage.runs()
    assert get(site, f"/{answer.json['event_id']}")["replay_of"] is not None
    assert len(site.stage.executions) == 2


def test_a_replay_with_a_key_is_one(site):
    site.stage.come(id="e1")
    [event] = site.stage.events()
    answers = [replay(site, event.event_id, **{"idempotency-key": "k"}).json for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert len(site.stage.executions) == 2


def test_a_replay_that_starts_nothing_says_why(site):
    site.stage.post({"trigger": "other.strict", "event": {}, "id": "e1"})
    answer = replay(site, "e1")
    assert answer.status == 400
    assert answer.json["errors"] == [{"pointer": "/env", "detail": "is required"}]
    assert replay(site, "nothing").status == 404
    site.stage.come(id="e2")
    disable("release", site.stage.gate)
    site.stage.clock.forward(seconds=STALE + 1)
    assert replay(site, "e2").json["detail"] == "the workflow 'release' is disabled"


def test_a_call_of_the_api_is_not_replayed(site):
    site.run({"a": 1}, idempotency_key="k1")
    [event] = site.stage.events()
    answer = replay(site, event.event_id)
    assert (answer.status, event.type) == (409, "api")


@pytest.mark.parametrize("path", ["", "/e1"])
def test_who_is_not_logged_in_sees_nothing(site, path):
    assert site.call("GET", f"/api/events{path}").status == 401
