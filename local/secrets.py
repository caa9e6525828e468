"""Secrets of a local run, in moto's Secrets Manager."""

from __future__ import annotations

from collections.abc import Mapping

import boto3


def create(values: Mapping[str, str], stage: str, region: str) -> None:
    """Put secrets into Secrets Manager; an empty one cannot be there, on AWS as well."""
    given = {name: value for name, value in values.items() if value}
    if not given:
        return
    client = boto3.client("secretsmanager", region_name=region)
    for name, value in given.items():
        client.create_secret(Name=f"stepsmith/{stage}/{name}", SecretString=value)
