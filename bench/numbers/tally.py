"""Counts what is written to tables while something runs on moto."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import boto3
import botocore.client

_WRITES = ("PutItem", "UpdateItem", "DeleteItem")


@dataclass(slots=True)
class Tally:
    """Writes to tables by the table's name."""

    writes: Counter[str] = field(default_factory=Counter)

    def take(self, operation: str, asked: Mapping[str, Any]) -> None:
        """Count a call of DynamoDB; a write in a transaction is billed as two."""
        if operation in _WRITES:
            self.writes[asked["TableName"]] += 1
        if operation == "TransactWriteItems":
            for one in asked["TransactItems"]:
                for write in one.values():
                    self.writes[write["TableName"]] += 2


@contextmanager
def counted() -> Iterator[Tally]:
    """Count the writes of all calls that boto3 makes, and make the calls quicker."""
    tally = Tally()
    put: Any = setattr
    client: Any = botocore.client.BaseClient
    call, make = client._make_api_call, boto3.client  # noqa: SLF001 (all calls pass here)

    def watched(self: Any, operation: str, asked: Any) -> Any:
        tally.take(operation, asked)
        return call(self, operation, asked)

    put(client, "_make_api_call", watched)
    put(boto3, "client", _kept)
    try:
        yield tally
    finally:
        put(client, "_make_api_call", call)
        put(boto3, "client", make)


_boto3_client: Any = boto3.client


@cache
def _kept(service: str, **options: Any) -> Any:
    """Return a client that was made before: they are slow to make, and moto forgets for them."""
    return _boto3_client(service, **options)
