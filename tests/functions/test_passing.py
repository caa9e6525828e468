"""A service that does not answer for a moment fails no run: machines try again."""

from __future__ import annotations

from typing import Any

import botocore.exceptions as boto
import pytest

from functions.adapters.latches import DynamoLatches
from functions.adapters.results import DynamoResults
from functions.domain.errors import ValidationError
from functions.handlers import latches, stored, tasks
from protocol.names import LAMBDA_TRANSIENT
from tests.local.runs import compiled, played, steps_of


def answered(code: str, status: int) -> boto.ClientError:
    answer: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return boto.ClientError(answer, "UpdateItem")


PASSING = [
    answered("InternalServerError", 500),
    answered("ThrottlingException", 400),
    answered("ProvisionedThroughputExceededException", 400),
    boto.ReadTimeoutError(endpoint_url="https://dynamodb"),
    boto.ConnectTimeoutError(endpoint_url="https://dynamodb"),
    boto.EndpointConnectionError(endpoint_url="https://dynamodb"),
]
LASTING = [
    answered("AccessDeniedException", 400),
    answered("ValidationException", 400),
    KeyError("a name"),
    ValidationError("nobody can decide"),
]


def stored_with(wiring: Any) -> Any:
    """The handler of `stored`, of which no test here asks for called workflows."""
    return stored.handler_with(wiring, lambda _: ())


HANDLERS = [latches.handler_with, stored_with, tasks.handler_with]


def raised_by(handler_with: Any, error: Exception) -> BaseException:
    def wiring() -> Any:
        raise error

    with pytest.raises(Exception) as found:  # noqa: PT011 (which, is what is asked)
        handler_with(wiring)({"op": "pause"}, None)
    return found.value


@pytest.mark.parametrize("handler_with", HANDLERS)
@pytest.mark.parametrize("error", PASSING, ids=lambda one: str(one)[:60])
def test_what_passes_is_told_as_machines_know_it(handler_with, error):
    raised = raised_by(handler_with, error)
    assert type(raised).__name__ in LAMBDA_TRANSIENT
    assert str(error) in str(raised)
    assert raised.__cause__ is error


@pytest.mark.parametrize("handler_with", HANDLERS)
@pytest.mark.parametrize("error", LASTING, ids=lambda one: str(one)[:60])
def test_what_does_not_pass_stays_what_it_is(handler_with, error):
    assert raised_by(handler_with, error) is error


N = """
    name: n
    steps:
      - {id: a, run: "true", depends_on: []}
      - {id: b, run: "true", depends_on: []}
      - {id: c, run: "true", depends_on: [a, b]}
      - {id: d, run: "true", depends_on: [b]}
"""


@pytest.mark.parametrize(("owner", "method"), [(DynamoLatches, "_write"), (DynamoResults, "claim")])
def test_a_run_goes_on_where_a_table_did_not_answer(monkeypatch, owner, method):
    """Every second call fails, of signals, waits and claims of steps without a retry."""
    calls = []
    works = getattr(owner, method)

    def flaky(self, *arguments, **keywords):
        calls.append(arguments)
        if len(calls) % 2:
            raise PASSING[0]
        return works(self, *arguments, **keywords)

    monkeypatch.setattr(owner, method, flaky)
    _, record = played(compiled(N), {})
    assert record["status"] == "succeeded"
    assert {one["status"] for one in steps_of(record).values()} == {"succeeded"}
    assert {one["attempt"] for one in steps_of(record).values()} == {1}
    assert len(calls) >= 4
