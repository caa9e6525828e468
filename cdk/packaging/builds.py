"""What a build of CodeBuild gets: the wrapper of a step, for whatever image it runs in.

An image of the author's own has a Python of its own, and no boto3: both kinds of libraries lie in
the archive, what is compiled once for each Python that it may have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from cdk.packaging.archive import Contents
from cdk.packaging.functions import OUR_ROOT, Code, module_of, without_services
from cdk.packaging.libraries import NEEDS, Libraries, Wanted
from protocol.names import ACTION_FILES

PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14))
"""The versions that an image may have; Amazon's own have the one before the last."""

_AWS = ("boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3")
_NEEDED = frozenset({*_AWS, *NEEDS["pydantic"], *NEEDS["aws_lambda_powertools"]})
_SERVICES = ("dynamodb", "s3", "secretsmanager", "sso", "sso-oidc", "sts")
"""What the wrapper calls, and what credentials are found with."""
_RUN = "run"
_HANDLER = "functions.handlers.build.main"
_MAIN = """\
import sys

from functions.handlers.build import main

sys.exit(main())
"""
"""What Python runs of the archive: so it is not on the way of programs that the step starts."""
_SCRIPT = """\
# Carries out the step in $STEPSMITH_CALL with the first Python that can.
here=$(cd "$(dirname "$0")" && pwd)
for python in python3.13 python3.12 python3.11 python3.14 python3 \
    /root/.pyenv/versions/3.1[1-4].*/bin/python; do
    if "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' \
        >/dev/null 2>&1; then
        exec "$python" "$here"
    fi
done
echo "this image has no Python from 3.11 to 3.14, which carries out the step" >&2
exit 1
"""


def for_builds(lock: Path, architecture: str) -> Wanted:
    """Return the libraries that the archive is made with."""
    return Wanted(lock, architecture, _NEEDED, PYTHONS)


def build_files(
    libraries: Libraries,
    actions: Iterable[str] = (),
    own: Mapping[str, str] | None = None,
    sources: Iterable[Path] = (),
    given: Mapping[str, bytes] | None = None,
) -> Contents:
    """Return what the archive is made of.

    `actions` are the built-in ones that it carries out beside scripts, `own` those of the
    project with their files in `given`; these are packed of `sources`.
    """
    modules = code_of_builds(actions, sources).traced().modules.values()
    files = {path.relative_to(OUR_ROOT).as_posix(): path for path in modules}
    found = {name: path for name, path in libraries.of(_NEEDED).items() if _is_used(name)}
    more = {"build.sh": _SCRIPT.encode(), "__main__.py": _MAIN.encode()}
    if own:
        more[ACTION_FILES] = json.dumps(own, sort_keys=True).encode()
    return Contents(files, found, libraries.key, {**(given or {}), **more})


def code_of_builds(actions: Iterable[str] = (), sources: Iterable[Path] = ()) -> Code:
    """Return the code of what builds get."""
    loads = tuple(module_of(name) for name in (_RUN, *actions))
    return Code(_HANDLER, loads, without_services((_RUN, *actions)), tuple(sources))


def _is_used(name: str) -> bool:
    """Whether a file is no description of a service that is not called."""
    parts = name.split("/")
    if parts[:2] == ["boto3", "data"]:
        return False
    if parts[:2] == ["botocore", "data"] and len(parts) > 3:
        return parts[2] in _SERVICES
    return not name.startswith("aws_lambda_powertools/utilities/data_classes/")
