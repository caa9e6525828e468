"""Webhooks: nothing is kept of one that is not genuine, and every answer says what it comes to."""

from __future__ import annotations

import hashlib
import hmac
import json
from contextlib import suppress

import pytest

from functions.usecases.replay import find_event
from tests.functions.events.kit import VISIBILITY, Killed, manifest, trigger
from tests.functions.events.site import EventSite
from tests.functions.events.sources import TRIGGERS, recorded

PUSH = recorded("github_push")
BODY = json.dumps(PUSH["body"], indent=1, ensure_ascii=True).encode()


@pytest.fixture
def site(deployed):
    contract = {"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]}
    hook = trigger("http", name="deploy", settings={"secret": "deploy"})
    ignoring = trigger("http", name="quiet", settings={"secret": "deploy"}, condition=False)
    stage = deployed(
        manifest(TRIGGERS["git-push"]), manifest(hook, ignoring, id="other", inputs=contract)
    )
    return EventSite(stage, github="old secret", deploy="open sesame")


def signed(body=BODY, secret="old secret", **more):
    """The headers of a delivery of GitHub."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {**PUSH["headers"], "X-Hub-Signature-256": f"sha256={digest}", **more}
    return {name.lower(): value for name, value in headers.items()}


def nothing_happened(site):
    return not site.stage.queue.waiting and site.stage.events() == []


def push(site, body=BODY, headers=None, **more):
    return site.post("release-git-push", body, headers or signed(body), **more)


@pytest.mark.parametrize("encoded", [False, True])
def test_a_push_is_queued_and_starts_a_run(site, encoded):
    with site.stage.calls.watched() as calls:
        answer = push(site, encoded=encoded)
        assert calls.names == [], "the queue is no moto's: nothing but the message"
    assert (answer.status, answer.json["outcome"]) == (202, "queued")
    assert site.stage.drain() == []
    event = find_event(answer.json["event_id"], site.stage.gate)
    assert (event.outcome, event.source_id) == ("started", PUSH["headers"]["X-GitHub-Delivery"])
    [given] = site.stage.inputs()
    assert given["run"]["started_by"] == f"github:{PUSH['body']['sender']['login']}"
    assert given["inputs"]["commit"] == PUSH["body"]["head_commit"]["id"]


def test_a_delivery_that_comes_again_is_a_duplicate(site):
    for _ in range(3):
        push(site)
    site.stage.drain()
    [event] = site.stage.events()
    assert (event.deliveries, len(site.stage.executions)) == (3, 1)


def test_signatures_are_not_kept(site):
    push(site)
    site.stage.drain()
    [event] = site.stage.events()
    kept = find_event(event.event_id, site.stage.gate).sent.headers
    assert kept["x-github-event"] == "push"
    assert not any("signature" in name for name in kept)
    site.post("deploy", b'{"env": "x"}', {"authorization": "Bearer open sesame"})
    assert "sesame" not in json.dumps([*site.stage.queue.waiting])


@pytest.mark.parametrize(
    "headers",
    [
        {**signed(), "x-hub-signature-256": "sha256=" + "0" * 64},
        {**signed(), "x-hub-signature-256": signed()["x-hub-signature-256"][7:]},
        {name: value for name, value in signed().items() if "signature" not in name},
        signed(secret="new secret"),
        signed(json.dumps(PUSH["body"]).encode()),
        signed(BODY + b" "),
    ],
    ids=["wrong", "no prefix", "missing", "other secret", "written anew", "other bytes"],
)
def test_a_wrong_signature_reserves_nothing(site, headers):
    answer = push(site, headers=headers)
    assert (answer.status, answer.json["detail"]) == (401, "the signature is missing or wrong")
    assert nothing_happened(site)


def test_each_byte_counts(site):
    headers = signed()
    for place in range(0, len(BODY), 97):
        changed = bytearray(BODY)
        changed[place] ^= 1
        assert push(site, bytes(changed), headers, encoded=True).status == 401
    assert nothing_happened(site)


def test_a_secret_is_exchanged_while_both_hold(site):
    assert push(site, headers=signed(secret="new secret")).status == 401
    site.secrets.values["github"] = "new secret\nold secret\n"
    site.stage.clock.forward(seconds=61)
    for secret in ("new secret", "old secret"):
        assert push(site, headers=signed(secret=secret)).status == 202
    site.secrets.values["github"] = "new secret"


def test_wrong_signatures_do_not_have_the_secret_read_each_time(site):
    reads = []
    keys = site.wiring.door().keys
    make = keys.make

    def read():
        reads.append(1)
        return make()

    keys.make = read
    for _ in range(20):
        push(site, headers=signed(secret="guess"))
    assert len(reads) == 1


@pytest.mark.parametrize("secret", [None, "", "\n \n"])
def test_without_a_secret_nothing_is_let_in(site, secret):
    site.secrets.values.pop("github")
    if secret is not None:
        site.secrets.values["github"] = secret
    answer = push(site, headers=signed(secret=secret or ""))
    assert (answer.status, answer.json["type"]) == (503, "urn:problem-type:stepsmith:no-secret")
    assert "has to store it" in answer.json["detail"]
    assert answer.json["request_id"]
    assert "github" not in answer.text, "anybody can ask"
    assert site.log.lacks == ["the stage has no secret 'github'"]
    assert site.log.faults == []
    assert nothing_happened(site)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "no JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"a=1", "no JSON"),
        (b"NaN", "no number"),
        (b"[1e999]", "too large"),
        (b"[" * 50_000, "too deeply"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_with_the_reason(site, body, said):
    answer = push(site, body, signed(body), encoded=True)
    assert answer.status == 400
    assert said in answer.json["detail"]
    assert nothing_happened(site)


def test_a_ping_is_answered(site):
    ping = recorded("github_ping")
    body = json.dumps(ping["body"]).encode()
    answer = push(site, body, signed(body, **ping["headers"]))
    assert (answer.status, answer.json["outcome"]) == (202, "ping")
    assert nothing_happened(site)


def test_what_the_trigger_does_not_ask_for_is_kept_and_said(site):
    gone = recorded("github_branch_deleted")
    body = json.dumps(gone["body"]).encode()
    answer = push(site, body, signed(body, **gone["headers"]))
    assert (answer.status, answer.json["outcome"]) == (202, "ignored")
    assert site.stage.outcomes() == {"ignored": 1}
    assert not site.stage.queue.waiting


def bearing(secret="open sesame", **more):
    return {"authorization": f"Bearer {secret}", "content-type": "application/json", **more}


def test_another_webhook_bears_its_secret(site):
    assert site.post("deploy", b'{"env": "test"}', bearing("wrong")).status == 401
    answer = site.post("deploy", b'{"env": "test"}', bearing())
    assert answer.status == 202
    site.stage.drain()
    assert site.stage.inputs()[0]["inputs"] == {"env": "test"}


def test_inputs_that_are_wrong_are_told_to_the_sender(site):
    answer = site.post("deploy", b'{"env": 1}', bearing())
    assert answer.status == 400
    assert answer.json["errors"] == [{"pointer": "/env", "detail": "must be text, and is a number"}]
    event = find_event(answer.json["event_id"], site.stage.gate)
    assert event.outcome == "rejected"
    assert site.post("deploy", b'{"env": "test"}', bearing()).status == 202


def test_a_condition_leaves_out_what_the_sender_need_not_know(site):
    answer = site.post("quiet", b'{"env": "test"}', bearing())
    assert (answer.status, answer.json["outcome"]) == (202, "ignored")


@pytest.mark.parametrize("name", ["other.deploy", "deploy"])
def test_a_webhook_has_two_names(site, name):
    assert site.post(name, b'{"env": "test"}', bearing()).status == 202


@pytest.mark.parametrize("name", ["gone", "release.deploy", "release-schedule"])
def test_a_webhook_that_is_not_there_is_unknown(site, name):
    assert site.post(name, b"{}", bearing()).status == 404


def test_a_name_that_two_workflows_use_is_none(site):
    other = trigger("http", name="deploy", settings={"secret": "deploy"})
    site.stage.deployed["third"] = manifest(other, id="third")
    assert site.post("deploy", b"{}", bearing()).status == 404
    assert site.post("third.deploy", b"{}", bearing()).status == 202


def test_a_large_body_is_taken(site):
    body = json.dumps({"env": "test", "rest": "x" * 1_000_000}).encode()
    assert site.post("deploy", body, bearing()).status == 202
    assert site.post("deploy", b"x" * 6_000_000, bearing()).status == 413


def test_a_call_that_is_cut_off_is_sent_again(site):
    """What a sender gets no answer for it sends again: one run, however often."""
    for _ in range(2):
        with site.stage.calls.watched(0), suppress(Killed):
            push(site)
    site.stage.clock.at += VISIBILITY
    site.stage.drain()
    assert len(site.stage.executions) == 1
