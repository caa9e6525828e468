"""Who is who: assignees as they are written, groups, and the identities of one person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from functions.domain.errors import ValidationError
from protocol.addresses import is_address
from protocol.identities import identity, plain, plain_identities
from protocol.payloads import Json

OPERATORS = "operators"
_GROUP = "group:"
_MOST = 200
"""People asked by one task; more is hardly meant, and a task is one item of a table."""


@dataclass(frozen=True, slots=True)
class Directory:
    """The people of a stage.

    `groups` are members by the group's name, `approvers` who decides where nobody else is
    named, `identities` the mail addresses of accounts (`github:alice`) and of other addresses.
    """

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    approvers: tuple[str, ...] = ()
    _known: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", plain_identities(self.identities))

    def identity(self, name: str) -> str:
        """Return what tells people apart: the same for all spellings and accounts of one."""
        return identity(name, self._known)

    def called(self, account: str) -> str:
        """Return the mail address of an account that `identities` know, else the account."""
        own = plain(account)
        return next(
            (mail for known, mail in self.identities.items() if plain(known) == own), account
        )

    def is_operator(self, name: str) -> bool:
        """Return whether a person is in the group `operators`, who look after the stage."""
        own = self.identity(name)
        return any(self.identity(one) == own for one in self.groups.get(OPERATORS, ()))

    def resolve(self, written: Json) -> tuple[str, ...]:
        """Return the people that assignees mean, each once, in the order written.

        Takes a text, or a list of texts and of such lists; `group:NAME` stands for its members.
        Raises ValidationError for anything else, and where nobody is meant.
        """
        people: dict[str, str] = {}
        for text in _texts(written):
            for one in self._members(text):
                people.setdefault(self.identity(one), one)
        if not people:
            raise ValidationError("nobody is asked to decide: the list of assignees is empty")
        if len(people) > _MOST:
            raise ValidationError(f"{len(people)} people are asked to decide, at most {_MOST} can")
        return tuple(people.values())

    def _members(self, text: str) -> tuple[str, ...]:
        if not text.startswith(_GROUP):
            return (_address(text),)
        name = text.removeprefix(_GROUP).strip()
        if name not in self.groups:
            raise ValidationError(f"there is no group '{name}'")
        return tuple(_address(member) for member in self.groups[name])


def _texts(written: Json) -> list[str]:
    """Return the texts in a value of assignees, lists in it flattened."""
    if isinstance(written, str):
        return [written.strip()]
    if not isinstance(written, list):
        raise ValidationError("the assignees must be a mail address or a list of them")
    texts: list[str] = []
    for item in written:
        parts = item if isinstance(item, list) else [item]
        for part in parts:
            if not isinstance(part, str) or not part.strip():
                raise ValidationError("each assignee must be a mail address or `group:NAME`")
            texts.append(part.strip())
    return texts


def _address(text: str) -> str:
    address = text.strip()
    if not is_address(address):
        raise ValidationError(f"'{address[:80]}' is no mail address")
    return address
