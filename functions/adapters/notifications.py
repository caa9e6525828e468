"""Messages to people: by mail, to a chat, or into a table where there is no sender."""

from __future__ import annotations

import html
import json
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import urllib3
from botocore.exceptions import BotoCoreError, ClientError

from functions.domain.task_answers import stamp
from functions.domain.task_messages import Message
from functions.ports import NotSent

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_ses import SESClient

    from functions.ports import Clock, Sends

_LOG = logging.getLogger(__name__)
_CHAT_SECONDS = 5.0
_KEPT_SECONDS = 90 * 24 * 3600
_LINK = "The link is not kept here; `stepsmith tasks link {task} --for {person}` makes a new one."


class SesMail:
    """Mails by SES."""

    def __init__(self, client: SESClient, sender: str) -> None:
        self._client = client
        self._sender = sender

    def send(self, message: Message) -> None:
        """Send a mail; raises NotSent."""
        assert message.recipient is not None
        try:
            self._client.send_email(
                Source=self._sender,
                Destination={"ToAddresses": [message.recipient]},
                Message={
                    "Subject": {"Data": message.subject, "Charset": "UTF-8"},
                    "Body": {
                        "Text": {"Data": message.body(), "Charset": "UTF-8"},
                        "Html": {"Data": _as_html(message), "Charset": "UTF-8"},
                    },
                },
            )
        except ClientError as error:
            raise NotSent(f"SES: {error.response['Error']['Code']}") from None
        except BotoCoreError as error:
            raise NotSent(f"SES: {type(error).__name__}") from None


class ChatWebhook:
    """Messages to a chat, by its incoming webhook (`{"text": ...}`).

    A chat is read by many: nobody's own link is put there.
    """

    def __init__(self, address: Callable[[], str]) -> None:
        self._address = address

    def send(self, message: Message) -> None:
        """Post a message; raises NotSent."""
        # Unescaped, a title out of an event could call the whole channel (`<!channel>`), or hide
        # an address behind other words: https://docs.slack.dev/messaging/formatting-message-text
        text = html.escape(f"{message.subject}\n{message.text}\n{message.page}", quote=False)
        try:
            address = self._address()
            if not address.startswith(("https://", "http://")):
                raise NotSent("chat: the address of its webhook is none")
            answer = urllib3.PoolManager().request(
                "POST",
                address,
                body=json.dumps({"text": text}).encode(),
                headers={"Content-Type": "application/json"},
                timeout=_CHAT_SECONDS,
                retries=False,  # redirects neither
            )
        # Without the text of the error, in which the address may stand.
        except (urllib3.exceptions.HTTPError, KeyError) as error:
            raise NotSent(f"chat: {type(error).__name__}") from None
        if not 200 <= answer.status <= 299:
            raise NotSent(f"chat: it answered {answer.status}")


class Outbox:
    """Mails that are not sent but kept, without their links; for stages without a sender."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock) -> None:
        self._client = client
        self._table = table
        self._clock = clock

    def send(self, message: Message) -> None:
        """Keep a mail."""
        now = self._clock.now()
        text = message.text
        if message.link is not None:
            text += "\n\n" + _LINK.format(task=message.task_id, person=message.recipient)
        self._client.put_item(
            TableName=self._table,
            Item={
                "task": {"S": message.task_id},
                "sent": {"S": f"{now.isoformat()}#{message.recipient}"},
                "at": {"S": stamp(now)},
                "recipient": {"S": message.recipient or ""},
                "subject": {"S": message.subject},
                "text": {"S": text},
                "ends": {"N": str(int(now.timestamp()) + _KEPT_SECONDS)},
            },
        )

    def of_task(self, task_id: str) -> list[dict[str, str]]:
        """Return the mails about a task, the oldest first: at, recipient, subject, text."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="task = :task",
            ExpressionAttributeValues={":task": {"S": task_id}},
        )
        names = ("at", "recipient", "subject", "text")
        return [
            {name: item[name]["S"] for name in names} for page in pages for item in page["Items"]
        ]


class Channels:
    """Mails by one way, what is for the chat by another; without a chat nothing is."""

    def __init__(self, mail: Sends, chat: Sends | None) -> None:
        self._mail = mail
        self._chat = chat

    @property
    def has_chat(self) -> bool:
        """Return whether the stage has a chat."""
        return self._chat is not None

    def send(self, message: Message) -> None:
        """Send a message; raises NotSent."""
        way = self._chat if message.recipient is None else self._mail
        try:
            if way is not None:
                way.send(message)
        except NotSent:
            # An alarm counts these lines; to whom and why is kept with the task.
            _LOG.error("somebody could not be told of %s", message.task_id)
            raise


def _as_html(message: Message) -> str:
    parts = [html.escape(part).replace("\n", "<br>\n") for part in message.text.split("\n\n")]
    target = html.escape(message.link or message.page, quote=True)
    call = "Look at it and decide" if message.asks else "Look at it"
    parts.append(f'<a href="{target}">{call}</a>')
    return "\n".join(f"<p>{part}</p>" for part in parts)
