"""The `send-transactional-email` action: one mail to one person, from a template."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from functions.domain.action import Action
from functions.domain.context import Context
from functions.domain.errors import ArtifactNotFound, MessageRejected, ValidationError
from functions.domain.services import Letter, Services
from functions.domain.templates import rendered, titled

FOLDER = "templates"
_ADDRESS = re.compile(r"[^\s@<>,;:\"\\]+@[^\s@<>,;:\"\\]+")
_PAGES = frozenset({".html", ".htm"})


class Inputs(BaseModel):
    """A mail."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    template: str = Field(description="The file of the template, in the folder `templates`")
    recipient: str = Field(description="A mail address")
    subject: str | None = Field(None, description="Default: what the template says")
    data: dict[str, JsonValue] = Field(
        default_factory=dict, description="What the template's placeholders stand for"
    )


class Outputs(BaseModel):
    """The mail as the service took it."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    message_id: str


def is_address(text: str) -> bool:
    """Return whether a text is one mail address and nothing else."""
    return len(text) <= 320 and _ADDRESS.fullmatch(text) is not None


def run(inputs: Inputs, context: Context, *, services: Services) -> Outputs:
    """Send the mail and return the id the service gave it.

    Raises ArtifactNotFound for a template that is not there, ValidationError for an address or
    data that do not do, MessageRejected where the service does not take the mail.
    """
    recipient = inputs.recipient.strip()
    if not is_address(recipient):
        raise ValidationError(f"'{inputs.recipient[:200]}' is no mail address")
    file = _template(inputs.template, context, services.templates)
    is_html = file.suffix.lower() in _PAGES
    text = rendered(file.read_text(encoding="utf-8"), dict(inputs.data), is_html=is_html)
    title, body = titled(text, is_html=is_html)
    subject = " ".join((inputs.subject or title or "").split())
    if not subject:
        raise ValidationError(
            f"the template '{inputs.template}' names no subject; give one as `subject`"
        )
    letter = Letter(context.key, recipient, subject, body, is_html)
    return Outputs(message_id=services.mail().send(letter))


def _template(name: str, context: Context, packaged: Path | None) -> Path:
    """Return a template's file: the source's own, else the one deployed with the function."""
    folders = [context.workspace / FOLDER, context.workspace, *([packaged] if packaged else [])]
    for folder in folders:
        file = folder / name
        inside = file.resolve().is_relative_to(folder.resolve())
        if not inside:
            raise ValidationError(f"the template '{name}' lies outside the folder '{FOLDER}'")
        if file.is_file():
            return file
    raise ArtifactNotFound(f"artifact not found at {FOLDER}/{name}: there is no such template")


def action(services: Services) -> Action[Inputs, Outputs]:
    """Return the action on what sends mails."""
    return Action(
        name="send-transactional-email",
        description="Sends one mail from a template of the project.",
        inputs=Inputs,
        outputs=Outputs,
        run=partial(run, services=services),
        reads_files=True,
        error_types=(MessageRejected, ArtifactNotFound),
    )
