"""What tells people that something is wrong, and one page that shows how the stage is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge

NAMESPACE = "Stepsmith"
NOT_SENT = "NotSent"
_MINUTES = 5


@dataclass(frozen=True, slots=True)
class Watched:
    """What alarms and the dashboard look at; `failed` is the rule for runs that fail."""

    stage: str
    functions: Mapping[str, lambda_.IFunction]
    logs: Mapping[str, logs.ILogGroup]
    failed: str
    events: sqs.IQueue
    dead: sqs.IQueue
    failures: sqs.IQueue
    api: str


class Alarms(Construct):
    """Six alarms, and the topic that they tell; with addresses, it tells those by mail."""

    def __init__(self, scope: Construct, id: str, watched: Watched, mails: Sequence[str]) -> None:
        super().__init__(scope, id)
        self.topic = sns.Topic(self, "Topic", enforce_ssl=True)
        _let_alarms_publish(self.topic)
        for mail in mails:
            self.topic.add_subscription(subscriptions.EmailSubscription(mail))
        acknowledge(
            self.topic,
            "AwsSolutions-SNS2",
            "alarms cannot write to a topic under AWS's key, and hold no data",
        )
        self._watched = watched
        for name, metric, text in self._all():
            alarm = metric.create_alarm(
                self,
                name,
                alarm_description=f"Stepsmith, stage {watched.stage}: {text}",
                threshold=1,
                evaluation_periods=1,
                comparison_operator=(
                    cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
                ),
                treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
            )
            alarm.add_alarm_action(actions.SnsAction(self.topic))

    def _all(self) -> list[tuple[str, cloudwatch.Metric, str]]:
        seen, period = self._watched, Duration.minutes(_MINUTES)
        return [
            (
                "FailedRuns",
                _metric("AWS/Events", "TriggeredRules", {"RuleName": seen.failed}),
                "runs failed; `stepsmith runs --status failed` lists them",
            ),
            (
                "DeadLetters",
                # Received, not visible: the function that keeps them takes them out at once.
                _metric("AWS/SQS", "NumberOfMessagesReceived", {"QueueName": seen.dead.queue_name}),
                "events could not be taken in; `stepsmith events --dead` lists them",
            ),
            (
                "Undelivered",
                seen.failures.metric_approximate_number_of_messages_visible(
                    period=period, statistic="Maximum"
                ),
                "a stream, a rule or a schedule could not hand something over",
            ),
            (
                "TasksNotOpened",
                seen.functions["tasks"].metric_errors(period=period),
                "tasks for people could not be opened, escalated or closed",
            ),
            (
                "NotSent",
                self._not_sent(),
                "people could not be told; a task's history says whom and why",
            ),
            (
                "Throttled",
                _metric("AWS/Lambda", "Throttles", {}),
                "functions of this account are called more often than it may call them",
            ),
        ]

    def _not_sent(self) -> cloudwatch.Metric:
        """Count the lines by which functions say that a message could not be sent."""
        for name, group in self._watched.logs.items():
            logs.MetricFilter(
                self,
                f"NotSentBy{name.capitalize()}",
                log_group=group,
                metric_namespace=NAMESPACE,
                metric_name=f"{NOT_SENT}-{self._watched.stage}",
                filter_pattern=logs.FilterPattern.literal('"could not be told of"'),
                metric_value="1",
            )
        return _metric(NAMESPACE, f"{NOT_SENT}-{self._watched.stage}", {})


def _let_alarms_publish(topic: sns.Topic) -> None:
    """Let this account's alarms write to a topic.

    A topic without a policy lets them; one with any policy, such as that it takes TLS only, lets
    nobody whom the policy does not name.

    https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
    """
    alarms = f"arn:{Aws.PARTITION}:cloudwatch:{Aws.REGION}:{Aws.ACCOUNT_ID}:alarm:*"
    topic.add_to_resource_policy(
        iam.PolicyStatement(
            actions=["sns:Publish"],
            principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
            resources=[topic.topic_arn],
            conditions={"ArnLike": {"aws:SourceArn": alarms}},
        )
    )


class Dashboard(Construct):
    """Runs, events, the API and the functions on one page."""

    def __init__(self, scope: Construct, id: str, watched: Watched) -> None:
        super().__init__(scope, id)
        api = {"ApiId": watched.api}
        board = cloudwatch.Dashboard(self, "Page", dashboard_name=f"stepsmith-{watched.stage}")
        board.add_widgets(
            _graph("Runs that failed", [
                _metric("AWS/Events", "TriggeredRules", {"RuleName": watched.failed}),
            ]),
            _graph("Events", [
                watched.events.metric_number_of_messages_received(),
                watched.events.metric_approximate_age_of_oldest_message(),
                _metric("AWS/SQS", "NumberOfMessagesReceived",
                        {"QueueName": watched.dead.queue_name}),
            ]),
            _graph("API", [
                _metric("AWS/ApiGateway", name, api) for name in ("Count", "4xx", "5xx")
            ]),
        )  # fmt: skip
        functions = [*watched.functions.values()]
        board.add_widgets(
            _graph("Calls", [one.metric_invocations() for one in functions]),
            _graph("Errors", [one.metric_errors() for one in functions]),
            _graph("Milliseconds", [one.metric_duration() for one in functions]),
        )


def _metric(namespace: str, name: str, dimensions: Mapping[str, str]) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace=namespace,
        metric_name=name,
        dimensions_map=dict(dimensions) or None,
        period=Duration.minutes(_MINUTES),
        statistic="Sum",
    )


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=[*metrics], width=8)
