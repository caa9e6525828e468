"""Findings of cdk-nag that stay, each with its reason on the very construct."""

from __future__ import annotations

from collections.abc import Iterable

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct


def acknowledge(construct: IConstruct, finding: str, reason: str) -> None:
    """Let a finding such as `AwsSolutions-S1` stay on a construct, and those inside of it."""
    Validations.of(construct).acknowledge(Acknowledgment(id=finding, reason=reason))


def acknowledge_wildcards(construct: IConstruct, found: Iterable[str], reason: str) -> None:
    """Let resources with a `*` in a role stay; they are as the template spells them."""
    for one in sorted(set(found)):
        acknowledge(construct, f"AwsSolutions-IAM5[Resource::{one}]", reason)
