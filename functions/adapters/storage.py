"""Large outputs and step files in S3, under `runs/<run>/<step>/`."""

from __future__ import annotations

import json
import tarfile
import tempfile
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.domain.errors import ArtifactNotFound, ServiceUnavailable, ValidationError
from functions.domain.keys import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from mypy_boto3_s3 import S3Client

    from functions.adapters.fetching import Fetched, Fetcher
    from functions.domain.source import Wanted
    from functions.ports import Place
    from protocol.payloads import Json, Reference

_ABSENT = frozenset({"NoSuchKey", "404"})
_TAKEN = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})
_ARCHIVE = "files.tar.gz"
_SOURCE = "source.tar.gz"
_COMMIT, _FILES = "commit", "files"
"""Metadata of a source: of which commit it is, and that it is no clone."""
_TRIES = 3


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
    """`functions.ports.Sources` in a bucket: the first step that reads files fetches them.

    They are kept by a conditional write, so that every step of the run, its retries and what
    resumes it see the same ones; a branch is looked up once. Beside them stands their commit: a
    step with git finds the files of one without it, and clones the very same commit.
    """

    def __init__(
        self, client: Callable[[], S3Client], bucket: str, fetcher: Fetcher | None = None
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._fetcher = fetcher

    def lay(self, run: str, workspace: Path, wanted: Wanted | None) -> None:
        """Put a fresh copy of the run's source into a folder; nothing where it has none."""
        key = f"runs/{run if wanted is None else wanted.run}/{_SOURCE}"
        if self._lay_kept(key, workspace, wanted) or wanted is None:
            return
        fetched = self._fetching().fetch(wanted, workspace)
        # https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
        for _ in range(_TRIES):
            if self._keep(key, workspace, fetched):
                return
            if self._lay_kept(key, workspace, wanted):
                return
        raise ServiceUnavailable("the run's source could not be kept: others write it as well")

    def _fetching(self) -> Fetcher:
        from functions.adapters.fetching import Fetcher

        return self._fetcher or Fetcher()

    def _lay_kept(self, key: str, workspace: Path, wanted: Wanted | None) -> bool:
        """Lay what is kept; False where nothing is."""
        from functions.adapters.fetching import unpack
        from functions.adapters.repositories import empty

        try:
            kept = self._client().get_object(Bucket=self._bucket, Key=key)
        except ClientError as error:
            if error.response["Error"]["Code"] not in _ABSENT:
                raise
            return False
        commit = kept["Metadata"].get(_COMMIT)
        if wanted is not None and commit is not None and _FILES in kept["Metadata"]:
            fetcher = self._fetching()
            if fetcher.git is not None:
                kept["Body"].close()
                fetcher.fetch(wanted, workspace, commit)
                return True
        empty(workspace)
        with tempfile.TemporaryFile() as archive:
            for chunk in kept["Body"].iter_chunks(1_048_576):
                archive.write(chunk)
            archive.seek(0)
            unpack(archive, workspace)
        return True

    def _keep(self, key: str, workspace: Path, fetched: Fetched) -> bool:
        """Keep what was fetched; False where another step was first."""
        about = {_COMMIT: fetched.commit, **({} if fetched.is_clone else {_FILES: "only"})}
        with tempfile.TemporaryFile() as archive:
            with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=1) as tar:
                for path in sorted(workspace.iterdir()):
                    tar.add(path, arcname=path.name)
            archive.seek(0)
            try:
                self._client().put_object(
                    Bucket=self._bucket, Key=key, Body=archive, Metadata=about, IfNoneMatch="*"
                )
            except ClientError as error:
                if error.response["Error"]["Code"] not in _TAKEN:
                    raise
                return False
        return True


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
