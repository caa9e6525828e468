"""Mails by SES, or recorded in a table where a stage has no sender."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.domain.errors import MessageRejected
from functions.domain.task_answers import stamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_ses import SESClient
    from mypy_boto3_ses.type_defs import BodyTypeDef, ContentTypeDef

    from functions.domain.services import Letter
    from functions.ports import Clock

_NOT_TAKEN = frozenset(
    {
        "MessageRejected",
        "MailFromDomainNotVerifiedException",
        "ConfigurationSetDoesNotExist",
        "AccountSendingPausedException",
        "ConfigurationSetSendingPausedException",
        "InvalidParameterValue",
    }
)
"""https://docs.aws.amazon.com/ses/latest/APIReference/API_SendEmail.html#API_SendEmail_Errors"""
_KEPT_SECONDS = 90 * 24 * 3600


class SesMail:
    """`functions.domain.services.Mail` by SES, which takes no idempotency key: callers count."""

    def __init__(self, client: Callable[[], SESClient], sender: str) -> None:
        self._client = client
        self._sender = sender

    def send(self, letter: Letter) -> str:
        """Send a mail and return its id; raises MessageRejected where SES does not take it."""
        part: ContentTypeDef = {"Data": letter.body, "Charset": "UTF-8"}
        body: BodyTypeDef = {"Html": part} if letter.html else {"Text": part}
        try:
            sent = self._client().send_email(
                Source=self._sender,
                Destination={"ToAddresses": [letter.recipient]},
                Message={"Subject": {"Data": letter.subject, "Charset": "UTF-8"}, "Body": body},
            )
        except ClientError as error:
            details = error.response["Error"]
            if details["Code"] not in _NOT_TAKEN:
                raise
            raise MessageRejected(
                f"the mail to {letter.recipient} was not taken: {details['Message']}",
                status_code=error.response["ResponseMetadata"]["HTTPStatusCode"],
            ) from error
        return sent["MessageId"]


class RecordedMail:
    """`functions.domain.services.Mail` that sends nothing: mails are kept, to be shown.

    They lie in the outbox beside the tasks' mails, under the key of the call that sent them;
    keeping the same mail again changes nothing.
    """

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock) -> None:
        self._client = client
        self._table = table
        self._clock = clock

    def send(self, letter: Letter) -> str:
        """Keep a mail and return its key as its id."""
        now = self._clock.now()
        try:
            self._client.put_item(
                TableName=self._table,
                Item={
                    "task": {"S": letter.key},
                    "sent": {"S": letter.recipient},
                    "at": {"S": stamp(now)},
                    "recipient": {"S": letter.recipient},
                    "subject": {"S": letter.subject},
                    "text": {"S": letter.body},
                    "html": {"BOOL": letter.html},
                    "ends": {"N": str(int(now.timestamp()) + _KEPT_SECONDS)},
                },
                ConditionExpression="attribute_not_exists(task)",
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
        return letter.key
