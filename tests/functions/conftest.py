"""Tables and a bucket of the functions, on moto with the engine's repairs."""

from __future__ import annotations

import boto3
import pytest

from local.engine import REGION, Engine
from local.tables import create_tables
from local.workflow import TABLES


@pytest.fixture
def engine():
    """An engine with the tables of a local run and no functions."""
    with Engine({}) as engine:
        create_tables(boto3.client("dynamodb", region_name=REGION), TABLES)
        yield engine


@pytest.fixture
def dynamodb(engine):  # noqa: ARG001 (its tables)
    return boto3.client("dynamodb", region_name=REGION)
