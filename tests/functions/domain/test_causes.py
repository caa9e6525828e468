"""An author names a category; whatever a library raises for it is found in the chain of causes."""

from __future__ import annotations

import http.client
import socket
import ssl
import urllib.error
from typing import Any

import botocore.exceptions as boto
import pytest
import requests
import urllib3.exceptions as pool

from functions.domain.causes import Category, category_of
from functions.domain.errors import CATEGORIES
from protocol import names


def client_error(code: str, status: int = 400) -> boto.ClientError:
    answer: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return boto.ClientError(answer, "Operation")


class OwnConnectionError(requests.ConnectionError):
    """As a project's action may define."""


def caused(inner: BaseException) -> Exception:
    """Return a wrapper that was raised from an error."""
    try:
        try:
            raise inner
        except BaseException as error:
            raise ValueError("wrapped") from error
    except ValueError as outer:
        return outer


def in_passing(inner: BaseException) -> Exception:
    """Return an error that was raised while another was handled."""
    try:
        try:
            raise inner
        except BaseException:  # noqa: BLE001
            raise ValueError("wrapped")  # noqa: B904
    except ValueError as outer:
        return outer


NOWHERE: Any = None
NEW = pool.NewConnectionError(NOWHERE, "refused")


def http_error(status: int) -> urllib.error.HTTPError:
    return urllib.error.HTTPError("http://x", status, "no", http.client.HTTPMessage(), None)


@pytest.mark.parametrize(
    ("error", "category", "sent"),
    [
        (boto.EndpointConnectionError(endpoint_url="x"), "NetworkError", False),
        (boto.ConnectTimeoutError(endpoint_url="x"), "TimeoutError", False),
        (boto.ReadTimeoutError(endpoint_url="x"), "TimeoutError", True),
        (boto.ConnectionClosedError(endpoint_url="x"), "NetworkError", True),
        (requests.ConnectionError(), "NetworkError", False),
        (requests.ConnectTimeout(), "TimeoutError", False),
        (requests.ReadTimeout(), "TimeoutError", True),
        (OwnConnectionError(), "NetworkError", False),
        (requests.ConnectionError(pool.MaxRetryError(NOWHERE, "u", NEW)), "NetworkError", False),
        (requests.ConnectionError(pool.ProtocolError("aborted")), "NetworkError", True),
        (pool.MaxRetryError(NOWHERE, "u", pool.ConnectTimeoutError()), "TimeoutError", False),
        (urllib.error.URLError(socket.gaierror(-2, "unknown")), "NetworkError", False),
        (urllib.error.URLError(TimeoutError()), "TimeoutError", True),
        (ssl.SSLCertVerificationError(), "NetworkError", False),
        (ssl.SSLEOFError(), "NetworkError", True),
        (http.client.RemoteDisconnected("gone"), "NetworkError", True),
        (ConnectionRefusedError(), "NetworkError", False),
        (ConnectionResetError(), "NetworkError", True),
        (TimeoutError(), "TimeoutError", True),
        (caused(ConnectionResetError()), "NetworkError", True),
        (in_passing(boto.ReadTimeoutError(endpoint_url="x")), "TimeoutError", True),
        (caused(caused(client_error("ThrottlingException"))), "Throttled", False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_an_error_belongs_to_the_category_of_what_caused_it(error, category, sent):
    found = category_of(error)
    assert found is not None
    assert (found.name, found.sent) == (category, sent)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (client_error("Throttling"), Category("Throttled", status_code=400)),
        (client_error("SlowDown", 503), Category("Throttled", status_code=503)),
        (client_error("InternalError", 500), Category("ServiceUnavailable", status_code=500)),
        (client_error("RequestTimeout"), Category("TimeoutError", status_code=400)),
        (client_error("TooMany", 429), Category("Throttled", status_code=429)),
        (http_error(502), Category("ServiceUnavailable", status_code=502)),
    ],
    ids=str,
)
def test_what_a_service_answers_counts_as_reported(error, expected):
    assert category_of(error) == expected


@pytest.mark.parametrize(
    "error",
    [
        KeyError("x"),
        client_error("AccessDenied", 403),
        http_error(404),
        OSError("disk"),
        caused(OSError()),
    ],
    ids=repr,
)
def test_other_errors_have_no_category(error):
    assert category_of(error) is None


def test_a_cause_that_was_put_aside_does_not_count():
    def put_aside():
        try:
            raise ConnectionResetError
        except ConnectionResetError:
            raise ValueError("of its own") from None

    with pytest.raises(ValueError, match="of its own") as raised:
        put_aside()
    assert category_of(raised.value) is None


def test_a_chain_that_leads_back_to_itself_ends():
    first, second = ValueError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    assert category_of(first) is None


def test_the_categories_are_those_a_workflow_may_name():
    assert tuple(CATEGORIES) == names.CATEGORIES
    assert all(kind.__name__ == name for name, kind in CATEGORIES.items())
