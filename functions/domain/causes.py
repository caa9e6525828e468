"""Which category an error belongs to, found in its chain of causes.

Libraries wrap and rename the same few faults of networks and services; an author names the
category. Classes are known by their names, so that nothing is imported to ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

NETWORK, TIMEOUT, UNAVAILABLE, THROTTLED = (
    "NetworkError",
    "TimeoutError",
    "ServiceUnavailable",
    "Throttled",
)

# (category, whether the request may have reached the service) by class: a class's own name or,
# where that alone would say too little, with its top package before it.
_KINDS: dict[str, tuple[str, bool]] = {
    # The connection was never made.
    "ConnectTimeoutError": (TIMEOUT, False),
    "ConnectTimeout": (TIMEOUT, False),
    "PoolTimeout": (TIMEOUT, False),
    "EndpointConnectionError": (NETWORK, False),
    "NewConnectionError": (NETWORK, False),
    "NameResolutionError": (NETWORK, False),
    "ConnectError": (NETWORK, False),
    "ProxyConnectionError": (NETWORK, False),
    "ProxyError": (NETWORK, False),
    "SSLCertVerificationError": (NETWORK, False),
    "ClientConnectorError": (NETWORK, False),
    "gaierror": (NETWORK, False),
    "ConnectionRefusedError": (NETWORK, False),
    # The request was under way, or was answered in part.
    "ReadTimeoutError": (TIMEOUT, True),
    "ReadTimeout": (TIMEOUT, True),
    "WriteTimeout": (TIMEOUT, True),
    "ServerTimeoutError": (TIMEOUT, True),
    "RemoteDisconnected": (NETWORK, True),
    "IncompleteRead": (NETWORK, True),
    "ProtocolError": (NETWORK, True),
    "RemoteProtocolError": (NETWORK, True),
    "ConnectionClosedError": (NETWORK, True),
    "ResponseStreamingError": (NETWORK, True),
    "ChunkedEncodingError": (NETWORK, True),
    "ReadError": (NETWORK, True),
    "ServerDisconnectedError": (NETWORK, True),
    "ConnectionResetError": (NETWORK, True),
    "ConnectionAbortedError": (NETWORK, True),
    "BrokenPipeError": (NETWORK, True),
    # The library does not say how far it came; what is deeper in the chain may.
    "builtins.TimeoutError": (TIMEOUT, True),
    "httpx.TimeoutException": (TIMEOUT, True),
    "requests.Timeout": (TIMEOUT, True),
    "SSLError": (NETWORK, True),
    "builtins.ConnectionError": (NETWORK, False),
    "requests.ConnectionError": (NETWORK, False),
    "botocore.ConnectionError": (NETWORK, False),
    "botocore.HTTPClientError": (NETWORK, False),
    "httpx.TransportError": (NETWORK, False),
    "aiohttp.ClientConnectionError": (NETWORK, False),
    "urllib.URLError": (NETWORK, False),
    "MaxRetryError": (NETWORK, False),
}
_VAGUE = frozenset(
    {
        "SSLError",
        "builtins.ConnectionError",
        "requests.ConnectionError",
        "botocore.ConnectionError",
        "botocore.HTTPClientError",
        "httpx.TransportError",
        "aiohttp.ClientConnectionError",
        "urllib.URLError",
        "MaxRetryError",
    }
)

_THROTTLING = frozenset(
    {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "TooManyRequestsException",
        "ProvisionedThroughputExceededException",
        "TransactionInProgressException",
        "RequestLimitExceeded",
        "BandwidthLimitExceeded",
        "LimitExceededException",
        "SlowDown",
        "PriorRequestNotComplete",
        "EC2ThrottledException",
    }
)
"""https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html"""
_TIMED_OUT_CODES = frozenset({"RequestTimeout", "RequestTimeoutException"})
_LONGEST_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Category:
    """What an error comes down to.

    `sent` says that the request may have reached the service and nothing came back.
    """

    name: str
    sent: bool = False
    status_code: int | None = None


def category_of(error: BaseException) -> Category | None:
    """Return the category of an error or of what caused it; None where it has none.

    The most telling error of the chain decides: a vague one only where nothing deeper says more.
    """
    vague: Category | None = None
    for one in chain(error):
        code, status = _answer(one)
        if code or status is not None:
            return _of_answer(code, status)
        for name in _names(one):
            if name in _KINDS:
                found = Category(*_KINDS[name])
                if name not in _VAGUE:
                    return found
                vague = vague or found
                break
    return vague


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what is behind it, the nearest first."""
    seen: set[int] = set()
    waiting: list[BaseException] = [error]
    while waiting and len(seen) < _LONGEST_CHAIN:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += _behind(one)


def of_status(status: int) -> str | None:
    """Return the category of an HTTP status; None where it is no passing fault."""
    if status == 429:
        return THROTTLED
    if status in (408, 504):
        return TIMEOUT
    return UNAVAILABLE if status in (500, 502, 503) else None


def _behind(error: BaseException) -> list[BaseException]:
    """Return what an error was raised for; some libraries keep it in a place of their own."""
    context = None if error.__suppress_context__ else error.__context__
    places = (error.__cause__, getattr(error, "reason", None), *error.args, context)
    return [place for place in places if isinstance(place, BaseException)]


def _answer(error: BaseException) -> tuple[str, int | None]:
    """Return the code and the HTTP status of an error that is a service's answer; else nothing."""
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore.exceptions.ClientError
        details, meta = response.get("Error"), response.get("ResponseMetadata")
        code = str(details.get("Code", "")) if isinstance(details, Mapping) else ""
        return code, _number(meta.get("HTTPStatusCode")) if isinstance(meta, Mapping) else None
    status = _number(getattr(response, "status_code", None))  # requests, httpx
    if status is None and "HTTPError" in _names(error):  # urllib
        status = _number(getattr(error, "code", None))
    return "", status


def _of_answer(code: str, status: int | None) -> Category | None:
    name = None if status is None else of_status(status)
    if code in _THROTTLING:
        name = THROTTLED
    elif code in _TIMED_OUT_CODES:
        name = TIMEOUT
    return None if name is None else Category(name, status_code=status)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _names(error: BaseException) -> Iterator[str]:
    """Yield the names of an error's classes, the most special first, each with its package."""
    for kind in type(error).__mro__:
        package = kind.__module__.partition(".")[0]
        yield f"{package}.{kind.__name__}"
        if package != "functions":
            yield kind.__name__
