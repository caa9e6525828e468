"""The `http-request` action: one request, its answer as outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlencode, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from functions.actions import web
from functions.domain.action import Action
from functions.domain.context import Context
from functions.domain.errors import ValidationError
from protocol.payloads import Json

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
Status = Annotated[int, Field(ge=100, le=599)]


class Inputs(BaseModel):
    """A request."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    url: str
    method: Method = "GET"
    headers: dict[str, str] = Field(default_factory=dict)
    query: dict[str, JsonValue] | None = None
    body: JsonValue = Field(None, description="Text as it is; all else as JSON")
    timeout: Annotated[float, Field(gt=0)] = Field(
        60, description="Seconds to wait for the answer (default: 60)"
    )
    expect: Status | list[Status] | None = Field(
        None, description="The status, or several, that are fine (default: 200 to 299)"
    )
    repeatable: bool | None = Field(
        None,
        description="Whether sending it again does no harm, as where the service heeds the "
        "Idempotency-Key (default: by the method)",
    )
    callback_field: str | None = Field(
        None,
        description="With `callback: true`, the field of a JSON body that takes the address to "
        "answer to (default: only the header Stepsmith-Callback)",
    )


class Outputs(BaseModel):
    """The answer; `body` is a value where it is JSON, else text."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    status_code: int
    headers: dict[str, str]
    body: JsonValue


def run(inputs: Inputs, context: Context) -> Outputs:
    """Send the request and return the answer.

    Raises HttpError for a status that is not expected, or an error of a category; StepInDoubt
    where the request may have arrived, was not answered, and may not be sent again.
    """
    request = _request(inputs, context)
    answer = web.send(request)
    if not _is_expected(answer.status, inputs.expect):
        raise web.refused(request, answer)
    return Outputs(status_code=answer.status, headers=dict(answer.headers), body=_body(answer))


def repeats(raw: Mapping[str, Json]) -> bool:
    """Return whether a request may be sent again: what it says itself, else its method."""
    said = raw.get("repeatable")
    return said if isinstance(said, bool) else raw.get("method", "GET") in web.SAFE


def _request(inputs: Inputs, context: Context) -> web.Request:
    headers = dict(inputs.headers)
    given = {name.lower() for name in headers}
    given_body, body = _with_callback(inputs, context), None
    if context.callback is not None:
        context.masks.add(context.callback)  # whoever has it may answer; a service may echo it
        headers = {k: v for k, v in headers.items() if k.lower() != web.CALLBACK.lower()}
        headers[web.CALLBACK] = context.callback
    if given_body is not None:
        is_text = isinstance(given_body, str)
        text = given_body if isinstance(given_body, str) else json.dumps(given_body)
        body = text.encode()
        if "content-type" not in given:
            headers["Content-Type"] = "text/plain; charset=utf-8" if is_text else "application/json"
    if inputs.method not in ("GET", "HEAD") and "idempotency-key" not in given:
        headers["Idempotency-Key"] = context.key
    if "user-agent" not in given:
        headers["User-Agent"] = "stepsmith"
    return web.Request(
        method=inputs.method,
        url=_url(inputs),
        headers=headers,
        body=body,
        seconds=min(inputs.timeout, max(context.seconds_left(), 0.1)),
        repeatable=repeats(inputs.model_dump(include={"method", "repeatable"})),
    )


def _with_callback(inputs: Inputs, context: Context) -> JsonValue:
    """Return the body, with the callback's address where a field of it is to take it."""
    if inputs.callback_field is None or context.callback is None:
        return inputs.body
    body = {} if inputs.body is None else inputs.body
    if not isinstance(body, dict):
        raise ValidationError("`callback_field` names a field of `body`, which is no object here")
    return {**body, inputs.callback_field: context.callback}


def _url(inputs: Inputs) -> str:
    if not inputs.query:
        return inputs.url
    try:
        parts = urlsplit(inputs.url)
    except ValueError:
        raise ValidationError(f"'{inputs.url[:200]}' is no http or https address") from None
    pairs = [
        (name, _plain(value))
        for name, values in inputs.query.items()
        for value in (values if isinstance(values, list) else [values])
        if value is not None
    ]
    query = "&".join(filter(None, (parts.query, urlencode(pairs))))
    return urlunsplit(parts._replace(query=query))


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_expected(status: int, expect: int | list[int] | None) -> bool:
    if expect is None:
        return 200 <= status <= 299
    return status in (expect if isinstance(expect, list) else [expect])


def _body(answer: web.Answer) -> JsonValue:
    text = answer.text()
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        try:
            value: JsonValue = json.loads(text)
        except ValueError:
            return text
        return value
    return text


ACTION = Action(
    name="http-request",
    description="Sends an HTTP request and gives the answer.",
    inputs=Inputs,
    outputs=Outputs,
    run=run,
    error_types=(web.HttpError,),
    repeats=repeats,
)
