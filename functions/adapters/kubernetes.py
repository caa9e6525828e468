"""The API of Kubernetes clusters: those of EKS, one at an address, or a kubeconfig's.

Three calls are all that deploying needs, so they are made directly: the official client brings
aiohttp, and an import of most of a second.
https://kubernetes.io/docs/reference/using-api/server-side-apply/
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from functions.domain.causes import category_of, of_status
from functions.domain.errors import CATEGORIES, ManifestError, NetworkError, ValidationError
from functions.domain.manifests import Object, member, text_at

if TYPE_CHECKING:
    import urllib3
    from mypy_boto3_eks import EKSClient

    from functions.domain.services import Resource, Target

_MANAGER = "stepsmith"
_CONNECT_SECONDS, _READ_SECONDS = 10.0, 30.0
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/strategic-merge-patch+json"
_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Access:
    """How a cluster's API is reached; certificates are PEM."""

    api: str
    token: str | None = None
    authority: str | None = None
    certificate: str | None = None
    key: str | None = None


class HttpCluster:
    """`functions.domain.services.Cluster` over HTTP."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._made: urllib3.PoolManager | None = None

    def read(self, resource: Resource) -> Object | None:
        """Return an object as it is now; None where there is none."""
        status, body = self._call("GET", _path(resource))
        return None if status == 404 else _object("GET", resource, status, body)

    def apply(self, resource: Resource, desired: Object) -> Object:
        """Make an object what is desired and return it."""
        query = f"?fieldManager={_MANAGER}&force=true"
        status, body = self._call("PATCH", _path(resource) + query, desired, _APPLY)
        return _object("PATCH", resource, status, body)

    def patch(self, resource: Resource, change: Object) -> Object:
        """Change a part of an object and return it."""
        query = f"?fieldManager={_MANAGER}"
        status, body = self._call("PATCH", _path(resource) + query, change, _MERGE)
        return _object("PATCH", resource, status, body)

    def _call(
        self, method: str, path: str, body: Object | None = None, kind: str = ""
    ) -> tuple[int, bytes]:
        import urllib3

        headers = {"Accept": "application/json", "User-Agent": _MANAGER}
        if kind:
            headers["Content-Type"] = kind
        if self._access.token:
            headers["Authorization"] = f"Bearer {self._access.token}"
        try:
            answer = self._pool().request(
                method,
                self._access.api.rstrip("/") + path,
                headers=headers,
                # JSON is YAML, too.
                body=None if body is None else json.dumps(body).encode(),
                timeout=urllib3.Timeout(connect=_CONNECT_SECONDS, read=_READ_SECONDS),
                retries=False,
                redirect=False,
            )
        except urllib3.exceptions.HTTPError as error:
            category = category_of(error)
            kind_of = NetworkError if category is None else CATEGORIES[category.name]
            raise kind_of(f"the cluster at {self._access.api}: {error}") from error
        return answer.status, answer.data

    def _pool(self) -> urllib3.PoolManager:
        if self._made is None:
            self._made = _pool(self._access)
        return self._made


class KubernetesClusters:
    """`functions.domain.services.Clusters`.

    `eks` makes a client for a region, `token` a token for a cluster in one.
    """

    def __init__(
        self,
        eks: Callable[[str | None], EKSClient],
        token: Callable[[str, str | None], str],
    ) -> None:
        self._eks = eks
        self._token = token

    def connect(self, target: Target) -> HttpCluster:
        """Return the API of a cluster; raises ValidationError where it cannot be told which.

        An address that is given wins, then a cluster's name, then a kubeconfig.
        """
        if target.api is not None:
            return HttpCluster(Access(target.api, target.token))
        if target.cluster is not None:
            return HttpCluster(self._of_eks(target.cluster, target.region))
        if target.kubeconfig is not None:
            return HttpCluster(of_kubeconfig(Path(target.kubeconfig)))
        raise ValidationError(
            "which cluster is meant? Give `cluster`, annotate the Deployment with "
            "'stepsmith/cluster', or set CLUSTER, KUBERNETES_API or KUBECONFIG in `env`"
        )

    def _of_eks(self, name: str, region: str | None) -> Access:
        client = self._eks(region)
        try:
            found = client.describe_cluster(name=name)["cluster"]
        except client.exceptions.ResourceNotFoundException:
            place = f" in {region}" if region else ""
            raise ValidationError(f"there is no cluster '{name}'{place}") from None
        authority = base64.b64decode(found["certificateAuthority"]["data"]).decode()
        return Access(found["endpoint"], self._token(name, region), authority)


def of_kubeconfig(file: Path) -> Access:
    """Return how the current context of a kubeconfig is reached.

    Raises ValidationError where it says so by a program: those are not run here.
    """
    import yaml

    try:
        config = yaml.safe_load(file.expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ValidationError(f"the kubeconfig '{file}' cannot be read: {error}") from None
    if not isinstance(config, dict):
        raise ValidationError(f"'{file}' is no kubeconfig")
    context = _named(config, "contexts", text_at(config, "current-context"), "context")
    cluster = _named(config, "clusters", text_at(context, "cluster"), "cluster")
    user = _named(config, "users", text_at(context, "user"), "user")
    if "exec" in user or "auth-provider" in user:
        raise ValidationError(
            f"the kubeconfig '{file}' asks a program for a token; give `cluster` for one of EKS, "
            "or KUBERNETES_API and KUBERNETES_TOKEN in `env`"
        )
    return Access(
        api=text_at(cluster, "server") or "",
        token=text_at(user, "token"),
        authority=_pem(cluster, "certificate-authority", file),
        certificate=_pem(user, "client-certificate", file),
        key=_pem(user, "client-key", file),
    )


def _named(config: Mapping[str, object], group: str, name: str | None, inner: str) -> Object:
    entries = config.get(group)
    for entry in entries if isinstance(entries, list) else []:
        if text_at(entry, "name") == name:
            return cast("Object", member(entry, inner) or {})
    raise ValidationError(f"the kubeconfig has no {inner} '{name}'")


def _pem(entry: Object, name: str, file: Path) -> str | None:
    data = text_at(entry, f"{name}-data")
    if data is not None:
        return base64.b64decode(data).decode()
    path = text_at(entry, name)
    return None if path is None else (file.parent / path).read_text(encoding="utf-8")


def _pool(access: Access) -> urllib3.PoolManager:
    import ssl

    import urllib3

    if not access.api.startswith("https://"):
        return urllib3.PoolManager()
    context = ssl.create_default_context(cadata=access.authority)
    if access.certificate and access.key:
        with tempfile.TemporaryDirectory(prefix="stepsmith-") as folder:
            pair = Path(folder, "certificate.pem"), Path(folder, "key.pem")
            for path, text in zip(pair, (access.certificate, access.key), strict=True):
                path.touch(mode=0o600)
                path.write_text(text, encoding="utf-8")
            context.load_cert_chain(*pair)
    return urllib3.PoolManager(ssl_context=context)


def _path(resource: Resource) -> str:
    from urllib.parse import quote

    root = "/api/" if "/" not in resource.version else "/apis/"
    space = f"/namespaces/{quote(resource.namespace, safe='')}" if resource.namespace else ""
    return f"{root}{resource.version}{space}/{resource.plural}/{quote(resource.name, safe='')}"


def _object(method: str, resource: Resource, status: int, body: bytes) -> Object:
    """Return the object of an answer; raises the error of one that is none."""
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    if 200 <= status <= 299 and isinstance(found, dict):
        return found
    said = text_at(found, "message") or body[:_SHOWN].decode("utf-8", errors="replace")
    text = f"{method} {_path(resource)} answered {status} (status_code={status}): {said[:_SHOWN]}"
    category = of_status(status)
    if category is not None:
        raise CATEGORIES[category](text, status_code=status)
    kind = ManifestError if status in (400, 404, 409, 422) else ValidationError
    raise kind(text, status_code=status)
