"""What holds for every call: codes, problem documents, headers, who calls, several at once."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from dataclasses import replace
from importlib import import_module

import pytest

from functions.domain.people import Directory
from functions.http import calls, resolver
from functions.http.app import ROUTERS, application
from functions.http.calls import account_of
from functions.http.resolver import Resolver
from tests.functions.http.site import Site, event_of
from tests.functions.tasks.office import ALICE, CAROL


def post(site, body, **more):
    return site.call("POST", f"/api/tasks/{site.scene.id}/status", body, person=ALICE, **more)


# --- codes and documents


@pytest.mark.parametrize("path", ["/", "/api", "/api/task", "/api/tasks/", "/tasks", "/api/x/../y",
                                  "//api/tasks", "/api/tasks/%2e%2e", "/API/tasks"])  # fmt: skip
def test_what_is_not_there_is_404(site, path):
    answer = site.call("GET", path, person=ALICE)
    assert answer.status == 404
    assert answer.json == {
        "type": "urn:problem-type:stepsmith:unknown", "title": "Not Found", "status": 404,
        "detail": "there is nothing here",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["x" * 1501, "ä" * 751])
def test_nothing_is_looked_for_under_a_name_longer_than_a_key(site, text):
    """DynamoDB refuses keys above 2,048 bytes, which moto does not; it was a fault of ours."""
    for method, path in (
        ("GET", "/api/tasks/{}"), ("GET", "/api/runs/{}"), ("GET", "/api/runs/{}/logs"),
        ("POST", "/api/runs/{}/cancel"), ("GET", "/api/events/{}"), ("GET", "/api/workflows/{}"),
        ("POST", "/api/callbacks/{}"), ("POST", "/api/webhooks/{}"), ("GET", "/tasks/{}"),
    ):  # fmt: skip
        body: object = {} if method == "POST" else None
        answer = site.call(method, path.format(text), body, person=ALICE)
        assert answer.status == 404, path
    assert site.log.faults == []


@pytest.mark.parametrize(
    ("path", "name"),
    [("/api/tasks", "run"), ("/api/runs", "workflow"), ("/api/runs", "starter"),
     ("/api/runs/x/logs", "step"), ("/api/events", "workflow"), ("/api/workflows/x", "digest")],
)  # fmt: skip
def test_a_parameter_too_long_to_be_looked_for_is_told(site, path, name):
    answer = site.call("GET", f"{path}?{name}={'x' * 513}", person=ALICE)
    assert answer.status == 400
    assert answer.json["errors"] == [{"parameter": name, "detail": "is longer than 512 bytes"}]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/tasks", "GET, HEAD, OPTIONS"),
        ("DELETE", "/api/tasks/x", "GET, HEAD, OPTIONS"),
        ("GET", "/api/tasks/x/status", "OPTIONS, POST"),
        ("PUT", "/tasks/x", "GET, HEAD, OPTIONS, POST"),
        ("TRACE", "/api/callbacks/x", "OPTIONS, POST"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(site, method, path, allowed):
    answer = site.call(method, path, person=ALICE)
    assert answer.status == 405
    assert answer.headers["Allow"] == allowed
    options = site.call("OPTIONS", path)
    assert (options.status, options.headers["Allow"]) == (204, allowed)


def test_every_answer_has_what_keeps_it_to_itself(site):
    site.scene.open()
    for path in ("/api/tasks", "/api/openapi.json", "/nowhere", f"/tasks/{site.scene.id}"):
        headers = site.call("GET", path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Robots-Tag"] == "noindex"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Request-Id"] == "request-1"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", "line 1, column 2"),
        ("", None),
        ("null", "must be a JSON object"),
        ("[]", "must be a JSON object"),
        ('[{"status": "approved"}]', "must be a JSON object"),
        ('"approved"', "must be a JSON object"),
        ('{"status": "approved", "form": NaN}', "no JSON that can be stored"),
        ('{"status": "approved", "form": 1e999}', "no JSON that can be stored"),
        ('{"status": "approved", "form": -Infinity}', "no JSON that can be stored"),
        ('{"status": "approved", "comments": "\\ud800"}', "no JSON that can be stored"),
        ('{"status": "approved", "\\udfff": 1}', "no JSON that can be stored"),
        ('{"status": "approved", "form": ' + "[" * 500 + "]" * 500 + "}", "deep"),
        ('{"status": "approved", "form": ' + "[" * 50_000 + "]" * 50_000 + "}", "deep"),
        ('{"status": "approved", "form": ' + "9" * 5_000 + "}", "no JSON that can be stored"),
    ],
)
def test_a_body_that_is_no_object_is_refused(site, body, said):
    site.scene.open()
    answer = post(site, body)
    assert answer.status == 400
    assert said is None or said in answer.json["detail"]
    assert site.scene.task.is_open


def test_a_body_in_base64_is_read_as_well(site):
    site.scene.open()
    body = json.dumps({"status": "approved", "comments": "größer"}).encode()
    for text, code in (("%", 400), (base64.b64encode(b"\xff").decode(), 400),
                       (base64.b64encode(body).decode(), 200)):  # fmt: skip
        assert post(site, text, isBase64Encoded=True).status == code
    assert site.scene.task.decision.comments == "größer"


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json5",
    ],
)
def test_a_body_must_be_said_to_be_json(site, kind):
    """A page of somebody else can send these to a server on this machine unasked."""
    site.scene.open()
    headers = {"content-type": kind} if kind else {"content-type": ""}
    assert post(site, {"status": "approved"}, headers=headers).status == 415
    assert site.scene.task.is_open


def test_json_with_a_charset_is_json(site):
    site.scene.open()
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert post(site, {"status": "approved"}, headers=headers).status == 200


def test_a_body_that_is_too_large_is_refused(site):
    site.scene.open()
    answer = post(site, {"status": "approved", "comments": "x" * 262_144})
    assert answer.status == 413
    assert post(site, "x" * 300_000, headers={"content-type": "text/plain"}).status == 413


def test_a_fault_of_ours_says_nothing_and_names_the_call(site, monkeypatch):
    def broken(task_id):
        raise RuntimeError(f"secret {task_id}")

    monkeypatch.setattr(site.scene.tasks, "get", broken)
    answer = site.call("GET", f"/api/tasks/{'0' * 32}", person=ALICE)
    assert answer.status == 500
    assert answer.json["request_id"] == "request-1"
    assert "secret" not in answer.text
    assert [str(fault) for fault in site.log.faults] == [f"secret {'0' * 32}"]
    page = site.call("GET", f"/tasks/{'0' * 32}?t=x")
    assert page.status == 500
    assert page.headers["Content-Type"].startswith("text/html")
    assert "request-1" in page.text
    assert "secret" not in page.text


def test_calls_are_logged_by_route_without_what_came_with_them(site):
    site.scene.open()
    site.call("GET", f"/tasks/{site.scene.id}?t=token")
    site.call("POST", "/api/callbacks/x.secret", {})
    site.call("GET", "/nowhere/token")
    assert site.log.lines == [
        ("GET", "/tasks/{task_id}", 404), ("POST", "/api/callbacks/{token}", 400),
        ("GET", "none", 404),
    ]  # fmt: skip


# --- who calls


@pytest.mark.parametrize(
    ("authorizer", "account"),
    [
        ({}, None),
        ({"jwt": {"claims": {}}}, None),
        ({"jwt": {"claims": {"email": ALICE, "sub": "1"}}}, ALICE),
        ({"jwt": {"claims": {"email": ALICE, "email_verified": "true"}}}, ALICE),
        ({"jwt": {"claims": {"email": ALICE, "email_verified": "false", "sub": "1"}}}, "sub:1"),
        ({"jwt": {"claims": {"email": ALICE, "email_verified": False, "sub": "1"}}}, "sub:1"),
        ({"jwt": {"claims": {"cognito:username": "al", "sub": "1"}}}, "user:al"),
        ({"jwt": {"claims": {"username": ALICE, "sub": "1"}}}, f"user:{ALICE}"),
        ({"jwt": {"claims": {"sub": ALICE}}}, f"sub:{ALICE}"),
        ({"iam": {"userArn": "arn:aws:iam::1:user/al"}}, "iam:arn:aws:iam::1:user/al"),
        ({"iam": None, "jwt": None}, None),
        (None, None),
    ],
)
def test_the_caller_is_whom_the_authoriser_vouches_for(authorizer, account):
    assert account_of({"authorizer": authorizer}) == account


def test_an_account_is_the_person_that_identities_say(scene):
    known = {"user:al": ALICE, "iam:arn:aws:iam::1:user/al": ALICE}
    scene.desk = replace(scene.desk, directory=Directory(identities=known))
    site = Site(scene)
    scene.open([ALICE])
    path = f"/api/tasks/{scene.id}"
    assert site.call("GET", path, claims={"username": "AL"}).json["may_decide"] is True
    event = event_of("GET", path)
    event["requestContext"]["authorizer"] = {"iam": {"userArn": "arn:aws:iam::1:user/al"}}
    assert site.send(event).status == 200


@pytest.mark.parametrize("claim", ["cognito:username", "username", "sub"])
def test_a_name_that_people_choose_is_no_mail_address(site, claim):
    site.scene.open()
    for name in (ALICE, "github:alice"):
        answer = site.call("GET", f"/api/tasks/{site.scene.id}", claims={claim: name})
        assert answer.status == 404


def test_nothing_in_headers_query_or_body_makes_somebody_of_a_caller(site):
    site.scene.open()
    headers = {"authorization": "Bearer x", "x-forwarded-user": ALICE, "from": ALICE}
    path = f"/api/tasks/{site.scene.id}/status"
    body = {"status": "approved"}
    given = {"content-type": "application/json", **headers}
    assert site.call("POST", path, body, headers=given).status == 401
    assert site.scene.task.is_open


def test_who_is_not_logged_in_is_told_so_before_anything_else(site):
    path = f"/api/tasks/{site.scene.id}/status"
    assert site.call("POST", path, "{", headers={"content-type": "text/plain"}).status == 401
    assert site.call("GET", "/api/tasks?x=1").status == 401


# --- time, and several at once


class Time:
    """A clock on which only reading and writing tasks takes time."""

    def __init__(self):
        self.at = 0.0

    def monotonic(self):
        return self.at

    def sleep(self, seconds):
        self.at += seconds


def test_404_takes_the_same_time_whatever_the_reason(site, monkeypatch):
    """Unknown; not yours, which is audited; a wrong token; another one's."""
    clock = Time()
    for module in (resolver, calls):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(resolver, "ALIKE_SECONDS", 0.05)
    site.scene.open()
    for name, seconds in (("get", 0.004), ("audit", 0.007)):
        slow = getattr(site.scene.tasks, name)

        def slower(*given, slow=slow, seconds=seconds):
            clock.at += seconds
            return slow(*given)

        monkeypatch.setattr(site.scene.tasks, name, slower)
    asked = [
        lambda one: site.call("GET", f"/tasks/{one}?t={'A' * 43}"),
        lambda one: site.call("GET", f"/api/tasks/{one}", person=CAROL),
        lambda one: site.call("POST", f"/api/tasks/{one}/status", {"status": "x"}, person=CAROL),
        lambda one: site.call("POST", f"/api/callbacks/{one}.x", {"outputs": {}}),
    ]
    for ask in asked:
        for one in (site.scene.id, "0" * 32, "x"):
            begin = clock.at
            assert ask(one).status == 404
            assert clock.at - begin == pytest.approx(0.05)


def test_several_calls_at_once_each_get_their_own_answer(opened):
    """A local server has threads; Powertools keeps the event of a call in a class."""
    site = Site(opened())
    site.scene.open()
    start, wrong = threading.Barrier(12), []

    def read(number):
        start.wait()
        person, code = ((ALICE, 200), (CAROL, 404), (None, 401))[number % 3]
        for _ in range(5):
            answer = site.call("GET", f"/api/tasks/{site.scene.id}", person=person)
            if answer.status != code:
                wrong.append((person, answer.status))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# --- the document


def test_every_route_is_documented_or_a_page(site):
    document = site.call("GET", "/api/openapi.json").json
    told = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    routes = {(route.method, route.openapi_path) for route in application().routes}
    assert routes - told == {("GET", "/tasks/{task_id}"), ("POST", "/tasks/{task_id}")}


def test_the_document_says_who_needs_a_login_and_what_goes_wrong(site):
    document = site.call("GET", "/api/openapi.json").json
    assert document["openapi"].startswith("3.1")
    for path, item in document["paths"].items():
        for operation in item.values():
            assert operation.get("security") == [] or "401" in operation["responses"], path
            assert operation["summary"], path
            assert "422" not in operation["responses"] or path.endswith("/run")
            if "requestBody" in operation:
                assert {"400", "413", "415"} <= set(operation["responses"]), path
    assert "Problem" in document["components"]["schemas"]


def test_each_route_is_found_by_what_its_path_begins_with():
    """A call loads only the routers that its path asks for."""
    for route in application().routes:
        begin = "/".join(route.openapi_path.split("/")[: 3 if "/api/" in route.path else 2])
        if begin != "/api/openapi.json":
            router = import_module(f"functions.http.{ROUTERS[begin]}").router
            paths = {one.openapi_path for one in Resolver([router]).routes}
            assert route.openapi_path in paths


@pytest.mark.parametrize(
    ("router", "others"),
    [
        ("pages", ("http.events", "http.runs")),
        ("runs", ("http.task_views", "usecases.resume", "usecases.cancel", "usecases.desk")),
        ("events", ("http.task_views", "http.workflows", "usecases.read_task", "usecases.desk")),
    ],
)
def test_a_router_loads_nothing_that_others_need(router, others):
    """Who opens a link, or reads a run, does not wait for what webhooks or resumes need."""
    code = f"import functions.handlers.api, functions.http.{router}, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = done.stdout.split()
    assert f"functions.http.{router}" in loaded
    for module in (*(f"functions.{one}" for one in others), "jsonschema", "jsonata"):
        assert module not in loaded
