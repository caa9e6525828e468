"""The workflows of a stage: each in a nested stack of its own, after those that it calls.

A machine keeps its name wherever it is, so it could not move from one stack to another: the new
one would be made while the old one is there. That is why they are apart from the first on, and
not only when a single stack would be full.
"""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import NestedStack, Stack, Tags
from constructs import Construct

from cdk.constructs.machines import Fill, StateMachine, machine_fill, placeholders
from cdk.constructs.triggers import Triggers, Ways
from cdk.model import Application, Machine, Workflow


def lay(
    stack: Stack, application: Application, fills: Mapping[str, Fill], ways: Ways
) -> dict[str, WorkflowStack]:
    """Make the nested stack of each workflow and return them by the references."""
    made: dict[str, WorkflowStack] = {}
    for workflow in in_order(application.workflows):
        called = {
            f"machine:{name}": fill
            for child in workflow.children
            for name, fill in made[child].fills.items()
        }
        made[workflow.reference] = WorkflowStack(
            stack, workflow, {**fills, **called}, ways, application
        )
    return made


def in_order(workflows: tuple[Workflow, ...]) -> list[Workflow]:
    """Return workflows, each behind those that it calls; else in the order they came."""
    known = {one.reference: one for one in workflows}
    found: dict[str, Workflow] = {}

    def add(one: Workflow) -> None:
        if one.reference not in found:
            for child in one.children:
                add(known[child])
            found[one.reference] = one

    for workflow in workflows:
        add(workflow)
    return [*found.values()]


class WorkflowStack(NestedStack):
    """The machines of one version of a workflow, and its triggers."""

    def __init__(
        self,
        scope: Construct,
        workflow: Workflow,
        fills: Mapping[str, Fill],
        ways: Ways,
        application: Application,
    ) -> None:
        super().__init__(
            scope,
            f"Workflow-{workflow.reference}",
            description=f"Stepsmith, stage {application.stage.name}: {workflow.reference}",
        )
        Tags.of(self).add("stepsmith:workflow", workflow.reference)
        self.fills: dict[str, Fill] = {}
        """What stands for its machines, by the stage's references to them."""
        known = dict(fills)
        for machine in _behind_those_started(workflow):
            part = machine.name.removeprefix(workflow.reference)
            made = StateMachine(self, f"Machine{part}", machine, known, application)
            fill = machine_fill(application.stage.name, machine.name, made.version)
            self.fills[machine.name] = known[f"machine:{machine.name}"] = fill
        Triggers(self, "Triggers", workflow, ways, kept=application.stage.protected)


def _behind_those_started(workflow: Workflow) -> list[Machine]:
    """Return a workflow's machines, each behind those of its own that it starts."""
    known = {f"machine:{one.name}": one for one in workflow.machines}
    found: dict[str, Machine] = {}

    def add(one: Machine) -> None:
        if one.name not in found:
            for name in sorted(placeholders(one.definition) & known.keys()):
                add(known[name])
            found[one.name] = one

    for machine in workflow.machines:
        add(machine)
    return [*found.values()]
