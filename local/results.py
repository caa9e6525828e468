"""Stored results of a run's steps, as records read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.adapters.result_rows import DynamoResultRows
from functions.domain.records.rows import ResultRow

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["ResultRow", "rows_of"]


def rows_of(dynamodb: DynamoDBClient, table: str, run: str) -> dict[str, ResultRow]:
    """Return the stored results of a run by the paths of the steps."""
    return DynamoResultRows(dynamodb, table).of_run(run)
