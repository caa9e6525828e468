"""The API as a WSGI application, for tools that speak HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote

from tests.functions.http.site import Answer, event_of


def wsgi_of(
    answer: Callable[[dict[str, Any]], Answer], claims: dict[str, str] | None
) -> Callable[..., Iterable[bytes]]:
    """Return the application; `claims` are those of whoever sends an `Authorization` header."""

    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        headers = {
            name[5:].replace("_", "-").lower(): value
            for name, value in environ.items()
            if name.startswith("HTTP_")
        }
        if environ.get("CONTENT_TYPE"):
            headers["content-type"] = environ["CONTENT_TYPE"]
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        path = quote(unquote(environ["PATH_INFO"].encode("latin-1").decode(errors="replace")))
        event = event_of(
            environ["REQUEST_METHOD"],
            path,
            headers=headers,
            claims=claims if "authorization" in headers else None,
        )
        event["rawPath"] = event["requestContext"]["http"]["path"] = unquote(path)
        return send(environ, event, body, start_response)

    def send(environ: Any, event: Any, body: bytes, start_response: Any) -> Iterable[bytes]:
        from base64 import b64encode
        from urllib.parse import parse_qs

        query = environ.get("QUERY_STRING", "")
        if query:
            event["rawQueryString"] = query
            given = parse_qs(query, keep_blank_values=True)
            event["queryStringParameters"] = {key: ",".join(one) for key, one in given.items()}
        if body:
            event.update(body=b64encode(body).decode(), isBase64Encoded=True)
        told = answer(event)
        start_response(f"{told.status} {HTTPStatus(told.status).phrase}", [*told.headers.items()])
        return [told.text.encode()]

    return application
