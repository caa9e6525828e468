"""Tokens for clusters of EKS: a signed call of STS that the cluster makes to see who asks.

https://docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from functions.domain.errors import ValidationError

if TYPE_CHECKING:
    import boto3

_SECONDS = 60
"""The cluster takes a token for 15 minutes, however long its signature holds."""


def eks_token(session: boto3.Session, cluster: str, region: str | None) -> str:
    """Return a bearer token for a cluster; raises ValidationError without credentials."""
    from botocore.signers import RequestSigner

    credentials = session.get_credentials()
    if credentials is None:
        raise ValidationError("there are no AWS credentials to ask EKS for a token with")
    sts = session.client("sts", region_name=region)
    signer = RequestSigner(
        sts.meta.service_model.service_id,
        sts.meta.region_name,
        "sts",
        "v4",
        credentials,
        session.events,
    )
    url = signer.generate_presigned_url(
        {
            "method": "GET",
            "url": f"{sts.meta.endpoint_url}/?Action=GetCallerIdentity&Version=2011-06-15",
            "body": {},
            "headers": {"x-k8s-aws-id": cluster},
            "context": {},
        },
        region_name=sts.meta.region_name,
        expires_in=_SECONDS,
        operation_name="",
    )
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
