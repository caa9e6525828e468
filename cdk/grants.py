"""What each function may do, and to what: written here, where the parts of a stage meet.

A test holds it against the calls that the functions' adapters make.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aws_cdk import Aws

from cdk.constructs.tables import Tables
from cdk.model import Action, Stage, Statement
from protocol import environment

VERBS = {
    "get": "dynamodb:GetItem",
    "put": "dynamodb:PutItem",
    "query": "dynamodb:Query",
    "update": "dynamodb:UpdateItem",
}

TABLES_OF: Mapping[str, Mapping[str, str]] = {
    "api": {
        "events": "get put query update",
        "outbox": "put query",
        "results": "query update",
        "runs": "get put query",
        "tasks": "get put query update",
    },
    "intake": {
        "events": "get put query update",
        "runs": "put",
        "tasks": "get put query update",
    },
    "latches": {"latches": "get put update"},
    "records": {
        "latches": "get put update",
        "outbox": "put query",
        "results": "query update",
        "runs": "get put query",
        "tasks": "get put query update",
    },
    "stored": {"results": "query update"},
    "tasks": {
        "outbox": "put query",
        "task-tokens": "get put",
        "tasks": "get put query update",
    },
    "wake": {"task-tokens": "get put", "tasks": "get put query update"},
}
"""By function and table. `task-tokens` is for those alone that open and wake."""

SEND_TASK = Statement(("states:SendTaskFailure", "states:SendTaskSuccess"), ("*",))
"""For `wake` and `latches` alone; a token is no resource:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html"""


@dataclass(frozen=True, slots=True)
class Places:
    """ARNs of what functions are allowed on, and the stage they belong to."""

    stage: Stage
    tables: Tables
    bucket: str
    queue: str
    bus: str

    def of_tables(self, function: str) -> list[Statement]:
        """Return what a function may do to the tables."""
        return [self.table(table, verbs) for table, verbs in TABLES_OF[function].items()]

    def table(self, table: str, verbs: str) -> Statement:
        """Return the right to do something to a table."""
        actions = tuple(VERBS[verb] for verb in verbs.split())
        return Statement(actions, self.tables.resources(table))

    def files(self, *prefixes: str) -> list[Statement]:
        """Return the rights to read and write what lies under prefixes of the bucket.

        Whoever may not list what is there is told "forbidden", not "missing":
        https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
        """
        return [
            Statement(
                ("s3:GetObject", "s3:PutObject"),
                tuple(f"{self.bucket}/{prefix}/*" for prefix in prefixes),
            ),
            Statement(("s3:ListBucket",), (self.bucket,)),
        ]

    def secrets(self, names: Iterable[str]) -> Statement:
        """Return the right to read secrets of the stage; none of it where there are no names."""
        arn = _arn("secretsmanager", f"secret:stepsmith/{self.stage.name}")
        # Secrets Manager adds a hyphen and six characters to every name.
        return Statement(
            ("secretsmanager:GetSecretValue",),
            tuple(f"{arn}/{name}-??????" for name in sorted(set(names))),
        )

    def machines(self, *verbs: str) -> Statement:
        """Return rights on all state machines of the stage, and their versions."""
        arn = _arn("states", f"stateMachine:stepsmith-{self.stage.name}-*")
        return Statement(tuple(f"states:{verb}" for verb in verbs), (arn,))

    def executions(self, *verbs: str) -> Statement:
        """Return rights on all executions of the stage."""
        arn = _arn("states", f"execution:stepsmith-{self.stage.name}-*")
        return Statement(tuple(f"states:{verb}" for verb in verbs), (arn,))

    def logs(self) -> Statement:
        """Return the right to read what the functions of the stage said."""
        arn = _arn("logs", f"log-group:/stepsmith/{self.stage.name}/*")
        return Statement(("logs:FilterLogEvents",), (arn,))

    def mail(self) -> Statement:
        """Return the right to send mails as the stage's sender; none of it without one.

        Whose mail it is says the condition, not the resources: SES asks for the right on the
        address or on its domain, whichever is verified, on a configuration set that is the
        identity's default, and, of an account in the sandbox, on the recipient's identity too.

        https://docs.aws.amazon.com/ses/latest/dg/sending-authorization-policies.html
        """
        if self.stage.sender is None:
            return Statement((), ())
        names = ("identity", "configuration-set")
        return Statement(
            ("ses:SendEmail",),
            tuple(_arn("ses", f"{name}/*") for name in names),
            (("ses:FromAddress", self.stage.sender),),
        )

    def send(self) -> Statement:
        """Return the right to put events into the stage's queue."""
        return Statement(("sqs:SendMessage",), (self.queue,))

    def publish(self) -> Statement:
        """Return the right to publish on the stage's bus."""
        return Statement(("events:PutEvents",), (self.bus,))


def of_core(function: str, places: Places, secrets: Iterable[str]) -> tuple[Statement, ...]:
    """Return what one of the functions that every stage has may do."""
    chat = [places.stage.chat] if places.stage.chat else []
    tables = places.of_tables(function)
    more: list[Statement] = []
    match function:
        case "api":
            more = [
                places.machines("StartExecution"),
                places.executions("DescribeExecution", "GetExecutionHistory", "StopExecution"),
                *places.files("events", "manifests", "runs"),
                places.secrets([environment.LINK_KEY, *chat, *secrets]),
                places.logs(),
                places.mail(),
                places.publish(),
                places.send(),
            ]
        case "intake":
            more = [
                places.machines("StartExecution"),
                places.executions("DescribeExecution"),
                *places.files("events", "manifests"),
                places.send(),
            ]
        case "records":
            more = [
                places.machines("StartExecution"),
                places.executions("DescribeExecution", "GetExecutionHistory", "StopExecution"),
                *places.files("manifests", "runs"),
                places.secrets([environment.LINK_KEY, *chat, *secrets]),
                places.mail(),
                places.publish(),
            ]
        case "stored":
            more = [places.executions("DescribeExecution", "GetExecutionHistory", "StopExecution")]
        case "latches":
            more = [SEND_TASK, places.executions("DescribeExecution", "StopExecution")]
        case "tasks":
            more = [places.secrets([environment.LINK_KEY, *chat]), places.mail()]
        case "wake":
            more = [SEND_TASK]
        case _:
            pass
    return _said([*tables, *more])


def of_action(action: Action, places: Places) -> tuple[Statement, ...]:
    """Return what the function of an action may do."""
    found = [
        places.table("results", "get query update"),
        *places.files("runs"),
        places.secrets(action.secrets),
    ]
    if action.name in ("notify", "send-transactional-email"):
        found.append(places.mail())
        if places.stage.sender is None:
            found.append(places.table("outbox", "put"))
    if action.name == "notify":
        found.append(
            Statement(("sns:Publish",), (f"arn:{Aws.PARTITION}:sns:*:{Aws.ACCOUNT_ID}:*",))
        )
    if action.name == "deploy-to-kubernetes":
        names = places.stage.clusters or ("*",)
        arn = f"arn:{Aws.PARTITION}:eks:*:{Aws.ACCOUNT_ID}:cluster"
        found.append(Statement(("eks:DescribeCluster",), tuple(f"{arn}/{n}" for n in names)))
    return _said(found)


def of_builds(secrets: Iterable[str], places: Places) -> tuple[Statement, ...]:
    """Return what a build may do: what the function of scripts may.

    The other actions that builds carry out need no more than that, which a test holds them to.
    """
    return of_action(Action("run", tuple(secrets)), places)


def _said(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    return tuple(one for one in statements if one.actions and one.resources)


def _arn(service: str, resource: str) -> str:
    return f"arn:{Aws.PARTITION}:{service}:{Aws.REGION}:{Aws.ACCOUNT_ID}:{resource}"
