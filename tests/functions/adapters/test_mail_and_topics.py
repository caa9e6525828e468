"""Mails by SES and messages by SNS, on moto; mails that are kept where there is no sender."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import boto3
import pytest

from functions.adapters.mail import RecordedMail, SesMail
from functions.adapters.topics import SnsTopics
from functions.domain.errors import MessageRejected
from functions.domain.services import Letter
from local.engine import REGION
from local.workflow import SETTINGS

LETTER = Letter("run-1/s", "a@example.com", "Grüße", "<p>é</p>", html=True)


class Clock:
    def now(self):
        return datetime(2026, 1, 1, 12, tzinfo=UTC)

    def sleep(self, _seconds):
        raise AssertionError


@pytest.fixture
def ses(engine):  # noqa: ARG001 (moto)
    return boto3.client("ses", region_name=REGION)


def test_a_mail_goes_out_by_ses(ses):
    ses.verify_email_identity(EmailAddress="us@example.com")
    assert SesMail(lambda: ses, "us@example.com").send(LETTER)
    assert ses.get_send_quota()["SentLast24Hours"] == 1


def test_a_sender_that_is_not_verified_is_a_rejection(ses):
    with pytest.raises(MessageRejected, match=r"a@example\.com was not taken") as raised:
        SesMail(lambda: ses, "stranger@example.com").send(LETTER)
    assert raised.value.status_code == 400


def test_without_a_sender_a_mail_is_kept_once_however_often_it_is_sent(dynamodb):
    mail = RecordedMail(dynamodb, SETTINGS.outbox_table, Clock())
    assert [mail.send(LETTER), mail.send(LETTER)] == ["run-1/s", "run-1/s"]
    (item,) = dynamodb.scan(TableName=SETTINGS.outbox_table)["Items"]
    assert (item["recipient"]["S"], item["subject"]["S"], item["text"]["S"]) == (
        "a@example.com",
        "Grüße",
        "<p>é</p>",
    )


def test_a_message_is_published_in_the_topic_s_own_region(engine):  # noqa: ARG001 (moto)
    regions = []

    def client(region):
        regions.append(region)
        return boto3.client("sns", region_name=region)

    sns = boto3.client("sns", region_name="eu-west-1")
    sqs = boto3.client("sqs", region_name="eu-west-1")
    topic = sns.create_topic(Name="releases")["TopicArn"]
    queue = sqs.create_queue(QueueName="q")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn["QueueArn"])
    SnsTopics(client).publish(topic, "Grüße\n", "out")
    (message,) = sqs.receive_message(QueueUrl=queue)["Messages"]
    body = json.loads(message["Body"])
    assert (regions, body["Message"], body["Subject"]) == (["eu-west-1"], "out", "Gr??e")


def test_a_message_that_sns_would_not_take_is_refused_before():
    with pytest.raises(MessageRejected):
        SnsTopics(lambda _region: pytest.fail("asked")).publish("a:b:c:d", None, "é" * 131_073)
