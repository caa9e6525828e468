"""The tables of a stage, as `protocol.tables` lists them."""

from __future__ import annotations

from aws_cdk import CfnDeletionPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from protocol import environment
from protocol.tables import TABLES, Table

VARIABLES = {
    "results": environment.RESULTS_TABLE,
    "latches": environment.LATCHES_TABLE,
    "tasks": environment.TASKS_TABLE,
    "task-tokens": environment.TASK_TOKENS_TABLE,
    "outbox": environment.OUTBOX_TABLE,
    "events": environment.EVENTS_TABLE,
    "runs": environment.RUNS_TABLE,
}
"""By which variable the functions find each table."""


class Tables(Construct):
    """Paid by request, backed up from one second to the next; protected ones outlive the stack."""

    def __init__(self, scope: Construct, id: str, *, protected: bool) -> None:
        super().__init__(scope, id)
        self._made = {
            name: _table(self, name, table, protected=protected) for name, table in TABLES.items()
        }

    def variables(self, *names: str) -> dict[str, str]:
        """Return the environment that tells functions of tables; of all, where none is named."""
        wanted = names or tuple(self._made)
        return {VARIABLES[name]: self._made[name].ref for name in wanted}

    def resources(self, table: str) -> tuple[str, ...]:
        """Return what a role has to be allowed on for a table and its indexes."""
        arn = self._made[table].attr_arn
        return (arn, *(f"{arn}/index/{index}" for index in TABLES[table].indexes))

    def stream(self, table: str) -> str:
        """Return the ARN of a table's stream."""
        return self._made[table].attr_stream_arn


def _table(scope: Construct, name: str, table: Table, *, protected: bool) -> dynamodb.CfnTable:
    made = dynamodb.CfnTable(
        scope,
        "".join(word.capitalize() for word in name.split("-")),
        billing_mode="PAY_PER_REQUEST",
        attribute_definitions=[
            dynamodb.CfnTable.AttributeDefinitionProperty(attribute_name=key, attribute_type="S")
            for key in sorted(_keys(table))
        ],
        key_schema=_schema(table.keys),
        global_secondary_indexes=[
            dynamodb.CfnTable.GlobalSecondaryIndexProperty(
                index_name=index_name,
                key_schema=_schema(index.keys),
                projection=_projection(index.carries),
            )
            for index_name, index in table.indexes.items()
        ]
        or None,
        stream_specification=dynamodb.CfnTable.StreamSpecificationProperty(
            stream_view_type="NEW_AND_OLD_IMAGES"
        )
        if table.stream
        else None,
        time_to_live_specification=dynamodb.CfnTable.TimeToLiveSpecificationProperty(
            attribute_name=table.ttl, enabled=True
        )
        if table.ttl
        else None,
        point_in_time_recovery_specification=(
            dynamodb.CfnTable.PointInTimeRecoverySpecificationProperty(
                point_in_time_recovery_enabled=True
            )
        ),
        deletion_protection_enabled=protected,
    )
    policy = CfnDeletionPolicy.RETAIN if protected else CfnDeletionPolicy.DELETE
    made.cfn_options.deletion_policy = policy
    made.cfn_options.update_replace_policy = policy
    return made


def _keys(table: Table) -> set[str]:
    return {*table.keys, *(key for index in table.indexes.values() for key in index.keys)}


def _schema(keys: tuple[str, ...]) -> list[dynamodb.CfnTable.KeySchemaProperty]:
    return [
        dynamodb.CfnTable.KeySchemaProperty(attribute_name=key, key_type=kind)
        for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
    ]


def _projection(carries: tuple[str, ...] | None) -> dynamodb.CfnTable.ProjectionProperty:
    if carries is None:
        return dynamodb.CfnTable.ProjectionProperty(projection_type="ALL")
    if not carries:
        return dynamodb.CfnTable.ProjectionProperty(projection_type="KEYS_ONLY")
    return dynamodb.CfnTable.ProjectionProperty(
        projection_type="INCLUDE", non_key_attributes=[*carries]
    )
