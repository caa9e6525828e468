"""What carries tasks out of the process: mails, the chat, the outbox, lists, the stream."""

from __future__ import annotations

import http.server
import json
import logging
import threading
from dataclasses import replace
from datetime import timedelta
from functools import partial
from html import unescape
from types import SimpleNamespace
from typing import Any

import boto3
import pytest

from functions.adapters.notifications import Channels, ChatWebhook, Outbox, SesMail
from functions.adapters.people import directory_in
from functions.domain.people import Directory
from functions.domain.task import Entry
from functions.domain.task_messages import message
from functions.handlers import wake as wake_function
from functions.ports import NotSent
from local.engine import REGION
from local.people import SETTINGS
from tests.functions.tasks.office import ALICE, CAROL, LEAD, START, Mails

PAGE = "https://api.example.com/tasks/t"
LINK = f"{PAGE}?t=secret-token"


@pytest.fixture
def told(scene):
    """A message about a task whose author writes markup."""
    scene.open(title="<b>Review</b>\nBcc: all@example.com", description="a & b")
    return message(scene.task, "opened", ALICE, page=PAGE, link=LINK)


def test_a_mail_goes_out_with_its_link_as_text_and_as_a_page(told):
    ses = boto3.client("ses", region_name=REGION)
    ses.verify_email_identity(EmailAddress="sender@example.com")
    SesMail(ses, "sender@example.com").send(told)
    assert ses.get_send_quota()["SentLast24Hours"] >= 1


def test_a_subject_is_one_line(told):
    assert told.subject == "Please decide: <b>Review</b> Bcc: all@example.com"


def test_a_mail_s_page_escapes_what_others_wrote(told):
    sent = []
    ses: Any = SimpleNamespace(send_email=lambda **fields: sent.append(fields))
    SesMail(ses, "sender@example.com").send(told)
    page = sent[0]["Message"]["Body"]["Html"]["Data"]
    assert "&lt;b&gt;Review&lt;/b&gt;" in page
    assert "a &amp; b" in page
    assert f'<a href="{LINK}">' in page
    assert sent[0]["Destination"] == {"ToAddresses": [ALICE]}


def test_a_mail_that_ses_refuses_is_not_sent(told):
    ses = boto3.client("ses", region_name=REGION)
    with pytest.raises(NotSent, match="MessageRejected"):
        SesMail(ses, "unknown@example.com").send(told)


@pytest.fixture
def webhook():
    """A chat at this machine that answers with `status` and keeps what it gets."""
    got = []

    class Handler(http.server.BaseHTTPRequestHandler):
        status = 200

        def do_POST(self):
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(Handler.status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook", got, Handler
    server.shutdown()
    server.server_close()


def test_a_chat_gets_the_message_without_anybody_s_link(told, webhook):
    address, got, _ = webhook
    ChatWebhook(lambda: address).send(told)
    assert told.subject in unescape(got[0]["text"])
    assert "secret-token" not in json.dumps(got)


def test_a_title_calls_no_channel_and_hides_no_address_in_a_chat(told, webhook):
    address, got, _ = webhook
    title = "<!channel> <https://evil.example|Decide here> R&D"
    ChatWebhook(lambda: address).send(replace(told, subject=title, text=title))
    assert "<" not in got[0]["text"]
    assert unescape(got[0]["text"]) == f"{title}\n{title}\n{PAGE}"


def test_a_chat_that_answers_with_an_error_or_not_at_all_is_not_told(told, webhook):
    address, _, handler = webhook
    handler.status = 500
    with pytest.raises(NotSent, match="it answered 500"):
        ChatWebhook(lambda: address).send(told)
    for wrong in ("http://127.0.0.1:9/hidden", "file:///etc/passwd", "nonsense"):
        with pytest.raises(NotSent) as raised:
            ChatWebhook(partial(str, wrong)).send(told)
        assert "hidden" not in str(raised.value)


def test_each_message_goes_its_own_way(told):
    mails, chats = Mails(), Mails()
    channels = Channels(mails, chats)
    channels.send(told)
    channels.send(replace(told, recipient=None))
    assert [len(mails.sent), len(chats.sent), channels.has_chat] == [1, 1, True]
    assert Channels(mails, None).has_chat is False


def test_an_alarm_can_count_what_could_not_be_sent(told, caplog):
    mails = Mails()
    mails.broken = {told.recipient}
    with pytest.raises(NotSent):
        Channels(mails, None).send(told)
    (line,) = caplog.records
    assert (line.levelname, line.getMessage()) == (
        "ERROR", f"somebody could not be told of {told.task_id}"
    )  # fmt: skip


def test_a_mail_says_what_who_asked_by_when_and_where(opened):
    scene = opened(starter="carol@example.com")
    scene.open(due_in=3600)
    (mail,) = scene.mails.to(ALICE)
    body = mail.body()
    for part in ("Review staging", "Look at it", "Started by: carol@example.com",
                 "Due: 2026-11-30T10:00:00.000Z", "Open until: 2026-12-03", mail.link):  # fmt: skip
        assert part in body
    assert mail.link.startswith(f"https://api.example.com/tasks/{scene.id}?t=")


def test_mails_that_are_not_sent_can_be_read_without_their_links(scene, dynamodb, told):
    outbox = Outbox(dynamodb, SETTINGS.outbox_table, scene.clock)
    outbox.send(told)
    scene.clock.forward(minutes=1)
    outbox.send(message(scene.task, "escalated", LEAD, page=PAGE, note="Overdue"))
    first, second = outbox.of_task(scene.id)
    assert (first["recipient"], second["recipient"]) == (ALICE, LEAD)
    assert "secret-token" not in first["text"]
    assert f"stepsmith tasks link {scene.id} --for {ALICE}" in first["text"]
    assert second["text"].startswith("Overdue")


def test_whatever_a_run_leaves_among_the_tasks_is_deleted_some_day(scene, dynamodb):
    scene.open()
    scene.decide(status="maybe")
    scene.decide()
    scene.decide(status="rejected")
    scene.stop()
    pages = dynamodb.get_paginator("scan").paginate(TableName=SETTINGS.tasks_table)
    own = {f"run#{scene.run['id']}", scene.id}
    items = [one for page in pages for one in page["Items"] if one["id"]["S"] in own]
    assert {one["part"]["S"].partition("#")[0] for one in items} == {
        "task", "audit", "ended", scene.id,
    }  # fmt: skip
    year = 365 * 24 * 3600
    assert all(int(one["ends"]["N"]) > scene.clock.now().timestamp() + year for one in items)


def test_lists_have_the_tasks_due_first_ahead_and_leave_closed_ones_out(scene):
    def mine(*, is_open):
        listed = scene.tasks.listed("manual", is_open=is_open)
        return [t.place.items for t in listed if t.place.run_id == scene.run["id"]]

    scene.open(items=[0], due_in=7200)
    scene.open(items=[1], due_in=3600)
    scene.open(due_in=60)
    assert mine(is_open=True) == [(), (1,), (0,)]
    scene.decide()
    assert (mine(is_open=True), mine(is_open=False)) == ([(1,), (0,)], [()])


def test_a_wake_up_that_fails_comes_again_and_says_nothing_of_the_token(scene, caplog):
    token = scene.open()
    scene.decide()
    batch: Any = {"Records": [record(scene.id, "pending", "approved")]}

    class Broken:
        def succeed(self, token, _output):
            raise RuntimeError(token)

    handle = wake_function.handler_with(lambda: replace(scene.waker, answers=Broken()))
    with caplog.at_level(logging.ERROR):
        assert handle(batch, None) == {"batchItemFailures": [{"itemIdentifier": "7"}]}
    assert token not in caplog.text
    assert wake_function.handler_with(lambda: scene.waker)(batch, None) == {"batchItemFailures": []}
    assert list(scene.executions.taken) == [token]


def record(identifier, before, after, **nudges) -> Any:
    """A record of the stream: the task's status before and after."""
    old = {"task": {"S": "{}"}, "status": {"S": before}}
    new = {"task": {"S": "{}"}, "status": {"S": after}, **nudges}
    return {
        "eventName": "MODIFY",
        "dynamodb": {
            "Keys": {"id": {"S": identifier}, "part": {"S": "task"}},
            "OldImage": old, "NewImage": new, "SequenceNumber": "7",
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "nudges", "woken"),
    [
        ("pending", "pending", {}, 0),
        ("pending", "approved", {}, 1),
        ("approved", "approved", {}, 0),
        ("approved", "approved", {"nudges": {"N": "1"}}, 1),
        ("pending", "pending", {"nudges": {"N": "1"}}, 0),
    ],
)
def test_the_stream_wakes_for_an_end_and_for_a_nudge_after_it(scene, before, after, nudges, woken):
    scene.open()
    scene.decide()
    handle = wake_function.handler_with(lambda: scene.waker)
    handle({"Records": [record(scene.id, before, after, **nudges)]}, None)
    assert scene.executions.sent == woken


def test_other_items_of_the_table_wake_nobody(scene):
    bare: Any = {"Keys": {"id": {"S": "run#r"}, "part": {"S": "x"}}, "SequenceNumber": "1"}
    batch: Any = {"Records": [{"dynamodb": bare}, {"dynamodb": {**bare, "NewImage": {}}}]}
    handle = wake_function.handler_with(lambda: scene.waker)
    assert handle(batch, None) == {"batchItemFailures": []}


def test_the_people_of_a_stage_are_read_from_the_file_the_deployment_lays(tmp_path):
    file = tmp_path / "people.json"
    file.write_text(
        json.dumps({"groups": {"g": [ALICE]}, "identities": {"github:a": ALICE}, "approvers": []})
    )
    assert directory_in(str(file)) == Directory({"g": (ALICE,)}, {"github:a": ALICE}, ())
    assert directory_in(None) == Directory()


def test_of_what_was_tried_in_vain_the_last_lines_are_read(scene):
    """Who is refused may try for ever; a task's page is shown all the same."""
    scene.open()
    for number in range(205):
        at = START + timedelta(seconds=number)
        scene.tasks.audit(scene.id, Entry(at, "refused", CAROL, "login", str(number)))
    told = [entry.detail for entry in scene.tasks.audited(scene.id)]
    assert told == [str(number) for number in range(5, 205)]
