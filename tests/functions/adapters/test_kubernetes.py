"""Ways into a cluster: one of EKS, one at an address, one of a kubeconfig."""

from __future__ import annotations

import base64
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
import yaml

from functions.adapters.eks_tokens import eks_token
from functions.adapters.kubernetes import Access, HttpCluster, KubernetesClusters, of_kubeconfig
from functions.domain.errors import NetworkError, ValidationError
from functions.domain.services import Resource, Target
from tests.functions.actions.kit import Reply, serving

PLACE = Resource("apps/v1", "deployments", "default", "a/b")


def never(*_arguments):
    raise AssertionError


def test_a_token_for_eks_is_a_signed_call_of_sts_that_names_the_cluster(engine):  # noqa: ARG001
    token = eks_token(boto3.Session(), "shop", "eu-west-1")
    prefix, _, signed = token.partition(".")
    url = urlsplit(base64.urlsafe_b64decode(signed + "=" * (-len(signed) % 4)).decode())
    query = parse_qs(url.query)
    assert (prefix, url.hostname) == ("k8s-aws-v1", "sts.eu-west-1.amazonaws.com")
    assert query["Action"] == ["GetCallerIdentity"]
    assert "x-k8s-aws-id" in query["X-Amz-SignedHeaders"][0]
    assert "=" not in token


class Eks:
    """A client of EKS that knows one cluster; moto's certificates are no text."""

    def describe_cluster(self, name):
        assert name == "shop"
        authority = {"data": base64.b64encode(b"PEM").decode()}
        return {
            "cluster": {"endpoint": "https://eks.example.com", "certificateAuthority": authority}
        }


def test_a_cluster_of_eks_is_reached_as_its_region_says():
    asked = []

    def eks(region):
        asked.append(region)
        return Eks()

    clusters = KubernetesClusters(eks, lambda name, region: f"{name}@{region}")
    access = clusters._of_eks("shop", "eu-west-1")
    assert access == Access("https://eks.example.com", "shop@eu-west-1", "PEM")
    assert asked == ["eu-west-1"]


def test_a_cluster_that_eks_does_not_know_is_said(engine):  # noqa: ARG001 (moto)
    clusters = KubernetesClusters(lambda region: boto3.client("eks", region_name=region), never)
    with pytest.raises(ValidationError, match="no cluster 'other' in eu-west-1"):
        clusters.connect(Target(cluster="other", region="eu-west-1"))


def kubeconfig(folder, user, server="https://k8s.example.com"):
    file = folder / "config"
    authority = base64.b64encode(b"PEM").decode()
    config = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [
            {"name": "c", "cluster": {"server": server, "certificate-authority-data": authority}}
        ],
        "users": [{"name": "u", "user": user}],
    }
    file.write_text(yaml.safe_dump(config))
    return file


def test_a_kubeconfig_s_current_context_is_used(tmp_path):
    (tmp_path / "key.pem").write_text("KEY")
    user = {"token": "t", "client-key": "key.pem"}
    access = of_kubeconfig(kubeconfig(tmp_path, user))
    assert access == Access("https://k8s.example.com", "t", "PEM", None, "KEY")


def test_a_kubeconfig_that_runs_a_program_is_refused(tmp_path):
    with pytest.raises(ValidationError, match="asks a program"):
        of_kubeconfig(kubeconfig(tmp_path, {"exec": {"command": "aws"}}))


@pytest.mark.parametrize("text", ["", "a: b", "[", "current-context: x\ncontexts: [y]"])
def test_what_is_no_kubeconfig_is_refused(tmp_path, text):
    file = tmp_path / "config"
    file.write_text(text)
    with pytest.raises(ValidationError):
        KubernetesClusters(never, never).connect(Target(kubeconfig=str(file)))


def test_names_are_quoted_and_an_answer_without_json_is_told(tmp_path):  # noqa: ARG001
    with (
        serving(lambda _call: Reply(403, "Forbidden")) as (url, calls),
        pytest.raises(ValidationError, match=r"status_code=403\): Forbidden"),
    ):
        HttpCluster(Access(url)).read(PLACE)
    assert calls[0].path == "/apis/apps/v1/namespaces/default/deployments/a%2Fb"


def test_a_cluster_that_cannot_be_reached_is_a_fault_of_the_network():
    with serving(lambda _call: Reply(drop=True)) as (url, _), pytest.raises(NetworkError):
        HttpCluster(Access(url)).read(PLACE)
