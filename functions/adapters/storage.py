"""Large outputs and step files in S3, under `runs/<run>/<step>/`."""

from __future__ import annotations

import json
import tarfile
import tempfile
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.domain.errors import ArtifactNotFound, ValidationError
from functions.domain.keys import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from mypy_boto3_s3 import S3Client

    from functions.ports import Place
    from protocol.payloads import Json, Reference

_ABSENT = frozenset({"NoSuchKey", "404"})
_ARCHIVE = "files.tar.gz"


class S3Blobs:
    """`functions.ports.Blobs` in a bucket."""

    def __init__(self, client: Callable[[], S3Client], bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, place: Place, name: str, value: Json) -> Reference:
        """Keep a value and return where it is."""
        key = f"runs/{place.run}/{place.path}/outputs/{name}.json"
        body = json.dumps(value, ensure_ascii=False).encode()
        self._client().put_object(Bucket=self._bucket, Key=key, Body=body)
        return {"bucket": self._bucket, "key": key, "bytes": len(body)}

    def get(self, reference: Reference) -> Json:
        """Return a kept value."""
        kept = self._client().get_object(Bucket=reference["bucket"], Key=reference["key"])
        value: Json = json.loads(kept["Body"].read())
        return value


class S3Files:
    """`functions.ports.Files` in a bucket: one archive per step, item and round."""

    def __init__(self, client: Callable[[], S3Client], bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def store(self, place: Place, workspace: Path, paths: Sequence[str]) -> None:
        """Keep files and folders of a workspace; raises ArtifactNotFound for one not there."""
        with tempfile.TemporaryFile() as archive:
            with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=1) as tar:
                for path in dict.fromkeys(paths):
                    tar.add(_inside(workspace, path), arcname=path)
            archive.seek(0)
            key = _archive(place.run, place.path)
            self._client().put_object(Bucket=self._bucket, Key=key, Body=archive)

    def lay(self, run: str, path: str, workspace: Path) -> None:
        """Put what a step left at the same places of a workspace; nothing if it left nothing.

        Of a step with items those of all items below the path, by their index, so that of two
        files at one place the last item's stays. Of a step with rounds the last one written.
        """
        prefix = f"runs/{run}/{path}/"
        pages = self._client().get_paginator("list_objects_v2")
        last: dict[tuple[int, ...], tuple[datetime, int, str]] = {}
        for page in pages.paginate(Bucket=self._bucket, Prefix=prefix):
            for kept in page.get("Contents", ()):
                below, _, name = kept["Key"][len(prefix) - 1 :].rpartition("/")
                if name != _ARCHIVE:
                    continue
                place = place_of(path + below)
                # A resumed run may end in an earlier round than the attempt before it.
                found = (kept["LastModified"], place.round, kept["Key"])
                last[place.items] = max(found, last.get(place.items, found))
        for items in sorted(last):
            _unpack(self._client(), self._bucket, last[items][2], workspace)


class S3Sources:
    """`functions.ports.Sources` in a bucket: whoever starts a run puts its source there."""

    def __init__(self, client: Callable[[], S3Client], bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def lay(self, run: str, workspace: Path) -> None:
        """Put a fresh copy of the run's source into a folder; nothing where it has none."""
        _unpack(self._client(), self._bucket, f"runs/{run}/source.tar.gz", workspace)


def _unpack(client: S3Client, bucket: str, key: str, folder: Path) -> None:
    with tempfile.TemporaryFile() as archive:
        try:
            kept = client.get_object(Bucket=bucket, Key=key)
        except ClientError as error:
            if error.response["Error"]["Code"] not in _ABSENT:
                raise
            return
        for chunk in kept["Body"].iter_chunks(1_048_576):
            archive.write(chunk)
        archive.seek(0)
        with tarfile.open(fileobj=archive) as tar:
            tar.extractall(folder, filter="data")


def _archive(run: str, path: str) -> str:
    return f"runs/{run}/{path}/{_ARCHIVE}"


def _inside(workspace: Path, path: str) -> Path:
    place = workspace / path
    if not place.resolve().is_relative_to(workspace.resolve()):
        raise ValidationError(f"'{path}' lies outside the workspace")
    if not place.exists():
        raise ArtifactNotFound(f"artifact not found at {path}")
    return place
