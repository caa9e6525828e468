"""An office with the real tables on moto, and executions that count their answers."""

from __future__ import annotations

import boto3
import pytest

from functions.adapters.task_tokens import DynamoTaskTokens
from functions.adapters.tasks import DynamoTasks
from functions.handlers import wake as wake_function
from local.clock import Clock
from local.engine import REGION, Engine
from local.people import SETTINGS, Stream
from local.tables import create_tables
from tests.functions.tasks.office import Scene, SetClock


@pytest.fixture(scope="module")
def dynamodb():
    """The tables, for all tests of a module: each works on a run of its own."""
    with Engine({}):
        client = boto3.client("dynamodb", region_name=REGION)
        create_tables(client, ("tasks", "task-tokens", "outbox"))
        yield client


@pytest.fixture(scope="module")
def stream(dynamodb):  # noqa: ARG001 (of its table)
    """The stream of the tasks' table; it wakes the run of the scene that was made last."""
    scenes: list[Scene] = []

    def wake(batch, context):
        wake_function.handler_with(lambda: scenes[-1].waker)(batch, context)

    return Stream(Clock(), wake), scenes


@pytest.fixture
def opened(dynamodb, stream):
    """Make a scene on the real tables; `stream.read()` wakes its run."""

    def make(**fields):
        read, scenes = stream
        if scenes:
            read.read()  # what the scene before left unread
        tasks = DynamoTasks(dynamodb, SETTINGS.tasks_table)
        scene = Scene(
            tasks, DynamoTaskTokens(dynamodb, SETTINGS.tokens_table, SetClock()), **fields
        )
        scene.stream = read
        scenes.append(scene)
        return scene

    return make


@pytest.fixture
def scene(opened):
    return opened()
