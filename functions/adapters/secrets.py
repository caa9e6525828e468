"""Secrets of a stage in Secrets Manager, under `stepsmith/STAGE/NAME`."""

from __future__ import annotations

import boto3
from botocore.exceptions import ClientError


class ManagedSecrets:
    """`functions.ports.Secrets`; a value is read once per function instance."""

    def __init__(self, stage: str, region: str | None = None) -> None:
        self._stage = stage
        self._region = region
        self._values: dict[str, str] = {}

    def get(self, name: str) -> str:
        """Return the secret's value; raises KeyError where there is none."""
        if name not in self._values:
            client = boto3.client("secretsmanager", region_name=self._region)
            try:
                found = client.get_secret_value(SecretId=f"stepsmith/{self._stage}/{name}")
            except ClientError as error:
                if error.response["Error"]["Code"] != "ResourceNotFoundException":
                    raise
                raise KeyError(name) from None
            self._values[name] = found["SecretString"]
        return self._values[name]
