"""Webhooks as they are posted: whether they are genuine, and what they say.

A signature is over the bytes that came, so it is checked before anything is read of them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qs

from functions.domain.triggers.github import SIGNATURE
from functions.domain.triggers.incoming import header_of
from protocol.manifest import TriggerType
from protocol.payloads import Json
from protocol.reading import read_json

OWN_SIGNATURE = "X-Stepsmith-Signature-256"
"""Of a webhook that is not GitHub's: `sha256=` and the HMAC in hexadecimal, as GitHub has it."""
_PREFIX = "sha256="
_BEARER = "bearer "
_FORM = "application/x-www-form-urlencoded"


def secrets_in(text: str) -> tuple[str, ...]:
    """Return the secrets that a stored value holds, one a line: two while they are exchanged."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def is_signed(secrets: Iterable[str], body: bytes, signature: str | None) -> bool:
    """Return whether a signature was made of these bytes with one of the secrets.

    https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    if signature is None or not signature.startswith(_PREFIX):
        return False
    given = signature.removeprefix(_PREFIX).strip().encode()
    found = False
    for secret in secrets:
        made = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode()
        found |= bool(secret) and hmac.compare_digest(made, given)
    return found


def is_genuine(
    kind: TriggerType, secrets: Iterable[str], body: bytes, headers: Mapping[str, str]
) -> bool:
    """Return whether a webhook comes from somebody who knows one of the trigger's secrets.

    GitHub signs; other senders sign the same way, or bear the secret as an Authorization.
    Without a secret nothing is genuine.
    """
    known = [secret for secret in secrets if secret]
    if kind == "git-push":
        return is_signed(known, body, header_of(headers, SIGNATURE))
    signature = header_of(headers, OWN_SIGNATURE) or header_of(headers, SIGNATURE)
    if signature is not None:
        return is_signed(known, body, signature)
    said = header_of(headers, "Authorization") or ""
    if not said.lower().startswith(_BEARER):
        return False
    token = said[len(_BEARER) :].strip().encode()
    return sum(hmac.compare_digest(secret.encode(), token) for secret in known) > 0


def posted(body: bytes, content_type: str | None) -> Json:
    """Return what was posted: JSON, or the JSON in a form's field `payload`, as GitHub has it.

    Raises ValueError, which says what is wrong, for anything else.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("the body is not UTF-8") from None
    if (content_type or "").partition(";")[0].strip().lower() == _FORM:
        fields = parse_qs(text, max_num_fields=100)
        if "payload" not in fields:
            raise ValueError("the form has no field `payload`; send application/json")
        text = fields["payload"][0]
    try:
        return read_json(text)
    except ValueError as error:
        raise ValueError(f"the body is no JSON: {error}") from None
