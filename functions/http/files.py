"""The console: static files beside the function, and how people log in, for the page to know."""

from __future__ import annotations

import base64
import json
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from functions.domain.site import Site

SETTINGS = "/console.json"
_METHODS = ("GET", "HEAD")


def is_file(path: str) -> bool:
    """Return whether a path is one of the console's."""
    return path != "/api" and not path.startswith(("/api/", "/tasks/"))


def answer(event: Mapping[str, Any], site: Site) -> dict[str, Any]:
    """Return a file of the console as an answer to API Gateway; 404 and 405 are plain texts."""
    path = str(event["rawPath"])
    method = str(event["requestContext"]["http"]["method"])
    if method not in _METHODS:
        return _answer(405, b"only GET here\n", "text/plain", site, Allow="GET, HEAD")
    if path == SETTINGS:
        told = {
            "auth": site.login.get("type", "iam"),
            "authority": site.login.get("issuer"),
            "client_id": site.login.get("client_id"),
            "stage": site.stage,
        }
        return _answer(200, json.dumps(told).encode(), "application/json", site)
    file = _file(site.folder.resolve(), path.lstrip("/") or "index.html")
    if file is None:
        return _answer(404, b"there is nothing here\n", "text/plain", site)
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return _answer(200, file.read_bytes(), kind, site)


def _file(folder: Path, name: str) -> Path | None:
    """Return a file of a folder; None for what is none, or outside, or could have no such name."""
    try:
        file = (folder / name).resolve()
        return file if file.is_relative_to(folder) and file.is_file() else None
    except (OSError, ValueError):  # too long a name, or one with a zero byte
        return None


def _answer(status: int, body: bytes, kind: str, site: Site, **more: str) -> dict[str, Any]:
    is_text = kind.startswith("text/") or kind.rpartition("/")[2] in ("javascript", "json")
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": _policy(site.login),
        "Content-Type": f"{kind}; charset=utf-8" if is_text else kind,
        "Referrer-Policy": "no-referrer",
        "Strict-Transport-Security": "max-age=31536000",
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex",
        **more,
    }
    text = body.decode() if is_text else base64.b64encode(body).decode()
    return {"statusCode": status, "headers": headers, "body": text, "isBase64Encoded": not is_text}


def _policy(login: Mapping[str, str]) -> str:
    """Return the content security policy: only what the stage serves, and where people log in."""
    places = [urlsplit(login.get(name, "")) for name in ("issuer", "host")]
    origins = [f"{one.scheme}://{one.netloc}" for one in places if one.scheme == "https"]
    connect = " ".join(dict.fromkeys(("'self'", *origins)))
    return (
        f"default-src 'self'; connect-src {connect}; object-src 'none'; base-uri 'none'; "
        "frame-ancestors 'none'; form-action 'self'"
    )
