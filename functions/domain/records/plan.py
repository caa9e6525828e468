"""What records need of a version of a workflow: its rules and blocks, and those of its children."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.manifest import RuleManifest, StepManifest, WorkflowManifest
from protocol.status import Rule


@dataclass(frozen=True, slots=True)
class Plan:
    """`children` are the workflows called, by the machines that their executions name."""

    workflow: str
    version: str
    rules: Mapping[str, Rule]
    handlers: Mapping[str, Rule] = field(default_factory=dict)
    blocks: Mapping[str, str] = field(default_factory=dict)
    children: Mapping[str, Plan] = field(default_factory=dict)
    steps: Mapping[str, StepManifest] = field(default_factory=dict)


def plan_of(manifest: WorkflowManifest, children: Mapping[str, Plan]) -> Plan:
    """Return the plan of a manifest, given those of the workflows it calls by their machines."""
    return Plan(
        workflow=manifest["id"],
        version=manifest["version"],
        rules={step: _rule(rule) for step, rule in manifest["rules"].items()},
        handlers={step: _rule(rule) for step, rule in manifest["handlers"].items()},
        blocks=manifest["blocks"],
        children=children,
        steps={
            step["id"]: step for step in (*manifest["steps"], *manifest.get("handler_steps", []))
        },
    )


def _rule(rule: RuleManifest) -> Rule:
    return Rule(
        id=rule["id"],
        depends_on=tuple(rule["depends_on"]),
        written=rule["written"],
        manual=rule["manual"],
        continues=frozenset(rule["continues"]),
        has_condition=rule["has_condition"],
        has_status_function=rule["has_status_function"],
        asks=frozenset(rule["asks"]),
    )
