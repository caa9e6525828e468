"""Manifests: those deployed lie beside the code, all that runs were started from in S3."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mypy_boto3_s3 import S3Client

    from protocol.manifest import WorkflowManifest

_ABSENT = frozenset({"NoSuchKey", "404"})


def deployed_in(folder: str) -> dict[str, WorkflowManifest]:
    """Return the manifests in a folder by their references: `id.json` and `id@version.json`."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(Path(folder).glob("*.json"))
    }


class KeptManifests:
    """`functions.ports.Manifests`: those deployed by their references, and a bucket.

    Of an id without version in `deployed` the highest version stands there as well.
    """

    def __init__(
        self,
        deployed: Callable[[], Mapping[str, WorkflowManifest]],
        client: Callable[[], S3Client],
        bucket: str,
    ) -> None:
        self._deployed = cache(deployed)
        self._client = client
        self._bucket = bucket
        self._read: dict[str, WorkflowManifest] = {}
        self._written: set[str] = set()

    def current(self, reference: str) -> WorkflowManifest | None:
        """Return what is deployed as `id` (its highest version) or `id@version`."""
        return self._deployed().get(reference)

    def all(self) -> Sequence[WorkflowManifest]:
        """Return all versions deployed, by their ids; of one id the highest comes first."""
        found: dict[str, WorkflowManifest] = {}
        for _, manifest in sorted(self._deployed().items(), key=_by_id):
            found.setdefault(manifest["digest"], manifest)
        return list(found.values())

    def by_digest(self, digest: str) -> WorkflowManifest | None:
        """Return a version that was ever kept; None for none."""
        for manifest in self._deployed().values():
            if manifest["digest"] == digest:
                return manifest
        if digest not in self._read:
            try:
                kept = self._client().get_object(Bucket=self._bucket, Key=_key(digest))
            except ClientError as error:
                if error.response["Error"]["Code"] not in _ABSENT:
                    raise
                return None
            self._read[digest] = json.loads(kept["Body"].read())
        return self._read[digest]

    def keep(self, manifest: WorkflowManifest) -> None:
        """Keep a version under its digest; once is enough, and each process does it once."""
        digest = manifest["digest"]
        if digest not in self._written:
            body = json.dumps(manifest, ensure_ascii=False).encode()
            self._client().put_object(Bucket=self._bucket, Key=_key(digest), Body=body)
            self._written.add(digest)


def _by_id(entry: tuple[str, WorkflowManifest]) -> tuple[str, bool, str]:
    reference, manifest = entry
    return manifest["id"], "@" in reference, reference


def _key(digest: str) -> str:
    return f"manifests/{digest}.json"
