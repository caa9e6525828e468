"""The `notify` action: a message to SNS topics, mail addresses and the webhooks of chats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from functions.actions import web
from functions.domain.action import Action
from functions.domain.context import Context
from functions.domain.errors import MessageRejected, StepError, StepInDoubt, ValidationError
from functions.domain.services import Letter, Services

_TOPIC = re.compile(r"arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?")
_ADDRESS = re.compile(r"[^\s@<>,;:\"\\]+@[^\s@<>,;:\"\\]+")
_GROUP = "group:"
_WEBHOOK_SECONDS = 20.0


class Inputs(BaseModel):
    """A message and whom it is for."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    to: str | list[str] = Field(description="Mail addresses, topic ARNs, webhook URLs, group:NAME")
    message: str = Field(min_length=1)
    subject: str | None = None


class Outputs(BaseModel):
    """Who was told; of a webhook only its host, for its path is a secret."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    notified: list[str]


@dataclass(frozen=True, slots=True)
class _Channel:
    shown: str
    tell: Callable[[], object]


def run(inputs: Inputs, context: Context, *, services: Services) -> Outputs:
    """Tell everybody and return who was told.

    All of `to` is read before anybody is told. Where one cannot be told after others have been,
    the step is in doubt and says who: another attempt would tell the others twice.
    """
    channels = [_channel(to, inputs, context, services) for to in _everybody(inputs.to, services)]
    told: list[str] = []
    for channel in channels:
        try:
            channel.tell()
        except Exception as error:
            if not told or isinstance(error, StepInDoubt):
                raise
            names = ", ".join(told)
            raise StepInDoubt(
                f"{channel.shown} was not told ({type(error).__name__}: {error}); told: {names}",
                status_code=error.status_code if isinstance(error, StepError) else None,
            ) from error
        told.append(channel.shown)
    return Outputs(notified=told)


def _everybody(to: str | list[str], services: Services) -> list[str]:
    found: dict[str, None] = {}
    for one in [to] if isinstance(to, str) else to:
        name = one.strip()
        if not name.startswith(_GROUP):
            found[name] = None
            continue
        members = services.groups.get(name.removeprefix(_GROUP))
        if members is None:
            raise ValidationError(f"this stage has no group '{name.removeprefix(_GROUP)}'")
        found.update(dict.fromkeys(members))
    if not found:
        raise ValidationError("there is nobody to tell: `to` is empty")
    return list(found)


def _channel(to: str, inputs: Inputs, context: Context, services: Services) -> _Channel:
    subject = " ".join((inputs.subject or "").split()) or None
    if _TOPIC.fullmatch(to):
        return _Channel(to, lambda: services.topics().publish(to, subject, inputs.message))
    if to.startswith(("https://", "http://")):
        host = urlsplit(to).hostname or ""
        return _Channel(f"the webhook at {host}", lambda: _post(to, host, subject, inputs.message))
    if len(to) <= 320 and _ADDRESS.fullmatch(to):
        title = subject or inputs.message.strip().splitlines()[0][:100]
        letter = Letter(f"{context.key}/{to}", to, title, inputs.message)
        return _Channel(to, lambda: services.mail().send(letter))
    raise ValidationError(
        f"'{context.masks.text(to)[:200]}' is no mail address, topic ARN, webhook URL or group:NAME"
    )


def _post(url: str, host: str, subject: str | None, message: str) -> None:
    """Post to a chat: Slack, Teams, Mattermost and Google Chat read `text`, Discord `content`."""
    text = f"*{subject}*\n{message}" if subject else message
    field = "content" if host in ("discord.com", "discordapp.com") else "text"
    request = web.Request(
        method="POST",
        url=url,
        headers={"Content-Type": "application/json", "User-Agent": "stepsmith"},
        body=json.dumps({field: text}).encode(),
        seconds=_WEBHOOK_SECONDS,
        secret=True,
    )
    answer = web.send(request)
    if not 200 <= answer.status <= 299:
        raise web.refused(request, answer)


def action(services: Services) -> Action[Inputs, Outputs]:
    """Return the action on what sends mails and publishes."""
    return Action(
        name="notify",
        description="Tells somebody: an SNS topic, a mail address, or the webhook of a chat.",
        inputs=Inputs,
        outputs=Outputs,
        run=partial(run, services=services),
        error_types=(MessageRejected, web.HttpError),
    )
