"""Tokens stand where they have to, and nowhere else: all that a whole story leaves is searched."""

from __future__ import annotations

import json
import logging
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from functions.adapters.notifications import Outbox
from functions.logs import ApiLog
from local.engine import REGION
from local.people import SETTINGS
from tests.functions.http.site import Site, form_in
from tests.functions.tasks.office import ALICE, BOB, CAROL


@pytest.fixture
def fresh_logger():
    """Powertools makes a logger once in a process, with the stdout of that moment."""
    logging.Logger.manager.loggerDict.pop("stepsmith", None)


class Story:
    """Plays a story and keeps all that comes out of it."""

    def __init__(self, scene):
        self.scene = scene
        self.site = Site(scene)
        self.site.log = ApiLog("test")
        self.answers: list[str] = []
        self.shown: dict[str, str] = {}
        self.tokens: list[str] = []

    def call(self, *args, **more):
        return self._kept(self.site.call(*args, **more))

    def form(self, *args, **more):
        return self._kept(self.site.form(*args, **more))

    def _kept(self, answer):
        token = form_in(answer.text).fields.get("t")
        text = answer.text.replace(f'name="t" value="{token}"', "")
        self.answers.append(f"{answer.status} {answer.headers} {text}")
        return answer

    def looked_at(self, url):
        """Open a link; its page alone has its token, in a hidden field."""
        split = urlsplit(url)
        token = parse_qs(split.query)["t"][0]
        page = self.site.call("GET", f"{split.path}?{split.query}")
        form = form_in(self._kept(page).text)
        assert form.fields.get("t") == token
        return form

    def play(self):
        scene = self.scene
        path = f"/api/tasks/{scene.id}"
        self.tokens += [scene.open(), scene.escalate(notify=[ALICE, BOB]), scene.escalate(2)]
        form = self.looked_at(scene.mails.to(ALICE)[0].link)
        self.form(f"/tasks/{scene.id}", {**form.fields, "status": "what"})
        self.form(f"/tasks/{scene.id}", {**form.fields, "csrf": "x", "status": "approved"})
        for one in (path, "/api/tasks", f"/tasks/{scene.id}", f"/tasks/{scene.id}?t=x"):
            for person in (ALICE, CAROL, None):
                self.call("GET", one, person=person)
        self.call("POST", f"{path}/status", {"status": "approved"}, person=CAROL)
        self.call("POST", f"{path}/reassign", {"to": [BOB, CAROL], "reason": "why"}, person=ALICE)
        old = urlsplit(scene.mails.to(ALICE)[0].link)
        self.call("GET", f"{old.path}?{old.query}")
        made = self.site.call("POST", f"{path}/link", {"for": CAROL}, person=CAROL).json["url"]
        last = self.looked_at(made)
        self.form(f"/tasks/{scene.id}", {**last.fields, "status": "approved"})
        self.form(f"/tasks/{scene.id}", {**last.fields, "status": "rejected"})
        scene.stream.read()
        url = scene.call("open_callback", step="other", waits=False, timeout=60)["url"]
        self.tokens.append(scene.call("await_callback", step="other", timeout=60))
        self.call("POST", urlsplit(url).path, {"outputs": {}})
        self.call("POST", urlsplit(url).path + "x", {"outputs": {}})
        self.call("POST", urlsplit(url).path, {"failure": {"type": "X"}})
        links = [mail.link for mail in scene.mails.sent if mail.link]
        return [*(parse_qs(urlsplit(one).query)["t"][0] for one in [*links, made]),
                url.rpartition(".")[2]]  # fmt: skip


def tables():
    dynamodb = boto3.client("dynamodb", region_name=REGION)
    names = dynamodb.list_tables()["TableNames"]
    return {name: json.dumps(dynamodb.scan(TableName=name)["Items"]) for name in names}


@pytest.mark.usefixtures("fresh_logger")
def test_no_token_is_logged_answered_stored_or_sent_to_others(scene, capsys, caplog):
    caplog.set_level(0)
    story = Story(scene)
    outbox = Outbox(
        boto3.client("dynamodb", region_name=REGION), SETTINGS.outbox_table, scene.clock
    )
    send = scene.mails.send

    def both(message):
        send(message)
        outbox.send(message)

    scene.mails.send = both
    links = story.play()
    assert scene.task.status == "approved"
    assert len(links) > 6
    stored = tables()
    tokens = stored.pop(SETTINGS.tokens_table)
    assert any(token in tokens for token in story.tokens)
    printed = "".join(capsys.readouterr())
    assert printed.count('"answered"') > 20
    records = [one for one in caplog.records if not one.name.startswith(("botocore", "boto3"))]
    emitted = {
        "log": printed + "\n".join(one.getMessage() + str(one.args) for one in records),
        "answers": "\n".join(story.answers),
        "tables": "".join(stored.values()),
    }
    mails = {mail.recipient: "" for mail in scene.mails.sent}
    for mail in scene.mails.sent:
        mails[mail.recipient] += mail.body()
    for where, text in [*emitted.items(), *mails.items()]:
        for token in story.tokens:
            assert token not in text, f"a task token in {where}"
        assert scene.signer.key.decode() not in text
    for where, text in emitted.items():
        for token in links:
            assert token not in text, f"a link's token in {where}"
    for mail in scene.mails.sent:
        others = "".join(text for who, text in mails.items() if who != mail.recipient)
        assert mail.link is None or mail.link not in others
