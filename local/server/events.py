"""HTTP requests as the events that API Gateway gives a function, and its answers as responses.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

from __future__ import annotations

import base64
import re
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

_TEXT = re.compile(r"text/.*|application/(json|javascript|xml|.*\+(json|xml))")
"""Types of bodies that come as text; all others come as base64."""
_HOST = re.compile(r"https?://[^/?]*(?=[/?]|$)")
"""What a proxy is told before the path (RFC 9112, 3.2.2)."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request; names of headers in lower case, several values of one joined by commas."""

    method: str
    target: str  # path and query, as they were sent
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def path(self) -> str:
        """Return the path, without its percent signs."""
        return unquote(self._parts()[0])

    @property
    def query(self) -> dict[str, str]:
        """Return the parameters of the query; of one given twice, the last."""
        return dict(parse_qsl(self.query_string, keep_blank_values=True))

    @property
    def query_string(self) -> str:
        """Return what stands behind the question mark, as it was sent."""
        return self._parts()[1]

    @property
    def cookies(self) -> dict[str, str]:
        """Return the cookies by their names."""
        pairs = (part.strip().partition("=") for part in self._cookies())
        return {name: value for name, _, value in pairs if name}

    def _parts(self) -> tuple[str, str]:
        # By hand: `urlsplit` takes `//name` for a host, and raises on `//[`.
        target = _HOST.sub("", self.target.partition("#")[0])
        path, _, query = target.partition("?")
        return path, query

    def _cookies(self) -> list[str]:
        return [one for one in self.headers.get("cookie", "").split(";") if one.strip()]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def event_of(request: Request, person: str | None) -> dict[str, Any]:
    """Return the event of a request by somebody who is logged in, or by nobody."""
    headers = {name: value for name, value in request.headers.items() if name != "cookie"}
    path, query = request.path, request.query_string
    host = headers.get("host", "")
    is_text = _TEXT.fullmatch(headers.get("content-type", "text/plain").partition(";")[0].strip())
    context: dict[str, Any] = {
        "accountId": "123456789012",
        "apiId": "local",
        "domainName": host,
        "domainPrefix": host.partition(".")[0],
        "http": {
            "method": request.method,
            "path": path,
            "protocol": "HTTP/1.1",
            "sourceIp": "127.0.0.1",
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": str(uuid.uuid4()),
        "routeKey": "$default",
        "stage": "$default",
        "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime()),
        "timeEpoch": int(time.time() * 1000),
    }
    if person is not None:
        context["authorizer"] = {"jwt": {"claims": {"email": person}, "scopes": None}}
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers,
        "requestContext": context,
        "isBase64Encoded": not is_text,
    }
    cookies = [f"{name}={value}" for name, value in request.cookies.items()]
    if cookies:
        event["cookies"] = cookies
    if query:
        event["queryStringParameters"] = _joined(parse_qsl(query, keep_blank_values=True))
    if request.body:
        event["body"] = (
            request.body.decode(errors="replace")
            if is_text
            else base64.b64encode(request.body).decode()
        )
    return event


def answer_of(answered: Mapping[str, Any]) -> Answer:
    """Return the response that a function's answer is."""
    body = answered.get("body") or ""
    data = base64.b64decode(body) if answered.get("isBase64Encoded") else body.encode()
    headers = [(name, str(value)) for name, value in (answered.get("headers") or {}).items()]
    headers += [
        (name, str(value))
        for name, values in (answered.get("multiValueHeaders") or {}).items()
        for value in values
    ]
    headers += [("Set-Cookie", cookie) for cookie in answered.get("cookies") or ()]
    return Answer(int(answered.get("statusCode", 200)), tuple(headers), data)


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return parameters by their names; several of one name are joined by commas."""
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: ",".join(values) for name, values in found.items()}
