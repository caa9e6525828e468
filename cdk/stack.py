"""The stack of a stage: puts constructs together, and lets each function do what it has to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from aws_cdk import Aws, CfnOutput, RemovalPolicy, Stack, Tags
from aws_cdk import aws_events as events
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from cdk import grants
from cdk.constructs import auth
from cdk.constructs.acknowledged import acknowledge
from cdk.constructs.alarms import Alarms, Dashboard, Watched
from cdk.constructs.bucket import RunFiles
from cdk.constructs.builds import Builds
from cdk.constructs.executions import tell_of_executions
from cdk.constructs.functions import Function, LogGroup, Recipe, Surroundings
from cdk.constructs.http_api import HttpApi
from cdk.constructs.machines import ALIAS, Fill
from cdk.constructs.queues import Bus, Queues
from cdk.constructs.roles import role
from cdk.constructs.sources import (
    Sources,
    Streams,
    queue_arn,
    reading_queues,
    reading_streams,
)
from cdk.constructs.tables import Tables
from cdk.constructs.triggers import Ways, sources
from cdk.model import CORE, KNOW_PEOPLE, KNOW_WORKFLOWS, Action, Application, Statement
from cdk.workflows import lay
from protocol import environment
from protocol.names import action_name, log_group

INTAKE_SECONDS = 60
_SIZES: Mapping[str, dict[str, Any]] = {
    "api": {"seconds": 30, "memory": 512},
    "intake": {"seconds": INTAKE_SECONDS, "memory": 512},
    "latches": {"seconds": 30},
    "records": {"seconds": 120, "memory": 512},
    "stored": {"seconds": 30},
    "tasks": {"seconds": 60},
    "wake": {"seconds": 30},
}
"""Timeouts, and megabytes where it is not the least."""
_OF_TASKS = {"dynamodb": {"Keys": {"part": {"S": ["task"]}}}}
"""What `wake` and `records` read of the table of tasks: not its lists, nor events kept in it."""
_AFTER_LATCHES = ("records",)
"""Those that call `latches`: it alone, with `wake`, may answer who waits."""
_PINNED = ("latches", "stored", "tasks")
"""Those that state machines call: a run calls the versions that it started with."""
_ACTION: dict[str, Any] = {"seconds": 900, "memory": 1024}
_FILES = 4096
"""Megabytes of the workspace of an action that works on files."""


class StageStack(Stack):
    """Everything of one stage."""

    def __init__(self, scope: Construct, application: Application, **kwargs: Any) -> None:
        stage = application.stage
        super().__init__(
            scope,
            f"stepsmith-{stage.name}",
            description=f"Stepsmith: the workflows of {application.project}, stage {stage.name}",
            termination_protection=stage.protected,
            **kwargs,
        )
        Tags.of(self).add("stepsmith:project", application.project)
        Tags.of(self).add("stepsmith:stage", stage.name)
        self._application = application
        self._tables = Tables(self, "Tables", protected=stage.protected)
        self._bucket = RunFiles(self, "Files", days=stage.kept, protected=stage.protected)
        self._queues = Queues(self, "Queues", seconds=INTAKE_SECONDS)
        self._bus = Bus(self, "Bus", stage=stage.name, protected=stage.protected)
        self._api = HttpApi(self, "Http", stage=stage.name, domain=stage.domain)
        self._link_key()
        self._core_around = self._surroundings()
        self._action_around = self._surroundings("latches", "outbox", "results")
        self._places = grants.Places(
            stage,
            self._tables,
            self._bucket.bucket_arn,
            self._queues.events.queue_arn,
            self._bus.event_bus_arn,
        )
        self._core: dict[str, Function] = {}
        for name in sorted(CORE, key=_AFTER_LATCHES.__contains__):
            self._core[name] = self._core_function(name)
        self._actions = {one.name: self._action(one) for one in application.actions}
        self._builds = self._project()
        self._open_api()
        lay(self, application, self._fills(), self._ways())
        self._sources()
        self._watch(tell_of_executions(self, stage.name, self._core["records"].function))

    def _surroundings(self, *tables: str) -> Surroundings:
        """Return what functions have in common that know of these tables; without names, of all."""
        stage = self._application.stage
        variables = {
            **self._tables.variables(*tables),
            environment.STAGE: stage.name,
            environment.BUCKET: self._bucket.bucket_name,
        }
        if stage.sender is not None:
            variables[environment.SENDER] = stage.sender
        if not tables:
            variables[environment.API] = self._api.url
            if stage.chat is not None:
                variables[environment.CHAT] = stage.chat
        return Surroundings(stage.name, stage.architecture, stage.days, stage.protected, variables)

    def _link_key(self) -> None:
        stage = self._application.stage
        key = secretsmanager.Secret(
            self,
            "LinkKey",
            secret_name=f"stepsmith/{stage.name}/{environment.LINK_KEY}",
            description="What the links in mails are signed with",
            generate_secret_string=secretsmanager.SecretStringGenerator(
                password_length=64, exclude_punctuation=True
            ),
            # Not where its making is undone: its name would be taken at the next deployment.
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
            if stage.protected
            else RemovalPolicy.DESTROY,
        )
        acknowledge(key, "AwsSolutions-SMG4", "a new key makes all links void that are out")

    # --- functions ------------------------------------------------------------------------------

    def _core_function(self, name: str) -> Function:
        application = self._application
        allowed = grants.of_core(name, self._places, application.secrets)
        recipe = Recipe(
            name,
            f"functions.handlers.{name}.handler",
            application.code[name],
            (*allowed, *self._reads(name)),
            self._more_variables(name),
            **_SIZES[name],
        )
        return Function(self, name.capitalize(), recipe, self._core_around, pinned=name in _PINNED)

    def _reads(self, name: str) -> tuple[Statement, ...]:
        """Return what a function may read by way of Lambda, and which other one it may call."""
        tables, queues, application = self._tables, self._queues, self._application
        failures = queues.failures.queue_arn
        if name == "wake":
            return reading_streams([tables.stream("tasks")], failures)
        if name == "records":
            streams = [tables.stream("results"), tables.stream("tasks")]
            call = Statement(("lambda:InvokeFunction",), (self._core["latches"].arn,))
            return (*reading_streams(streams, failures), call)
        if name != "intake":
            return ()
        found = sources(application.workflows, application.stage.streams)
        others = [queue_arn(one) for one, changes in found.items() if not changes]
        own = reading_queues([queues.events.queue_arn, queues.dead.queue_arn, *others])
        listened = [one for one, changes in found.items() if changes]
        return (own, *(reading_streams(listened, failures) if listened else ()))

    def _more_variables(self, name: str) -> dict[str, str]:
        more = {environment.PEOPLE: "people.json"} if name in KNOW_PEOPLE else {}
        if name not in KNOW_WORKFLOWS:
            return more
        if name == "api":
            more[environment.CONSOLE] = "console"
        queues = self._queues
        if name == "records":
            more[environment.LATCHES_FUNCTION] = self._core["latches"].function.function_name
        return {
            **more,
            environment.MACHINES: (
                f"arn:{Aws.PARTITION}:states:{Aws.REGION}:{Aws.ACCOUNT_ID}:stateMachine:"
            ),
            environment.ALIAS: ALIAS,
            environment.QUEUE: queues.events.queue_url,
            environment.DEAD_LETTERS: queues.dead.queue_arn,
            environment.BUS: self._bus.event_bus_name,
            environment.MANIFESTS: "manifests",
            environment.RETENTION: str(self._application.stage.kept),
            environment.LOGS: ",".join(self._step_logs()),
        }

    def _step_logs(self) -> list[str]:
        """Return where steps log to."""
        application = self._application
        names = [action_name(one.name) for one in application.actions]
        names += ["builds"] if application.build is not None else []
        return [log_group(application.stage.name, name) for name in names]

    def _action(self, action: Action) -> Function:
        name = action_name(action.name)
        variables = {environment.ACTION: action.name}
        if name in KNOW_PEOPLE:
            variables[environment.PEOPLE] = "people.json"
        if action.file is not None:
            variables[environment.ACTION_FILE] = action.file
        if self._application.has_templates:
            variables[environment.TEMPLATES] = "templates"
        recipe = Recipe(
            name,
            "functions.handlers.action.handler",
            self._application.code[name],
            grants.of_action(action, self._places),
            variables,
            scratch=_FILES if action.works_on_files else 512,
            **_ACTION,
        )
        words = "".join(word.capitalize() for word in name.split("-"))
        return Function(self, words, recipe, self._action_around, pinned=True)

    def _project(self) -> Builds | None:
        application = self._application
        if application.build is None:
            return None
        allowed = grants.of_builds(application.build_secrets, self._places)
        return Builds(self, "Builds", application.build, self._action_around, allowed)

    # --- what they are connected by ---------------------------------------------------------------

    def _open_api(self) -> None:
        stage, api = self._application.stage, self._api
        if stage.auth == "cognito":
            pool = auth.Pool(
                self, "Login", stage=stage.name, pages=f"{api.url}/", protected=stage.protected
            )
            authorisation = pool.authorisation(api.id)
            CfnOutput(self, "UserPool", value=pool.pool.user_pool_id)
            CfnOutput(self, "UserPoolClient", value=pool.client.ref)
        elif stage.auth == "oidc" and stage.oidc is not None:
            authorisation = auth.by_issuer(self, api.id, stage.oidc)
        else:
            authorisation = auth.by_iam()
        answers = self._core["api"].function
        answers.add_environment(environment.LOGIN, self.to_json_string(authorisation.login))
        log = LogGroup(self, "Calls", log_group(stage.name, "calls"), stage.days)
        api.connect(answers, authorisation, log)
        CfnOutput(self, "ConsoleUrl", value=f"{api.url}/", description="The pages")
        CfnOutput(self, "ApiUrl", value=f"{api.url}/api", description="The HTTP API")
        CfnOutput(
            self,
            "WebhookUrl",
            value=f"{api.url}/api/webhooks/",
            description="What addresses of webhooks begin with; a trigger's name follows",
        )
        if api.target is not None:
            CfnOutput(
                self, "DomainTarget", value=api.target, description="What the domain leads to"
            )
        self._tell_of_webhooks()

    def _tell_of_webhooks(self) -> None:
        """Say what is entered at GitHub, and at whoever else calls."""
        stage = self._application.stage.name
        for workflow in self._application.workflows:
            for at, trigger in enumerate(workflow.triggers):
                if trigger["type"] not in ("git-push", "http"):
                    continue
                by = "GitHub" if trigger["type"] == "git-push" else "Webhook"
                words = "".join(part.capitalize() for part in workflow.reference.split("_"))
                name = quote(f"{workflow.reference}.{trigger['name']}", safe="")
                CfnOutput(
                    self,
                    f"{by}{''.join(filter(str.isalnum, words))}{at + 1}",
                    value=f"{self._api.url}/api/webhooks/{name}",
                    description=f"Payload URL at {by}, application/json; its secret is the value "
                    f"of stepsmith/{stage}/{trigger['settings']['secret']}",
                )

    def _fills(self) -> dict[str, Fill]:
        """Return what stands for the placeholders of definitions, machines apart."""
        names = {"latches": "latches", "tasks": "tasks", "records": "stored"}
        functions = {name: self._core[function] for name, function in names.items()}
        functions |= {f"action:{name}": one for name, one in self._actions.items()}
        fills = {name: Fill(one.version, (one.every_version,)) for name, one in functions.items()}
        fills["bus"] = Fill(self._bus.event_bus_name, (self._bus.event_bus_arn,))
        if self._builds is not None:
            fills["codebuild"] = Fill(self._builds.project.ref, self._builds.resources)
        return fills

    def _ways(self) -> Ways:
        group = scheduler.CfnScheduleGroup(
            self, "Schedules", name=f"stepsmith-{self._application.stage.name}"
        )
        writer = role(
            self,
            "Scheduler",
            "scheduler.amazonaws.com",
            [
                Statement(
                    ("sqs:SendMessage",),
                    (self._queues.events.queue_arn, self._queues.failures.queue_arn),
                )
            ],
        )
        return Ways(
            self._queues.events.queue_arn,
            self._queues.failures.queue_arn,
            self._bus.event_bus_name,
            writer.role_arn,
            group.ref,
        )

    def _sources(self) -> None:
        """Connect the streams of tables and the queues to the functions that read them."""
        application, intake = self._application, self._core["intake"].function
        failures = self._queues.failures
        own = Sources(self, "Reads", intake, failures)
        own.queue("Events", self._queues.events.queue_arn)
        own.queue("Dead", self._queues.dead.queue_arn)
        own.of_others(application.workflows, application.stage.streams)
        streams = Streams(self, "Streams", failures)
        wake, records = self._core["wake"].function, self._core["records"].function
        tasks, results = self._tables.stream("tasks"), self._tables.stream("results")
        streams.read("Wake", tasks, wake, _OF_TASKS)
        streams.read("RecordsResults", results, records)
        streams.read("RecordsTasks", tasks, records, _OF_TASKS)

    def _watch(self, failed: events.CfnRule) -> None:
        watched = Watched(
            stage=self._application.stage.name,
            functions={name: one.function for name, one in self._core.items()},
            logs={name: self._core[name].log for name in ("api", "records", "tasks")},
            failed=failed.ref,
            events=self._queues.events,
            dead=self._queues.dead,
            failures=self._queues.failures,
            api=self._api.id,
        )
        Alarms(self, "Alarms", watched, self._application.stage.alarms)
        Dashboard(self, "Dashboard", watched)
