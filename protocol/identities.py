"""Who is one person: what tells people apart, however their addresses and accounts are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping


def plain(name: str) -> str:
    """Return a mail address or an account as it is compared: case and width do not matter."""
    # Small letters and no `casefold`: to that `ß` is `ss`, and the two are different domains
    # (https://www.rfc-editor.org/rfc/rfc5894#section-7.2), which may be different people's.
    return unicodedata.normalize("NFKC", name).strip().lower()


def plain_identities(identities: Mapping[str, str]) -> dict[str, str]:
    """Return the `identities` of a project, by account, as `identity` looks them up."""
    return {plain(account): plain(mail) for account, mail in identities.items()}


def identity(name: str, known: Mapping[str, str]) -> str:
    """Return what tells people apart: the same for all spellings and accounts of one.

    Case and a mailbox's `+tag` do not matter. `known` are `plain_identities`; an account that
    they do not have stays itself.
    """
    own = plain(name)
    return _mailbox(known.get(own, own))


def _mailbox(address: str) -> str:
    name, at, host = address.rpartition("@")
    return f"{name.partition('+')[0] or name}{at}{host}" if at else address
