"""The manifests of a local stage: those that are laid now, and all that runs were started from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from functions.adapters.manifests import KeptManifests
from local.stage.names import BUCKET

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from protocol.manifest import WorkflowManifest


class LocalManifests:
    """`functions.ports.Manifests` whose deployed ones change when workflows are laid."""

    def __init__(self, s3: Callable[[], S3Client]) -> None:
        self._s3 = s3
        self._now = KeptManifests(dict, s3, BUCKET)

    def lay(self, deployed: Mapping[str, WorkflowManifest]) -> None:
        """Replace those deployed, by their references."""
        self._now = KeptManifests(lambda: deployed, self._s3, BUCKET)

    def current(self, reference: str) -> WorkflowManifest | None:
        """Return what is laid as `id` (its highest version) or `id@version`."""
        return self._now.current(reference)

    def all(self) -> Sequence[WorkflowManifest]:
        """Return all versions laid, by their ids; of one id the highest comes first."""
        return self._now.all()

    def by_digest(self, digest: str) -> WorkflowManifest | None:
        """Return a version that was ever kept; None for none."""
        return self._now.by_digest(digest)

    def keep(self, manifest: WorkflowManifest) -> None:
        """Keep a version under its digest."""
        self._now.keep(manifest)
