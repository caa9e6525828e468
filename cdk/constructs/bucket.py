"""The bucket of a stage: sources, files and large outputs of runs, and manifests."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge
from protocol.tables import RESULTS_KEPT

_OLD_DAYS = 30
_UPLOAD_DAYS = 7


class RunFiles(s3.Bucket):
    """Private, encrypted, over TLS only. What belongs to runs goes after `days`.

    Manifests stay for as long as a run of theirs may go on or be resumed, and its record is kept.
    """

    def __init__(self, scope: Construct, id: str, *, days: int, protected: bool) -> None:
        super().__init__(
            scope,
            id,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            versioned=True,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
            lifecycle_rules=[
                s3.LifecycleRule(
                    id="old-versions",
                    noncurrent_version_expiration=Duration.days(_OLD_DAYS),
                    abort_incomplete_multipart_upload_after=Duration.days(_UPLOAD_DAYS),
                    expired_object_delete_marker=True,
                ),
                *(
                    s3.LifecycleRule(id=name, prefix=f"{name}/", expiration=Duration.days(days))
                    for name in ("events", "runs")
                ),
                # Written again whenever a run is begun by a process that has not yet done so.
                s3.LifecycleRule(
                    id="manifests",
                    prefix="manifests/",
                    expiration=Duration.days(days + RESULTS_KEPT),
                ),
            ],
        )
        acknowledge(
            self, "AwsSolutions-S1", "who reads it is in CloudTrail; a log of requests is one more"
        )
