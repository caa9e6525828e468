"""The API as people call it: events of API Gateway in, answers out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, fields
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from functions.handlers import api
from functions.usecases.desk import Reception
from functions.wiring import ApiWiring
from tests.functions.tasks.office import Scene


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Log:
    """`functions.api_ports.CallLog` that keeps what it is told."""

    lines: list[tuple[Any, ...]] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)

    def answered(self, request_id, method, route, status, seconds):
        assert request_id
        assert seconds >= 0
        self.lines.append((method, route, status))

    def fault(self, request_id, route, error):
        assert request_id
        assert route
        self.faults.append(error)

    def lacking(self, request_id, route, what):
        assert request_id
        assert route
        self.lacks.append(what)


class Site:
    """The API of a scene; with `operators` whoever is logged in is one."""

    def __init__(self, scene: Scene, *, operators: bool = False):
        self.scene = scene
        self.log: Any = Log()
        self.manifests: dict[str, Any] = {}
        given: dict[str, Any] = {
            "stage": "test",
            "log": lambda: self.log,
            "desk": lambda: scene.desk,
            "task_list": lambda: scene.tasks,
            "teller": lambda: Reception(scene.desk, scene.mails),
            "manifests": lambda: SimpleNamespace(current=self.manifests.get),
            "operators": operators,
        }
        # Of runs and events nothing is there: no route of tasks asks for it.
        self.wiring = ApiWiring(**{one.name: None for one in fields(ApiWiring)} | given)
        self._handle = api.handler_with(lambda: self.wiring)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        person: str | None = None,
        claims: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> Answer:
        """Call a path (with its query); a body that is no text is sent as JSON."""
        given = {"content-type": "application/json"} if body is not None else {}
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        said = claims or ({"email": person} if person else None)
        event = event_of(method, path, text, headers={**given, **(headers or {})}, claims=said)
        return self.send({**event, **more})

    def send(self, event: dict[str, Any]) -> Answer:
        """Hand an event to the function."""
        answer = self._handle(event, None)
        assert answer["isBase64Encoded"] is False
        return Answer(answer["statusCode"], answer["headers"], answer["body"] or "")

    def form(self, path: str, fields: dict[str, Any], **more: Any) -> Answer:
        """Send a form, as a browser does."""
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return self.call("POST", path, urlencode(fields, doseq=True), headers=headers, **more)


def event_of(
    method: str,
    path: str,
    body: str | None = None,
    *,
    headers: dict[str, str] | None = None,
    claims: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Return the event that API Gateway makes of a call (HTTP API, version 2).

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    """
    split = urlsplit(path)
    query = parse_qs(split.query, keep_blank_values=True)
    context: dict[str, Any] = {
        "accountId": "123456789012", "apiId": "api", "stage": "$default", "requestId": "request-1",
        "http": {"method": method, "path": split.path, "protocol": "HTTP/1.1",
                 "sourceIp": "192.0.2.1", "userAgent": "test"},
    }  # fmt: skip
    if claims:
        context["authorizer"] = {"jwt": {"claims": claims, "scopes": None}}
    event: dict[str, Any] = {
        "version": "2.0", "routeKey": "$default", "rawPath": split.path,
        "rawQueryString": split.query, "headers": headers or {}, "requestContext": context,
        "isBase64Encoded": False,
    }  # fmt: skip
    if query:
        event["queryStringParameters"] = {key: ",".join(values) for key, values in query.items()}
    if body is not None:
        event["body"] = body
    return event


class _Form(HTMLParser):
    """Collects what a form would send, and the buttons that send it."""

    def __init__(self):
        super().__init__()
        self.fields: dict[str, str] = {}
        self.buttons: list[str] = []
        self.action: str | None = None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            self.action = given["action"]
        if tag == "input" and (given["type"] not in ("checkbox", "radio") or "checked" in given):
            self.fields[given["name"]] = given.get("value") or ""
        if tag == "button" and "disabled" not in given:
            self.buttons.append(given["value"])


def form_in(text: str) -> _Form:
    """Return the form in a page; without one it has no action."""
    form = _Form()
    form.feed(text)
    return form


def words_in(text: str) -> str:
    """Return what a page says."""
    body = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())
