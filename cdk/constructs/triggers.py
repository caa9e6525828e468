"""What starts the runs of a workflow: rules and schedules that write into the stage's queue."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import CfnDeletionPolicy
from aws_cdk import aws_events as events
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from cdk.model import Workflow
from protocol.events import buses_of
from protocol.manifest import TriggerManifest
from protocol.payloads import Json

_WHOLE = "<aws.events.event.json>"
"""https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html"""
_SCHEDULED = "<aws.scheduler.scheduled-time>"
"""https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html"""
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Ways:
    """Where events go, by ARNs and names: one queue for all, and one for what cannot be delivered.

    `scheduler` is the role that schedules write with, `group` the schedules' group.
    """

    queue: str
    failures: str
    bus: str
    scheduler: str
    group: str


class Triggers(Construct):
    """The triggers of a workflow, and the events that its steps wait for.

    Rules for waits stay where something else is deployed, if `kept`: runs on an older version
    wait for what that one asked for.
    """

    def __init__(
        self, scope: Construct, id: str, workflow: Workflow, ways: Ways, *, kept: bool
    ) -> None:
        super().__init__(scope, id)
        self._ways = ways
        for trigger in workflow.triggers:
            name = f"{workflow.reference}.{trigger['name']}"
            if trigger["type"] == "event":
                self._rules(trigger, name)
            elif trigger["type"] == "schedule":
                self._schedule(trigger, name)
        for pattern in workflow.patterns:
            for bus in buses_of(pattern):
                id_, template = f"Waits{_digest(pattern)}", f'{{"event":{_WHOLE}}}'
                rule = self._rule(id_, bus, pattern, template)
                rule.description = f"What steps of {workflow.reference} wait for, in some version"
                if kept:
                    rule.cfn_options.deletion_policy = CfnDeletionPolicy.RETAIN_EXCEPT_ON_CREATE
                    rule.cfn_options.update_replace_policy = CfnDeletionPolicy.RETAIN

    def _rules(self, trigger: TriggerManifest, name: str) -> None:
        pattern, buses = trigger["settings"]["pattern"], trigger["settings"]["buses"]
        assert isinstance(pattern, dict)
        assert isinstance(buses, list)
        for bus in buses:
            template = f'{{"trigger":{_text(name)},"event":{_WHOLE}}}'
            self._rule(f"On{_digest(trigger['name'])}", str(bus), pattern, template)

    def _rule(
        self, id: str, bus: str, pattern: Mapping[str, Json], template: str
    ) -> events.CfnRule:
        return events.CfnRule(
            self,
            f"{id}{bus.capitalize()}",
            event_bus_name=self._ways.bus if bus == "stage" else "default",
            event_pattern=dict(pattern),
            state="ENABLED",
            targets=[
                events.CfnRule.TargetProperty(
                    id="queue",
                    arn=self._ways.queue,
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_template=template
                    ),
                    dead_letter_config=events.CfnRule.DeadLetterConfigProperty(
                        arn=self._ways.failures
                    ),
                )
            ],
        )

    def _schedule(self, trigger: TriggerManifest, name: str) -> None:
        settings = trigger["settings"]
        scheduler.CfnSchedule(
            self,
            f"At{_digest(trigger['name'])}",
            group_name=self._ways.group,
            schedule_expression=str(settings["expression"]),
            schedule_expression_timezone=str(settings["timezone"]),
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            state="ENABLED",
            target=scheduler.CfnSchedule.TargetProperty(
                arn=self._ways.queue,
                role_arn=self._ways.scheduler,
                input=f'{{"trigger":{_text(name)},"event":{{"scheduled_time":"{_SCHEDULED}"}}}}',
                dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(
                    arn=self._ways.failures
                ),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_event_age_in_seconds=_DAY, maximum_retry_attempts=185
                ),
            ),
        )


def sources(workflows: Sequence[Workflow], streams: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the queues and streams of others that triggers listen to, each once.

    By what names them (an ARN, or a queue's name); of a stream with the changes that are asked
    for, as DynamoDB spells them, of a queue with none. `streams` are ARNs by names of tables.
    """
    found: dict[str, list[str]] = {}
    for workflow in workflows:
        for trigger in workflow.triggers:
            settings = trigger["settings"]
            if trigger["type"] == "queue":
                found.setdefault(str(settings["queue"]), [])
            elif trigger["type"] == "database":
                table, operations = str(settings["table"]), settings["operations"]
                assert isinstance(operations, list)
                changes = found.setdefault(streams.get(table, table), [])
                changes += [up for one in operations if (up := str(one).upper()) not in changes]
    return found


def _text(text: str) -> str:
    """Return a text as JSON in which nothing looks like a variable of a template."""
    return json.dumps(text, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
