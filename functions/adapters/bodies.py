"""Events too large to travel, in S3 under `events/`."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_s3 import S3Client

    from protocol.payloads import Json, Reference


class S3Bodies:
    """`functions.event_ports.Bodies` in a bucket; bodies are compressed."""

    def __init__(self, client: Callable[[], S3Client], bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, name: str, body: Json) -> Reference:
        """Keep a body under a name and return where it is; `bytes` are those of its JSON."""
        text = json.dumps(body, separators=(",", ":")).encode()
        key = f"events/{name}.json.z"
        self._client().put_object(Bucket=self._bucket, Key=key, Body=zlib.compress(text))
        return {"bucket": self._bucket, "key": key, "bytes": len(text)}

    def get(self, reference: Reference) -> Json:
        """Return a kept body."""
        kept = self._client().get_object(Bucket=reference["bucket"], Key=reference["key"])
        body: Json = json.loads(zlib.decompress(kept["Body"].read()))
        return body
