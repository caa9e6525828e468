"""The roles of a stage, and its rules of event waits, that its stack does not know any more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from cli.prune.left import Other, role, rule
from cli.reach.deployed import stack_of

_TAG = "stepsmith:stage"
_FIRST = 20
"""Characters with which a name in a stack begins like the stack, however much of it was cut."""
_WAITS = "What steps of "
"""How the description of a wait's rule begins, and that of no other."""


class Others:
    """What is left over in an account, by a maker of boto's clients."""

    def __init__(self, stage: str, client: Callable[[str], Any]) -> None:
        self._stage = stage
        self._client = cache(client)

    def left(self, known: set[str]) -> Iterator[Other]:
        """Yield what bears the stage's tag and is not `known`, the physical names in its stack."""
        # Of a rule of a bus of one's own the stack knows more than the name.
        names = {re.split(r"[|/]", one)[-1] for one in known}
        yield from self._roles(names)
        for bus in (stack_of(self._stage), "default"):
            yield from self._rules(bus, names)

    def _roles(self, known: set[str]) -> Iterator[Other]:
        iam = self._client("iam")
        prefix = stack_of(self._stage)[:_FIRST]
        for page in iam.get_paginator("list_roles").paginate():
            for one in page["Roles"]:
                name = one["RoleName"]
                if name.startswith(prefix) and name not in known:
                    tags = iam.list_role_tags(RoleName=name)["Tags"]
                    if {"Key": _TAG, "Value": self._stage} in tags:
                        yield role(one["Arn"], name)

    def _rules(self, bus: str, known: set[str]) -> Iterator[Other]:
        from botocore.exceptions import ClientError

        events = self._client("events")
        prefix = stack_of(self._stage)[:_FIRST]
        pages = events.get_paginator("list_rules").paginate(EventBusName=bus, NamePrefix=prefix)
        try:
            found = [one for page in pages for one in page["Rules"]]
        except ClientError as error:
            if error.response["Error"]["Code"] == "ResourceNotFoundException":
                return  # the bus was deleted by hand
            raise
        for one in found:
            is_wait = one.get("Description", "").startswith(_WAITS) and "EventPattern" in one
            if is_wait and one["Name"] not in known:
                tags = events.list_tags_for_resource(ResourceARN=one["Arn"])["Tags"]
                if {"Key": _TAG, "Value": self._stage} in tags:
                    yield rule(one["Arn"], one["Name"], json.loads(one["EventPattern"]))

    def delete(self, arn: str) -> None:
        """Delete a role with what is written in it, or a rule with its targets."""
        if ":role/" in arn:
            self._delete_role(arn.rpartition("/")[2])
        else:
            self._delete_rule(arn)

    def _delete_role(self, name: str) -> None:
        iam = self._client("iam")
        for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
            iam.delete_role_policy(RoleName=name, PolicyName=policy)
        iam.delete_role(RoleName=name)

    def _delete_rule(self, arn: str) -> None:
        events = self._client("events")
        bus, _, name = arn.partition(":rule/")[2].rpartition("/")
        given = {"Rule": name, "EventBusName": bus or "default"}
        targets = events.list_targets_by_rule(**given)["Targets"]
        if targets:
            events.remove_targets(**given, Ids=[one["Id"] for one in targets])
        events.delete_rule(Name=name, EventBusName=bus or "default")
