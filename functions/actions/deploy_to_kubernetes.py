"""The `deploy-to-kubernetes` action: a cluster runs what a manifest says, and it is out."""

from __future__ import annotations

import copy
from functools import partial

import yaml
from pydantic import BaseModel, ConfigDict, Field

from functions.actions.commands import needed
from functions.domain.action import Action
from functions.domain.context import Context
from functions.domain.errors import (
    ArtifactNotFound,
    ManifestError,
    RolloutFailed,
    StepTimedOut,
    ValidationError,
)
from functions.domain.manifests import (
    CLUSTER,
    PLURALS,
    REGION,
    Object,
    checked,
    container_for,
    is_out,
    is_within,
    progress,
    revision,
    text_at,
    the_deployment,
)
from functions.domain.moments import lasted
from functions.domain.services import Cluster, Resource, Services, Target
from protocol.payloads import Json

_DEPLOYMENTS = "apps/v1"
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 10.0
_SPARE_SECONDS = 2.0
"""Kept back of the attempt's time, to say what the rollout is at."""


class Inputs(BaseModel):
    """What to deploy, and where; what is left out comes from the manifest."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    manifest: str | None = Field(
        None, description="The path of the manifest; gives what is left out here"
    )
    image: str | None = Field(None, description="The image to run (default: the manifest's)")
    region: str | None = Field(None, description="The region of the cluster")
    namespace: str | None = None
    deployment: str | None = Field(None, description="The name of the deployment")
    cluster: str | None = Field(None, description="The name of the cluster in EKS")


class Outputs(BaseModel):
    """What the cluster calls the state that is out now."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    deployed_revision: str


def run(inputs: Inputs, context: Context, *, services: Services) -> Outputs:
    """Make the cluster run what is wanted, wait until it is out and return its revision.

    Where it is so already, nothing is changed. Raises ArtifactNotFound for a manifest that is
    not there, ManifestError for one that cannot be deployed, RolloutFailed where the cluster
    gives up, StepTimedOut where the time is over before, or an error of a category.
    """
    if inputs.manifest is None and inputs.deployment is None:
        raise ValidationError("there is nothing to deploy: give a `manifest`, or a `deployment`")
    objects = _objects(inputs.manifest, context) if inputs.manifest is not None else []
    deployment = (
        the_deployment(objects, inputs.deployment, inputs.manifest or "") if objects else None
    )
    if inputs.image is not None and deployment is not None:
        container_for(deployment, inputs.image)["image"] = inputs.image
    cluster = services.clusters().connect(_target(inputs, deployment or {}, context))
    namespace = inputs.namespace or text_at(deployment or {}, "metadata", "namespace") or "default"
    if deployment is None:
        place = Resource(_DEPLOYMENTS, "deployments", namespace, inputs.deployment or "")
        _set_image(cluster, place, inputs.image)
    else:
        place = _place(deployment, namespace)
        for one in objects:
            _ensure(cluster, one, inputs.namespace, namespace)
    return Outputs(deployed_revision=revision(_wait(cluster, place, context)))


def _objects(path: str, context: Context) -> list[Object]:
    file = needed(path, context)
    try:
        documents: list[Json] = list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        first = str(error).splitlines()[0]
        raise ManifestError(f"'{path}' is no YAML: {first}") from None
    objects = checked(documents, path)
    if not objects:
        raise ManifestError(f"'{path}' holds no Kubernetes object")
    return objects


def _target(inputs: Inputs, deployment: Object, context: Context) -> Target:
    """Return which cluster is meant: as given, else as the manifest or the environment says."""
    annotations = ("metadata", "annotations")
    return Target(
        cluster=(
            inputs.cluster
            or text_at(deployment, *annotations, CLUSTER)
            or context.setting("CLUSTER")
        ),
        region=(
            inputs.region
            or text_at(deployment, *annotations, REGION)
            or context.setting("AWS_REGION")
        ),
        api=context.setting("KUBERNETES_API"),
        token=context.setting("KUBERNETES_TOKEN"),
        kubeconfig=context.setting("KUBECONFIG"),
    )


def _place(one: Object, namespace: str) -> Resource:
    plural, is_in_namespace = PLURALS[str(one["kind"])]
    name = text_at(one, "metadata", "name") or ""
    return Resource(str(one["apiVersion"]), plural, namespace if is_in_namespace else None, name)


def _ensure(cluster: Cluster, one: Object, given: str | None, default: str) -> None:
    """Make one object what it should be, unless it is."""
    namespace = given or text_at(one, "metadata", "namespace") or default
    place = _place(one, namespace)
    desired = copy.deepcopy(one)
    metadata = desired["metadata"]
    assert isinstance(metadata, dict)
    if place.namespace is not None:
        metadata["namespace"] = place.namespace
    actual = cluster.read(place)
    if actual is None or not is_within(desired, actual):
        cluster.apply(place, desired)


def _set_image(cluster: Cluster, place: Resource, image: str | None) -> None:
    actual = cluster.read(place)
    if actual is None:
        raise ManifestError(
            f"there is no Deployment '{place.name}' in namespace '{place.namespace}'; "
            "give a `manifest` to make it"
        )
    if image is None:
        return
    container = container_for(actual, image)
    if container.get("image") != image:
        change: Json = [{"name": container["name"], "image": image}]
        cluster.patch(place, {"spec": {"template": {"spec": {"containers": change}}}})


def _wait(cluster: Cluster, place: Resource, context: Context) -> Object:
    """Return the Deployment once it is out."""
    pause = _FIRST_PAUSE
    while True:
        now = cluster.read(place)
        if now is None:
            raise RolloutFailed(f"the Deployment '{place.name}' was deleted meanwhile")
        if is_out(now):
            return now
        if context.seconds_left() < pause + _SPARE_SECONDS:
            raise StepTimedOut(
                f"the rollout of '{place.name}' is not over after {lasted(context.seconds)}: "
                f"{progress(now)}"
            )
        context.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def action(services: Services) -> Action[Inputs, Outputs]:
    """Return the action on what connects to clusters."""
    return Action(
        name="deploy-to-kubernetes",
        description="Makes sure that a cluster runs what a manifest says, and waits for the "
        "rollout.",
        inputs=Inputs,
        outputs=Outputs,
        run=partial(run, services=services),
        repeatable=True,
        reads_files=True,
        error_types=(RolloutFailed, ManifestError, ArtifactNotFound),
    )
