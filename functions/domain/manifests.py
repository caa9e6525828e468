"""Kubernetes manifests: where their objects belong, which image they run, when it is out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from functions.domain.errors import ManifestError, RolloutFailed
from protocol.payloads import Json

Object: TypeAlias = "dict[str, Json]"

PLURALS: dict[str, tuple[str, bool]] = {
    # kind: (plural, whether it lives in a namespace)
    "ConfigMap": ("configmaps", True),
    "CronJob": ("cronjobs", True),
    "Deployment": ("deployments", True),
    "HorizontalPodAutoscaler": ("horizontalpodautoscalers", True),
    "Ingress": ("ingresses", True),
    "Namespace": ("namespaces", False),
    "NetworkPolicy": ("networkpolicies", True),
    "PersistentVolumeClaim": ("persistentvolumeclaims", True),
    "PodDisruptionBudget": ("poddisruptionbudgets", True),
    "Role": ("roles", True),
    "RoleBinding": ("rolebindings", True),
    "Secret": ("secrets", True),
    "Service": ("services", True),
    "ServiceAccount": ("serviceaccounts", True),
}
REVISION = "deployment.kubernetes.io/revision"
CLUSTER, REGION = "stepsmith/cluster", "stepsmith/region"
"""Annotations of a Deployment that say where it is meant for."""


def member(value: Json | Mapping[str, Json], *path: str) -> Json:
    """Return what is under a path of keys; None where there is nothing."""
    here: Json | Mapping[str, Json] = value
    for key in path:
        here = here.get(key) if isinstance(here, Mapping) else None
    return here if not isinstance(here, Mapping) else dict(here)


def text_at(value: Json | Mapping[str, Json], *path: str) -> str | None:
    """Return the text under a path of keys; None where there is none."""
    found = member(value, *path)
    return found if isinstance(found, str) and found else None


def checked(objects: list[Json], file: str) -> list[Object]:
    """Return the objects of a manifest; raises ManifestError for what none of ours can apply."""
    found: list[Object] = []
    for number, one in enumerate(objects, 1):
        if one is None:
            continue
        kind, version = text_at(one, "kind"), text_at(one, "apiVersion")
        if not isinstance(one, dict) or kind is None or version is None:
            raise ManifestError(f"document {number} of '{file}' is no Kubernetes object")
        if text_at(one, "metadata", "name") is None:
            raise ManifestError(f"the {kind} in document {number} of '{file}' has no name")
        if kind not in PLURALS:
            raise ManifestError(
                f"'{file}' holds a {kind}, which this action does not deploy; it knows "
                f"{', '.join(PLURALS)}"
            )
        found.append(one)
    return found


def the_deployment(objects: list[Object], name: str | None, file: str) -> Object:
    """Return the Deployment of a manifest: the one of that name, else the only one."""
    found = [one for one in objects if one["kind"] == "Deployment"]
    named = [one for one in found if name in (None, text_at(one, "metadata", "name"))]
    if len(named) == 1:
        return named[0]
    names = ", ".join(f"'{text_at(one, 'metadata', 'name')}'" for one in found)
    if not found:
        raise ManifestError(f"'{file}' holds no Deployment")
    if not named:
        raise ManifestError(f"'{file}' holds no Deployment '{name}', but {names}")
    raise ManifestError(f"'{file}' holds several Deployments ({names}): say which as `deployment`")


def container_for(deployment: Mapping[str, Json], image: str) -> Object:
    """Return the container that is to run an image.

    The only one; else the one that runs another tag of it, or bears the Deployment's name.
    """
    found = containers(deployment)
    if len(found) == 1:
        return found[0]
    name = text_at(deployment, "metadata", "name")
    by_image = [c for c in found if repository(text_at(c, "image") or "") == repository(image)]
    by_name = [c for c in found if text_at(c, "name") == name]
    for choice in (by_image, by_name):
        if len(choice) == 1:
            return choice[0]
    names = ", ".join(f"'{text_at(c, 'name')}'" for c in found) or "none"
    raise ManifestError(
        f"which container of '{name}' is to run '{image}' cannot be told: it has {names}"
    )


def containers(deployment: Mapping[str, Json]) -> list[Object]:
    """Return the containers of a Deployment's pods."""
    found = member(deployment, "spec", "template", "spec", "containers")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def repository(image: str) -> str:
    """Return an image's name without its tag and digest."""
    name = image.partition("@")[0]
    head, colon, tag = name.rpartition(":")
    return head if colon and "/" not in tag else name


def is_within(desired: Json, actual: Json) -> bool:
    """Return whether all that is desired is so already; what is there beside it is fine."""
    if isinstance(desired, dict):
        return isinstance(actual, dict) and all(
            is_within(value, actual.get(key)) for key, value in desired.items()
        )
    if isinstance(desired, list):
        if not isinstance(actual, list) or len(actual) < len(desired):
            return False
        return all(
            is_within(one, other)
            for one, other in zip(desired, _like(desired, actual), strict=True)
        )
    return desired == actual and isinstance(desired, bool) is isinstance(actual, bool)


def _like(desired: list[Json], actual: list[Json]) -> Iterator[Json]:
    """Yield for each item the one of the same name, where items have names, else by place."""
    named = {text_at(one, "name"): one for one in actual}
    for place, one in enumerate(desired):
        name = text_at(one, "name")
        yield actual[place] if name is None else named.get(name)


def is_out(deployment: Mapping[str, Json]) -> bool:
    """Return whether a rollout is over, by the rules of `kubectl rollout status`.

    Raises RolloutFailed where the cluster has given it up.
    https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
    """
    status = member(deployment, "status")
    if _number(status, "observedGeneration") < _number(
        member(deployment, "metadata"), "generation"
    ):
        return False
    conditions = member(status, "conditions")
    for one in conditions if isinstance(conditions, list) else []:
        if text_at(one, "reason") == "ProgressDeadlineExceeded":
            raise RolloutFailed(
                f"the rollout of '{text_at(deployment, 'metadata', 'name')}' was given up: "
                f"{text_at(one, 'message') or 'it made no progress'}"
            )
    replicas = member(deployment, "spec", "replicas")
    wanted = replicas if isinstance(replicas, int) else 1
    updated, available = _number(status, "updatedReplicas"), _number(status, "availableReplicas")
    return updated >= wanted and _number(status, "replicas") <= updated and available >= updated


def progress(deployment: Mapping[str, Json]) -> str:
    """Return how far a rollout is, in words."""
    status = member(deployment, "status")
    replicas = member(deployment, "spec", "replicas")
    wanted = replicas if isinstance(replicas, int) else 1
    return (
        f"{_number(status, 'updatedReplicas')} of {wanted} replicas updated, "
        f"{_number(status, 'availableReplicas')} available"
    )


def revision(deployment: Mapping[str, Json]) -> str:
    """Return the revision that the cluster gave a Deployment, else its generation."""
    found = text_at(deployment, "metadata", "annotations", REVISION)
    return found or str(_number(member(deployment, "metadata"), "generation"))


def _number(value: Json, key: str) -> int:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, int) else 0
