"""What a machine asks about the items of a for_each with `fail_fast` that was stopped."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from protocol.payloads import Json, Run


class StoredItems(TypedDict):
    """A for_each with `fail_fast` was stopped, and asks what is stored of its items."""

    op: Literal["items"]
    run: Run
    items: NotRequired[list[int]]  # of the for_each items around it
    step: str


class ItemRecord(TypedDict):
    """What an item of a for_each came to, as later steps read it; its index apart."""

    status: str
    outputs: Json
    error: Json


class Items(TypedDict):
    """The answer to `StoredItems` and `Noted`: what is known of items, by their indices."""

    items: dict[str, ItemRecord]


class Noted(TypedDict):
    """A for_each with `fail_fast` was stopped, and asks what its items wrote down as they ended.

    They did so as producers, called by their indices, with a record `item` among `values`.
    """

    op: Literal["noted"]
    run: Run
    scope: str
    consumer: str
