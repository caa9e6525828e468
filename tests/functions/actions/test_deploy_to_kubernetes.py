"""Deploying: the cluster runs what the manifest says, it is out, and twice is once."""

from __future__ import annotations

import pytest

from functions.actions.deploy_to_kubernetes import action
from functions.adapters.kubernetes import KubernetesClusters
from functions.domain import errors
from functions.domain.services import Services
from local.demo.cluster import Cluster
from tests.functions.actions.kit import Clock, Reply, context, serving

MANIFEST = """
apiVersion: v1
kind: Service
metadata: {name: app}
spec: {ports: [{name: http, port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: shop}
spec:
  replicas: 2
  template:
    spec:
      containers:
        - {name: app, image: "registry.example.com/app:v1"}
        - {name: proxy, image: "envoy:1"}
"""
DEPLOYMENT = "/apis/apps/v1/namespaces/shop/deployments/app"
SERVICE = "/api/v1/namespaces/shop/services/app"


class KubernetesApi(Cluster):
    """The demo's cluster, which may be overloaded and refuses some manifests."""

    outage = 0

    def __call__(self, call):
        if self.outage:
            self.outage -= 1
            return Reply(503, {"kind": "Status", "message": "overloaded"})
        if b"invalid" in call.body:
            return Reply(422, {"kind": "Status", "message": "spec is invalid"})
        kind = call.headers.get("content-type", "")
        return Reply(*self.answer(call.method, call.path, kind, call.body))


@pytest.fixture
def cluster():
    """A cluster and how to deploy to it; the clock is the call's."""
    api, clock = KubernetesApi(polls=2), Clock()

    def no_eks(*_arguments):
        raise AssertionError

    with serving(api) as (url, calls):

        def deploy(folder, text=MANIFEST, env=None, path="deploy/app.yaml", **inputs):
            file = folder / "workspace" / "deploy" / "app.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            where = {"KUBERNETES_API": url, "KUBERNETES_TOKEN": "t0ken"}
            here = context(folder, clock, env=where if env is None else env, files=("build",))
            services = Services(clusters=lambda: KubernetesClusters(no_eks, no_eks))
            return action(services).call({"manifest": path, **inputs}, here)

        yield type("Cluster", (), {"api": api, "deploy": staticmethod(deploy), "calls": calls,
                                   "clock": clock})  # fmt: skip


def test_a_manifest_is_applied_with_its_image_replaced_and_waited_for(tmp_path, cluster):
    given = cluster.deploy(tmp_path, image="registry.example.com/app:v1.2.0")
    assert given == {"deployed_revision": "1"}
    assert [path for _, path in cluster.api.writes] == [SERVICE, DEPLOYMENT]
    containers = cluster.api.objects[DEPLOYMENT]["spec"]["template"]["spec"]["containers"]
    assert [one["image"] for one in containers] == ["registry.example.com/app:v1.2.0", "envoy:1"]
    assert cluster.clock.slept == [1.0, 1.5]
    assert all(call.headers["authorization"] == "Bearer t0ken" for call in cluster.calls)


def test_what_is_there_already_is_left_alone(tmp_path, cluster):
    first = cluster.deploy(tmp_path)
    cluster.api.writes.clear()
    assert cluster.deploy(tmp_path) == first
    assert cluster.api.writes == []


def test_a_change_by_somebody_else_is_put_right(tmp_path, cluster):
    cluster.deploy(tmp_path)
    cluster.api.writes.clear()
    cluster.api.objects[DEPLOYMENT]["spec"]["replicas"] = 7
    cluster.deploy(tmp_path)
    assert cluster.api.writes == [("apply-patch+yaml", DEPLOYMENT)]
    assert cluster.api.objects[DEPLOYMENT]["spec"]["replicas"] == 2


def test_without_a_manifest_the_image_of_a_deployment_is_changed(tmp_path, cluster):
    cluster.deploy(tmp_path)
    cluster.api.writes.clear()
    inputs = {"manifest": None, "deployment": "app", "namespace": "shop"}
    assert cluster.deploy(tmp_path, image="envoy:2", **inputs) == {"deployed_revision": "2"}
    assert cluster.api.writes == [("strategic-merge-patch+json", DEPLOYMENT)]
    containers = cluster.api.objects[DEPLOYMENT]["spec"]["template"]["spec"]["containers"]
    assert [one["image"] for one in containers] == ["registry.example.com/app:v1", "envoy:2"]


def test_the_namespace_that_is_given_wins(tmp_path, cluster):
    cluster.deploy(tmp_path, namespace="test")
    assert set(cluster.api.objects) == {
        DEPLOYMENT.replace("shop", "test"),
        SERVICE.replace("shop", "test"),
    }


def test_a_rollout_that_the_cluster_gives_up_fails(tmp_path, cluster):
    cluster.api.stuck = True
    with pytest.raises(errors.RolloutFailed, match="image not found"):
        cluster.deploy(tmp_path)


def test_a_rollout_that_takes_too_long_is_a_timeout_that_says_how_far_it_is(tmp_path, cluster):
    cluster.api.polls = 10_000
    with pytest.raises(errors.StepTimedOut, match="0 of 2 replicas updated"):
        cluster.deploy(tmp_path)
    assert sum(cluster.clock.slept) <= 60


def test_a_cluster_that_is_overloaded_is_unavailable(tmp_path, cluster):
    cluster.api.outage = 1
    with pytest.raises(errors.ServiceUnavailable, match=r"status_code=503.*overloaded"):
        cluster.deploy(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("a: [", "is no YAML"),
        ("", "holds no Kubernetes object"),
        ("a: b", "document 1 of"),
        ("{apiVersion: v1, kind: Service, metadata: {name: a}}", "holds no Deployment"),
        ("{apiVersion: v1, kind: Gadget, metadata: {name: a}}", "holds a Gadget"),
        ("{apiVersion: v1, kind: Service}", "has no name"),
        (MANIFEST + "---" + MANIFEST.partition("---")[2].replace("name: app", "name: b", 1),
         "several Deployments"),
        (MANIFEST.replace("http", "invalid"), "spec is invalid"),
    ],
)  # fmt: skip
def test_a_manifest_that_cannot_be_deployed_is_said(tmp_path, cluster, manifest, said):
    with pytest.raises(errors.ManifestError, match=said):
        cluster.deploy(tmp_path, manifest)


def test_an_image_that_fits_no_container_is_not_guessed(tmp_path, cluster):
    both = MANIFEST.replace("name: app, image", "name: main, image")
    with pytest.raises(errors.ManifestError, match="which container"):
        cluster.deploy(tmp_path, both, image="other:1")


def test_a_manifest_that_is_not_there_names_who_did_not_leave_it(tmp_path, cluster):
    with pytest.raises(errors.ArtifactNotFound) as raised:
        cluster.deploy(tmp_path, path="deploy/other.yaml")
    assert str(raised.value) == (
        "artifact not found at deploy/other.yaml\n"
        "caused by: step 'build' did not produce 'deploy/other.yaml'"
    )


def test_a_cluster_that_nothing_names_is_asked_for(tmp_path, cluster):
    with pytest.raises(errors.ValidationError, match="which cluster"):
        cluster.deploy(tmp_path, env={})
