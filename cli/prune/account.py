"""What there is of a stage in its account, and how some of it is deleted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cli.console import Misuse
from cli.prune.delete import NotDeleted
from cli.prune.left import waits_in
from cli.prune.others import Others
from cli.prune.plan import Found, Function, Machine, Unreadable, named_in
from cli.reach.deployed import stack_of
from protocol.names import machine_name

if TYPE_CHECKING:
    from cli.project.settings import Stage

_OPEN = ("RUNNING", "PENDING_REDRIVE")
_GONE = (
    *("NoSuchEntity", "ResourceNotFoundException"),
    *("StateMachineDeleting", "StateMachineDoesNotExist"),
)
_TRIES = 10
"""Of a call that AWS turns down because there are too many; boto waits ever longer between them."""
_TAG = "stepsmith:stage"


class Account:
    """A stage in its account, by a maker of boto's clients.

    https://docs.aws.amazon.com/step-functions/latest/apireference/API_ListExecutions.html
    """

    def __init__(self, stage: str, place: str, client: Callable[[str], Any]) -> None:
        self._stage = stage
        self._place = place
        self._machines = client("stepfunctions")
        self._functions = client("lambda")
        self._stacks = client("cloudformation")
        self._others = Others(stage, client)
        self._names: dict[str, frozenset[str]] = {}

    def found(self, *, left: bool = False) -> Found:
        """Return what there is now, with `left` also roles and rules that were left over.

        Raises Misuse where the stage is not there, or not at rest.
        """
        self._be_at_rest()
        known = set(self._in_stack(stack_of(self._stage)))
        return Found(
            self._place,
            tuple(self._all_machines(known)),
            tuple(self._all_functions(known)),
            tuple(self._others.left(known)) if left else (),
        )

    def names(self, arn: str) -> frozenset[str]:
        """Return what a machine, a version or an execution needs: what its definition names too."""
        from botocore.exceptions import BotoCoreError, ClientError

        if arn not in self._names:
            try:
                definition, role = self._described(arn)
                self._names[arn] = frozenset({*named_in(definition), *waits_in(definition), *role})
            except (BotoCoreError, ClientError) as error:
                raise Unreadable(f"what {arn} names cannot be found out: {_told(error)}") from None
        return self._names[arn]

    def _described(self, arn: str) -> tuple[str, list[str]]:
        """Return a definition, and the role that it is carried out with."""
        if ":execution:" in arn:
            found = self._machines.describe_state_machine_for_execution(executionArn=arn)
        else:
            found = self._machines.describe_state_machine(stateMachineArn=arn)
        return str(found["definition"]), [found["roleArn"]]

    # --- what there is --------------------------------------------------------------------------

    def _be_at_rest(self) -> None:
        from botocore.exceptions import ClientError

        name = stack_of(self._stage)
        try:
            [stack] = self._stacks.describe_stacks(StackName=name)["Stacks"]
        except ClientError as error:
            if "does not exist" not in str(error):
                raise
            raise Misuse(
                f"there is no stack '{name}' at {self._place}\n"
                "only what belongs to a stage that is deployed can be told from what does not"
            ) from None
        if stack["StackStatus"].endswith("_IN_PROGRESS"):
            raise Misuse(
                f"the stack '{name}' is being changed ({stack['StackStatus']})\n"
                "what it needs is known when that is over: try again then"
            )

    def _in_stack(self, stack: str) -> Iterator[str]:
        """Yield what a stack and those inside it are made of: ARNs of machines, names."""
        pages = self._stacks.get_paginator("list_stack_resources").paginate(StackName=stack)
        for page in pages:
            for one in page["StackResourceSummaries"]:
                if one["ResourceStatus"] in ("DELETE_COMPLETE", "DELETE_SKIPPED"):
                    continue
                place = one.get("PhysicalResourceId", "")
                if one["ResourceType"] == "AWS::CloudFormation::Stack" and place:
                    yield from self._in_stack(place)
                elif place:
                    yield place

    def _all_machines(self, known: set[str]) -> Iterator[Machine]:
        prefix = machine_name(self._stage, "")
        for page in self._machines.get_paginator("list_state_machines").paginate():
            for one in page["stateMachines"]:
                arn = one["stateMachineArn"]
                # Another stage's name may begin like this one's.
                if one["name"].startswith(prefix) and (arn in known or self._is_ours(arn)):
                    yield from self._machine(arn, one["name"].removeprefix(prefix), known)

    def _is_ours(self, arn: str) -> bool:
        tags = self._machines.list_tags_for_resource(resourceArn=arn)["tags"]
        return {"key": _TAG, "value": self._stage} in tags

    def _machine(self, arn: str, name: str, known: set[str]) -> Iterator[Machine]:
        """Yield a machine; nothing where it is just being deleted."""
        from botocore.exceptions import ClientError

        try:
            made = {
                _number(one["stateMachineVersionArn"]): one["creationDate"]
                for one in self._pages("list_state_machine_versions", "stateMachineVersions", arn)
            }
            aliases = dict(self._machine_aliases(arn))
            on, astray = self._open(arn, made)
        except ClientError as error:
            if error.response["Error"]["Code"] in _GONE:
                return
            raise
        versions = tuple(sorted(made, reverse=True))
        yield Machine(arn, name, versions, aliases, on, astray, made, is_left=arn not in known)

    def _machine_aliases(self, arn: str) -> Iterator[tuple[int, str]]:
        for one in self._pages("list_state_machine_aliases", "stateMachineAliases", arn):
            alias = one["stateMachineAliasArn"]
            found = self._machines.describe_state_machine_alias(stateMachineAliasArn=alias)
            for way in found["routingConfiguration"]:
                yield _number(way["stateMachineVersionArn"]), found["name"]

    def _open(
        self, arn: str, made: Mapping[int, object]
    ) -> tuple[dict[int, tuple[str, ...]], tuple[str, ...]]:
        """Return a machine's open executions: names by versions, and ARNs of those astray."""
        on: dict[int, tuple[str, ...]] = {}
        astray: list[str] = []
        for status in _OPEN:
            pages = self._machines.get_paginator("list_executions").paginate(
                stateMachineArn=arn, statusFilter=status
            )
            for one in (one for page in pages for one in page["executions"]):
                version = one.get("stateMachineVersionArn")
                if version is None or _number(version) not in made:
                    astray.append(one["executionArn"])
                else:
                    number = _number(version)
                    on[number] = (*on.get(number, ()), one["name"])
        return on, tuple(astray)

    def _pages(self, operation: str, field: str, arn: str) -> Iterator[Any]:
        """Yield the items of a list for which boto has no paginator."""
        call = getattr(self._machines, operation)
        page = call(stateMachineArn=arn)
        yield from page[field]
        while page.get("nextToken"):
            page = call(stateMachineArn=arn, nextToken=page["nextToken"])
            yield from page[field]

    def _all_functions(self, known: set[str]) -> Iterator[Function]:
        says = f"Stepsmith, stage {self._stage}: "
        for page in self._functions.get_paginator("list_functions").paginate():
            for one in page["Functions"]:
                if one.get("Description", "").startswith(says):
                    yield self._function(one, one["Description"].removeprefix(says), known)

    def _function(self, one: Any, name: str, known: set[str]) -> Function:
        own = one["FunctionName"]
        versions = {
            int(version["Version"]): version["Role"]
            for page in self._listed("list_versions_by_function", own)
            for version in page["Versions"]
            if version["Version"].isdecimal()
        }
        aliases = {
            int(version): alias["Name"]
            for page in self._listed("list_aliases", own)
            for alias in page["Aliases"]
            for version in (alias["FunctionVersion"], *_shares(alias))
            if version.isdecimal()
        }
        arn = str(one["FunctionArn"]).removesuffix(":$LATEST")
        numbers = tuple(sorted(versions, reverse=True))
        roles = {0: one["Role"], **versions}
        return Function(arn, name, numbers, aliases, is_left=own not in known, roles=roles)

    def _listed(self, operation: str, function: str) -> Any:
        return self._functions.get_paginator(operation).paginate(FunctionName=function)

    # --- what is deleted --------------------------------------------------------------------------

    def delete(self, arn: str) -> None:
        """Delete a machine, a function, a version of one, a role or a rule; raises NotDeleted."""
        if ":role/" in arn or ":rule/" in arn:
            _tried(self._others.delete, arn=arn)
            return
        whole, _, number = arn.rpartition(":")
        is_version = number.isdecimal()
        if ":function:" in arn:
            given = {"FunctionName": whole, "Qualifier": number}
            _tried(
                self._functions.delete_function, **(given if is_version else {"FunctionName": arn})
            )
        elif is_version:
            _tried(self._machines.delete_state_machine_version, stateMachineVersionArn=arn)
        else:
            _tried(self._machines.delete_state_machine, stateMachineArn=arn)


def account_of(name: str, stage: Stage, session: Any) -> Account:
    """Return the account that a stage is in, by a session of boto; raises Misuse."""
    from botocore.config import Config

    region = stage.region or session.region_name
    if not region:
        raise Misuse(
            f"neither the stage '{name}' nor AWS_REGION says in which region it is\n"
            "write `region` in stepsmith.yaml"
        )
    config = Config(retries={"mode": "adaptive", "max_attempts": _TRIES})

    def client(service: str) -> Any:
        return session.client(service, region_name=region, config=config)

    here = client("sts").get_caller_identity()["Account"]
    if stage.account not in (None, here):
        raise Misuse(f"the credentials are of the account {here}, the stage is of {stage.account}")
    return Account(name, f"stage '{name}' in {region} of {here}", client)


def _tried(call: Callable[..., Any], **given: str) -> None:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        call(**given)
    except ClientError as error:
        if error.response["Error"]["Code"] not in _GONE:
            raise NotDeleted(_told(error)) from None
    except BotoCoreError as error:
        raise NotDeleted(_told(error)) from None


def _told(error: Exception) -> str:
    return re.sub(r"\s+", " ", str(error)).strip()


def _shares(alias: Any) -> Iterator[str]:
    yield from (alias.get("RoutingConfig") or {}).get("AdditionalVersionWeights") or {}


def _number(arn: str) -> int:
    return int(arn.rpartition(":")[2])
