"""Which calls of AWS the adapters of a function make, read off its modules."""

from __future__ import annotations

import ast
from pathlib import Path

from cdk.packaging.functions import Code

TABLES = {
    "events": "events",
    "latches": "latches",
    "locks": "latches",
    "mail": "outbox",
    "new_runs": "runs",
    "notifications": "outbox",
    "result_rows": "results",
    "results": "results",
    "runs": "runs",
    "stored": "results",
    "switches": "events",
    "task_tokens": "task-tokens",
    "tasks": "tasks",
}
"""The table that each adapter works on."""

ACTIONS = {
    "batch_get_item": "dynamodb:BatchGetItem",
    "delete_item": "dynamodb:DeleteItem",
    "describe_cluster": "eks:DescribeCluster",
    "describe_execution": "states:DescribeExecution",
    "filter_log_events": "logs:FilterLogEvents",
    "get_execution_history": "states:GetExecutionHistory",
    "get_item": "dynamodb:GetItem",
    "get_object": "s3:GetObject",
    "get_secret_value": "secretsmanager:GetSecretValue",
    "invoke": "lambda:InvokeFunction",
    "list_objects_v2": "s3:ListBucket",
    "publish": "sns:Publish",
    "put_events": "events:PutEvents",
    "put_item": "dynamodb:PutItem",
    "put_object": "s3:PutObject",
    "query": "dynamodb:Query",
    "scan": "dynamodb:Scan",
    "send_email": "ses:SendEmail",
    "send_message": "sqs:SendMessage",
    "send_task_failure": "states:SendTaskFailure",
    "send_task_success": "states:SendTaskSuccess",
    "start_execution": "states:StartExecution",
    "stop_execution": "states:StopExecution",
    "update_item": "dynamodb:UpdateItem",
}
"""What IAM calls the operations of clients."""

_TRANSACTION = {"Put": "put_item", "Update": "update_item", "Delete": "delete_item"}
_HARMLESS = {"exceptions"}


def calls_of(code: Code) -> dict[str, set[str]]:
    """Return the actions that a function needs, by table; under the empty text all others."""
    found: dict[str, set[str]] = {}
    traced = code.traced()
    for module, path in traced.modules.items():
        if not module.startswith("functions.adapters."):
            continue
        table = TABLES.get(module.rpartition(".")[2], "")
        parts = {name for place, name in traced.parts if place == module}
        for operation in operations(path, parts):
            action = ACTIONS[operation]
            place = table if action.startswith("dynamodb:") else ""
            found.setdefault(place, set()).add(action)
    return found


def operations(path: Path, parts: set[str]) -> set[str]:
    """Return the operations of clients that parts of an adapter call.

    Raises KeyError for one that is not known here.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for part in tree.body:
        if getattr(part, "name", None) in parts:
            found |= _operations(part, path.name)
    return found


def _operations(part: ast.stmt, file: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(part):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name = node.func.attr
        if not _is_client(node.func.value) or name in _HARMLESS:
            continue
        if name == "get_paginator":
            first = node.args[0]
            assert isinstance(first, ast.Constant)
            found.add(str(first.value))
        elif name == "transact_write_items":
            texts = {one.value for one in ast.walk(part) if isinstance(one, ast.Constant)}
            found |= {call for key, call in _TRANSACTION.items() if key in texts}
        elif name in ACTIONS:
            found.add(name)
        else:
            raise KeyError(f"{file} calls {name}, of which this test does not know the action")
    return found


def _is_client(node: ast.expr) -> bool:
    """Whether an expression is a client by its name: `client`, `self._client`, `self._client()`."""
    if isinstance(node, ast.Call):
        node = node.func
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return name.lstrip("_") in ("client", "eks", "s3", "dynamodb")
