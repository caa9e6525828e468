"""Secrets of a local run: those that its machines read, in moto's Secrets Manager."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import boto3


def names_read(machines: object) -> frozenset[str]:
    """Return the names of the secrets that the calls in machines ask for.

    A call's `secrets` map places to a name, or to parts of a text of which some are secrets.
    """
    return frozenset(_names(machines))


def _names(node: object) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _names(item)
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key == "secrets" and isinstance(value, dict):
            for parts in value.values():
                yield from _named(parts)
        yield from _names(value)


def _named(parts: Any) -> Iterator[str]:
    if isinstance(parts, str):
        yield parts
    elif isinstance(parts, list):
        yield from (part[1] for part in parts if isinstance(part, list) and part[:1] == ["secret"])


def create(values: Mapping[str, str], stage: str, region: str) -> None:
    """Put secrets into Secrets Manager; an empty one cannot be there, on AWS as well."""
    given = {name: value for name, value in values.items() if value}
    if not given:
        return
    client = boto3.client("secretsmanager", region_name=region)
    for name, value in given.items():
        client.create_secret(Name=f"stepsmith/{stage}/{name}", SecretString=value)
