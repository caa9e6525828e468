"""A message to whoever is meant, and what is said where not everybody could be told."""

from __future__ import annotations

import pytest

from functions.actions.notify import action
from functions.domain import errors
from functions.domain.services import Services
from tests.functions.actions.kit import Reply, context, serving

TOPIC = "arn:aws:sns:eu-west-1:123456789012:releases"


class Mail:
    def __init__(self, fails=()):
        self.sent, self.fails = [], fails

    def send(self, letter):
        if letter.recipient in self.fails:
            raise errors.NetworkError("no route")
        self.sent.append(letter)
        return "id"


class Topics:
    def __init__(self):
        self.published = []

    def publish(self, *message):
        self.published.append(message)
        return "id"


def tell(folder, mail=None, topics=None, **inputs):
    services = Services(
        mail=lambda: mail or Mail(),
        topics=lambda: topics or Topics(),
        groups={"ops": ("a@example.com", "b@example.com")},
    )
    return action(services).call({"message": "Out\nnow", **inputs}, context(folder))["notified"]


def test_a_topic_an_address_and_a_group_are_told_each_once(tmp_path):
    mail, topics = Mail(), Topics()
    told = tell(tmp_path, mail, topics, to=[TOPIC, "b@example.com", "group:ops"], subject="R")
    assert told == [TOPIC, "b@example.com", "a@example.com"]
    assert topics.published == [(TOPIC, "R", "Out\nnow")]
    assert [(one.key, one.subject, one.body) for one in mail.sent] == [
        ("run-1/s/b@example.com", "R", "Out\nnow"),
        ("run-1/s/a@example.com", "R", "Out\nnow"),
    ]


def test_a_webhook_gets_the_text_and_its_path_is_shown_nowhere(tmp_path):
    with serving(lambda _call: Reply()) as (url, calls):
        assert tell(tmp_path, to=f"{url}/hunter2") == ["the webhook at 127.0.0.1"]
    assert calls[0].json() == {"text": "Out\nnow"}
    with serving(lambda _call: Reply(403, "go away")) as (url, _):
        with pytest.raises(errors.StepError, match="go away") as raised:
            tell(tmp_path, to=f"{url}/hunter2")
        assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("to", ["nobody", "group:dev", [], "ftp://x", "a@b.c,d@e.f"])
def test_nobody_is_told_unless_everybody_can_be_read(tmp_path, to):
    mail = Mail()
    everybody = ["a@example.com", *(to if isinstance(to, list) else [to])] if to else to
    with pytest.raises(errors.ValidationError):
        tell(tmp_path, mail, to=everybody)
    assert mail.sent == []


def test_the_first_that_cannot_be_told_may_be_tried_again(tmp_path):
    with pytest.raises(errors.NetworkError):
        tell(tmp_path, Mail({"a@example.com"}), to="group:ops")


def test_after_some_have_been_told_the_step_is_in_doubt_and_says_who(tmp_path):
    with pytest.raises(errors.StepInDoubt, match=r"b@example.com was not told.*a@example.com"):
        tell(tmp_path, Mail({"b@example.com"}), to="group:ops")


def test_a_webhook_that_does_not_answer_leaves_the_step_in_doubt(tmp_path):
    with (
        serving(lambda _call: Reply(drop=True)) as (url, _),
        pytest.raises(errors.StepInDoubt, match="the webhook at"),
    ):
        tell(tmp_path, to=url)
