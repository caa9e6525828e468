"""Links: whose they are, when they are void, and that they are kept nowhere."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from functions.adapters.notifications import Outbox
from functions.domain.task import Actor
from functions.domain.task_links import Signer
from functions.usecases.open_link import open_link
from functions.usecases.reassign import Handover, make_link, reassign, tell_reassigned
from local.engine import REGION
from local.people import SETTINGS
from tests.functions.tasks.office import ALICE, BOB, CAROL, LEAD

OPERATOR = Actor("operator@example.com", "command")


def token_in(mail):
    return parse_qs(urlsplit(mail.link).query)["t"][0]


def holder(scene, token):
    return open_link(scene.id, token, scene.desk)


def test_a_mail_s_link_is_its_recipient_s(scene):
    scene.open()
    (mail,) = scene.mails.to(BOB)
    assert urlsplit(mail.link).path == f"/tasks/{scene.id}"
    found = holder(scene, token_in(mail))
    assert (found.actor, found.holds) == (Actor(BOB, "link"), True)


def test_an_escalation_s_mail_has_the_same_link_and_others_get_none(scene):
    scene.open()
    scene.escalate(notify=[ALICE, LEAD])
    first, second = scene.mails.to(ALICE)
    assert first.link == second.link
    assert scene.mails.to(LEAD)[0].link is None


def test_looking_changes_nothing(scene):
    scene.open()
    before, token = scene.task, token_in(scene.mails.to(BOB)[0])
    for _ in range(10):
        holder(scene, token)
        holder(scene, "x")
    assert scene.task == before


@pytest.mark.parametrize("forged", ["", "x", "é", "A" * 43, "A" * 100_000])
def test_a_forged_token_is_nobody_s(scene, forged):
    scene.open()
    assert holder(scene, forged) is None


def test_a_token_of_another_task_or_key_is_nobody_s(scene):
    scene.open()
    token = token_in(scene.mails.to(BOB)[0])
    assert open_link("0" * 32, token, scene.desk) is None
    scene.open(step="other")
    other = token_in(scene.mails.to(BOB)[1])
    assert holder(scene, other) is None
    forger = Signer(b"another key", scene.signer.base)
    assert holder(scene, forger.token(scene.task, BOB)) is None


def test_a_kept_hash_alone_makes_no_link_and_neither_does_the_key(scene):
    """Whoever can write the table cannot sign; whoever can sign cannot make a hash be kept."""
    scene.open()
    token = token_in(scene.mails.to(BOB)[0])
    link = scene.task.links[BOB]
    changed = replace(scene.task, links={BOB: replace(link, hash="0" * 64)})
    assert scene.signer.holder(changed, token, scene.clock.now()) is None


def test_a_link_says_when_it_is_over(scene):
    scene.open()
    token = token_in(scene.mails.to(BOB)[0])
    scene.clock.forward(hours=73)
    assert holder(scene, token).holds is False


def test_after_the_decision_a_link_still_shows_what_became_of_it(scene):
    scene.open()
    scene.decide()
    assert holder(scene, token_in(scene.mails.to(BOB)[0])).task.status == "approved"


def test_a_fresh_link_makes_the_ones_before_void_and_is_audited(scene):
    scene.open()
    old = token_in(scene.mails.to(BOB)[0])
    verdict, url = make_link(scene.id, "Bob@example.com", OPERATOR, scene.desk, is_operator=True)
    assert verdict.name == "decided"
    assert holder(scene, old) is None
    assert url is not None
    assert holder(scene, parse_qs(urlsplit(url).query)["t"][0]).actor.name == BOB
    assert scene.task.history[-1].what == "link_made"
    assert scene.task.history[-1].by == OPERATOR.name


@pytest.mark.parametrize("person", [CAROL, LEAD, "nobody"])
def test_a_link_is_made_for_assignees_alone(scene, person):
    scene.open()
    made, _ = make_link(scene.id, person, OPERATOR, scene.desk, is_operator=True)
    assert made.name == "invalid"


def test_a_reassigned_task_is_the_new_people_s_and_old_links_are_void(scene):
    scene.open()
    old = {who: token_in(scene.mails.to(who)[0]) for who in (ALICE, BOB)}
    verdict = reassign(
        scene.id, Handover([BOB, CAROL], "on holiday"), Actor(ALICE, "login"), scene.desk
    )
    assert verdict.name == "decided"
    assert [holder(scene, token) for token in old.values()] == [None, None]
    assert scene.decide().name == "not_yours"
    for _ in range(2):
        tell_reassigned(scene.task, scene.office)
    (told,) = scene.mails.to(CAROL)
    assert holder(scene, token_in(told)).actor.name == CAROL
    entry = scene.task.history[-1]
    assert (entry.what, entry.by) == ("reassigned", ALICE)
    assert "on holiday" in entry.detail
    assert scene.decide(by=CAROL).name == "decided"


def test_votes_of_people_who_are_no_longer_asked_do_not_count(scene):
    scene.open(quorum=2)
    scene.decide()
    reassign(scene.id, Handover([BOB, CAROL]), OPERATOR, scene.desk, is_operator=True)
    assert scene.decide(by=CAROL).name == "counted"


FRIENDS = ["one@example.org", "two@example.org"]


@pytest.mark.parametrize(
    "handover",
    [
        Handover(FRIENDS),
        Handover([ALICE, *FRIENDS]),
        Handover(FRIENDS[0], of=BOB),
        Handover(FRIENDS, of=ALICE),
        Handover([ALICE, FRIENDS[0]], of=ALICE),
        Handover("group:developers", of=ALICE),
    ],
)
def test_where_several_have_to_agree_nobody_chooses_the_others(scene, handover):
    scene.open([ALICE, BOB], quorum=2)
    before = scene.task
    verdict = reassign(scene.id, handover, Actor(ALICE, "login"), scene.desk)
    assert verdict.name == "forbidden"
    assert "your own part" in verdict.problems[0]
    assert scene.task == before


@pytest.mark.parametrize("of", [ALICE, "Alice+work@example.com", "github:alice"])
def test_where_several_have_to_agree_everybody_hands_on_their_own_part(scene, of):
    scene.open([ALICE, BOB], quorum=2)
    scene.decide(by=ALICE)
    verdict = reassign(
        scene.id, Handover(CAROL, of=of), Actor("al@example.com", "login"), scene.desk
    )
    assert verdict.name == "decided"
    assert scene.task.people == (BOB, CAROL)
    assert scene.decide(by=BOB).name == "counted"
    assert scene.decide(by=CAROL).name == "decided"


@pytest.mark.parametrize(
    ("actor", "to", "name"),
    [(CAROL, [CAROL], "not_yours"), (ALICE, [], "invalid"), (ALICE, ["group:x"], "invalid")],
)
def test_only_assignees_reassign_and_never_to_nobody(scene, actor, to, name):
    scene.open()
    before = scene.task
    assert reassign(scene.id, Handover(to), Actor(actor, "login"), scene.desk).name == name
    assert scene.task == before


def test_an_operator_reassigns_what_is_still_open(scene):
    scene.open()
    done = reassign(scene.id, Handover(CAROL), OPERATOR, scene.desk, is_operator=True)
    assert done.name == "decided"
    scene.expire()
    again = reassign(scene.id, Handover(BOB), OPERATOR, scene.desk, is_operator=True)
    assert again.name == "ended"


def test_no_token_stands_in_a_table_a_log_or_a_recorded_mail(scene, caplog):
    """Task tokens are in their own table alone, tokens of links nowhere."""
    caplog.set_level(0)
    dynamodb = boto3.client("dynamodb", region_name=REGION)
    outbox = Outbox(dynamodb, SETTINGS.outbox_table, scene.clock)
    send = scene.mails.send

    def both(message):
        send(message)
        outbox.send(message)

    scene.mails.send = both
    tokens = [scene.open(), scene.escalate(notify=[ALICE, BOB]), scene.escalate(2)]
    scene.decide(by=CAROL)
    make_link(scene.id, ALICE, OPERATOR, scene.desk, is_operator=True)
    reassign(scene.id, Handover([ALICE, CAROL], "why"), Actor(BOB, "login"), scene.desk)
    tell_reassigned(scene.task, scene.office)
    scene.decide()
    scene.stream.read()
    scene.decide("rejected")
    url = scene.call("open_callback", step="other", waits=False, timeout=60)["url"]
    links = [token_in(mail) for mail in scene.mails.sent if mail.link] + [url.rsplit(".", 1)[1]]
    assert len(links) > 5
    tables = {
        name: json.dumps(dynamodb.scan(TableName=name)["Items"])
        for name in (SETTINGS.tasks_table, SETTINGS.outbox_table, SETTINGS.tokens_table)
    }
    assert all(token in tables[SETTINGS.tokens_table] for token in tokens[-1:])
    ours = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("botocore"))
    sent = "\n".join(mail.body() for mail in scene.mails.sent)
    assert f"tasks link {scene.id} --for {ALICE}" in tables[SETTINGS.outbox_table]
    for token in tokens:
        assert token not in tables[SETTINGS.tasks_table] + tables[SETTINGS.outbox_table]
        assert token not in ours + sent
    for token in links:
        assert token not in "".join(tables.values()) + ours
