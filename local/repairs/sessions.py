"""What botocore has read of a service is read once per process.

moto has each of its starts begin with no session, and a new one reads the description of each
service it is asked for anew: of DynamoDB and S3 that takes as long as a short run.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import boto3
import botocore.loaders
import botocore.session

if TYPE_CHECKING:
    from botocore.loaders import Loader


def begin() -> None:
    """Begin a session, once moto has started."""
    session = botocore.session.get_session()
    session.register_component("data_loader", _loader())
    boto3.setup_default_session(botocore_session=session)


@cache
def _loader() -> Loader:
    return _Loader()


class _Loader(botocore.loaders.Loader):
    """A loader that takes a path to search once, though every session brings boto3's own."""

    @property
    def search_paths(self) -> list[str]:
        """Return the paths to search."""
        paths = super().search_paths
        paths[:] = dict.fromkeys(paths)
        return paths
