"""The page about security says what each role may do and who may call what, as it is deployed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pytest

from cdk.constructs.http_api import LOGGED_IN, OPEN
from cdk.model import CORE, Application
from functions.http.app import application
from functions.http.extensions import needs_login
from tests.architecture.project import ROOT
from tests.cdk.synthesis import Templates, allowed, listed, of_type, statements
from tests.cdk.test_grants import ALWAYS, tables_of

FILE = ROOT / "docs" / "security.md"
PAGE = FILE.read_text(encoding="utf-8")
_HEAD = "| function | tables | and |\n| --- | --- | --- |\n"
VERBS = {"GetItem": "get", "PutItem": "put", "Query": "query", "UpdateItem": "update"}
STREAMS = {
    *("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"),
    "dynamodb:ListStreams",
}


# --- roles --------------------------------------------------------------------------------------


def row(name: str, rights: Mapping[str, Iterable[object]], tables: Mapping[str, str]) -> str:
    """Return a role's line of the page's table."""
    on: dict[str, list[str]] = {}
    others: set[str] = set()
    for action, resources in rights.items():
        service, _, verb = action.partition(":")
        if action in ALWAYS:
            continue
        if service != "dynamodb" or action in STREAMS:
            others.add(action)
            continue
        text = str(list(resources))
        for logical, table in tables.items():
            if f"'{logical}', 'Arn'" in text:
                on.setdefault(table, []).append(VERBS[verb])
    told = ", ".join(f"{table} ({' '.join(sorted(on[table]))})" for table in sorted(on))
    more = " ".join(f"`{one}`" for one in sorted(others))
    return f"| `{name}` | {told or '-'} | {more or '-'} |"


def rows(templates: Templates, shipped: Application) -> list[str]:
    tables = tables_of(templates)
    names = [*sorted(CORE), *sorted(f"action-{one.name}" for one in shipped.actions)]
    return [row(name, allowed(templates, name), tables) for name in names]


def test_the_table_of_roles_is_what_is_deployed(
    templates: Templates, shipped: Application, *, update_golden: bool
):
    """To the letter: what a role gains or loses is seen on the page."""
    before, head, rest = PAGE.partition(_HEAD)
    told, blank, after = rest.partition("\n\n")
    wanted = "\n".join(rows(templates, shipped))
    if update_golden:
        FILE.write_text(f"{before}{head}{wanted}{blank}{after}", encoding="utf-8")
        return

    assert head
    assert told == wanted


def test_machines_and_builds_may_what_the_page_says(templates: Templates):
    """Of the roles that are no function's: states, CodeBuild, the scheduler."""
    found: dict[str, set[str]] = {}
    for role in templates.of_type("AWS::IAM::Role"):
        [trusted] = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        service = trusted["Principal"]["Service"]
        if service != "lambda.amazonaws.com":
            actions = {one for each in statements(role) for one in listed(each["Action"])}
            found.setdefault(service, set()).update(actions - ALWAYS)
    for service, actions in found.items():
        line = re.search(rf"^\| {re.escape(service)} \|.*$", PAGE, re.MULTILINE)
        assert line is not None, service
        assert set(re.findall(r"`(\w+:\w+)`", line[0])) >= actions, (service, actions)


# --- routes -------------------------------------------------------------------------------------


def told_routes() -> dict[tuple[str, str], str]:
    """Return the lines of the page's table of calls: what each asks for, by method and path."""
    found = re.findall(r"^\| `(GET|POST) (/\S*)` \| (login|open) \| .+ \|$", PAGE, re.MULTILINE)
    return {(method, path): asks for method, path, asks in found}


def test_each_route_is_told_with_what_it_asks_for():
    wanted = {
        (route.method, route.openapi_path): "login" if needs_login(route) else "open"
        for route in application().routes
    }

    assert told_routes() == wanted


@pytest.mark.parametrize(("call", "asks"), told_routes().items(), ids=" ".join)
def test_the_gateway_asks_for_the_same(call, asks):
    """The most specific route of API Gateway, as it chooses, has an authoriser or has none."""
    assert ("open" if best(*call) in OPEN else "login") == asks


def best(method: str, path: str) -> str:
    """Return the route that API Gateway takes: the one with the most that is fixed.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
    """
    fitting = []
    for key in (*LOGGED_IN, *OPEN):
        verb, pattern = key.split(" ")
        regex = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(pattern))
        regex = re.sub(r"\\\{\w+\\\+\\\}", ".+", regex)
        if verb in ("ANY", method) and re.fullmatch(regex, path):
            fixed = len(re.sub(r"\{.*", "", pattern))
            fitting.append((fixed, "+" not in pattern, verb == method, key))
    return max(fitting)[-1]


def test_what_is_open_at_the_gateway_has_its_reason_on_the_page(templates: Templates):
    open_routes = {
        one["Properties"]["RouteKey"]
        for one in of_type(templates.root, "AWS::ApiGatewayV2::Route").values()
        if one["Properties"]["AuthorizationType"] == "NONE"
    }

    assert open_routes == set(OPEN)
    for key in open_routes:
        assert f"`{key}`" in PAGE, key
