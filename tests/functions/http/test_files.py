"""The console as a deployed API serves it: files, and where people log in; nothing else."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from functions.domain.site import Site
from functions.http.app import answer

CONSOLE = Path(__file__).parents[3] / "console"
LOGIN = {
    "type": "cognito",
    "issuer": "https://cognito-idp.eu-central-1.amazonaws.com/pool",
    "client_id": "client",
    "host": "https://stepsmith-dev.auth.eu-central-1.amazoncognito.com",
}


@dataclass
class Answered:
    status: int
    headers: dict[str, str]
    body: str


def asked(path: str, method: str = "GET") -> Answered:
    event = {"rawPath": path, "requestContext": {"http": {"method": method}}}
    wiring = SimpleNamespace(site=Site(CONSOLE, LOGIN, "dev"))
    given = answer(event, wiring)
    return Answered(given["statusCode"], given["headers"], given["body"])


@pytest.mark.parametrize(
    ("path", "kind", "inside"),
    [
        ("/", "text/html; charset=utf-8", "<title>Stepsmith</title>"),
        ("/style.css", "text/css; charset=utf-8", "--page"),
        ("/js/main.js", "text/javascript; charset=utf-8", "import"),
    ],
)
def test_files_are_served(path, kind, inside):
    found = asked(path)
    assert (found.status, found.headers["Content-Type"]) == (200, kind)
    assert inside in found.body


def test_the_page_is_told_where_people_log_in_and_may_reach_only_that():
    found = asked("/console.json")
    assert json.loads(found.body) == {
        "auth": "cognito",
        "authority": LOGIN["issuer"],
        "client_id": "client",
        "stage": "dev",
    }
    policy = dict(
        part.strip().split(" ", 1) for part in found.headers["Content-Security-Policy"].split(";")
    )
    assert policy["connect-src"].split() == [
        "'self'",
        "https://cognito-idp.eu-central-1.amazonaws.com",
        LOGIN["host"],
    ]
    assert policy["default-src"] == "'self'"


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/js", "/none.js", "//etc/passwd"])
def test_nothing_outside_the_folder_is_served(path):
    assert asked(path).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/\0",
        "/js/\0main.js",
        f"/{'x' * 300}",
        f"/{'x/' * 5_000}",
        "/\ud800",
        "/js/main.js/x",
        "/~root",
    ],
)
def test_what_no_file_can_be_called_is_not_there(path):
    assert asked(path).status == 404


def test_files_are_only_read():
    found = asked("/", "POST")
    assert (found.status, found.headers["Allow"]) == (405, "GET, HEAD")


def test_pictures_travel_as_base64():
    found = asked("/icon.svg")
    assert base64.b64decode(found.body).startswith(b"<svg")
