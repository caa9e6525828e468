"""The local server: requests as API Gateway's events, and who may call."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import socket
import struct
import threading
from contextlib import closing

import pytest

from local.server.events import Answer, Request, answer_of, event_of
from local.server.server import MOST_BYTES, PortTaken, Server, Site

ALICE, BOB = "alice@example.com", "bob@example.com"


class Recorder:
    """An API that remembers the events it was given."""

    def __init__(self) -> None:
        self.events: list[dict] = []

    def __call__(self, event):
        self.events.append(event)
        return {
            "statusCode": 201,
            "headers": {"Content-Type": "application/json"},
            "cookies": ["a=1", "b=2"],
            "body": json.dumps({"person": claims(event)}),
            "isBase64Encoded": False,
        }


def claims(event):
    authorizer = event["requestContext"].get("authorizer")
    return authorizer and authorizer["jwt"]["claims"]["email"]


@pytest.fixture
def api():
    return Recorder()


@pytest.fixture
def server(api, tmp_path):
    (tmp_path / "console" / "app").mkdir(parents=True)
    (tmp_path / "console" / "index.html").write_text("<title>console</title>")
    (tmp_path / "console" / "app" / "main.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("secret")
    with Server() as server:
        server.serve(Site(api, tmp_path / "console", ALICE, (ALICE, BOB)))
        yield server


def call(server, method, target, body=None, host=None, **headers):
    """Send a request; headers are written with `_` for `-`."""
    port = int(server.url.rpartition(":")[2])
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.putrequest(method, target, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{port}")
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


# --- events --------------------------------------------------------------------------------------


def test_a_request_is_an_event_of_an_http_api():
    """As its page says it: event of a proxy integration, payload format 2.0."""
    headers = {
        "host": "localhost:8321",
        "content-type": "application/json; charset=utf-8",
        "cookie": "one=1; two=2",
        "user-agent": "curl",
    }
    request = Request("POST", "/api/workflows/a%401/run?x=1&x=2&y=", headers, b'{"a": "\xc3\xa9"}')
    event = event_of(request, ALICE)
    assert event["version"] == "2.0"
    assert event["rawPath"] == "/api/workflows/a@1/run"
    assert event["rawQueryString"] == "x=1&x=2&y="
    assert event["queryStringParameters"] == {"x": "1,2", "y": ""}
    assert event["cookies"] == ["one=1", "two=2"]
    assert "cookie" not in event["headers"]
    assert (event["body"], event["isBase64Encoded"]) == ('{"a": "é"}', False)
    context = event["requestContext"]
    assert (context["http"]["method"], context["http"]["path"]) == (
        "POST",
        "/api/workflows/a@1/run",
    )
    assert context["stage"] == "$default"
    assert claims(event) == ALICE


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        ("/api/runs?a=1&a=2#x", "/api/runs", {"a": "2"}),
        ("http://localhost:80/api/runs?a=%20", "/api/runs", {"a": " "}),
        ("http://localhost", "", {}),
        ("//elsewhere/api", "//elsewhere/api", {}),
        ("//[", "//[", {}),
        ("*", "*", {}),
    ],
)
def test_a_target_is_a_path_and_a_query(target, path, query):
    request = Request("GET", target)
    assert (request.path, request.query) == (path, query)


def test_a_body_that_is_no_text_comes_as_base64():
    form = event_of(
        Request("POST", "/", {"content-type": "application/x-www-form-urlencoded"}, b"a=%FF"), None
    )
    assert form["isBase64Encoded"] is True
    assert base64.b64decode(form["body"]) == b"a=%FF"
    assert "authorizer" not in form["requestContext"]


def test_an_answer_is_a_response():
    answered = {
        "statusCode": 200,
        "headers": {"A": "1"},
        "cookies": ["x=1"],
        "isBase64Encoded": True,
    }
    answer = answer_of({**answered, "body": base64.b64encode(b"\xff").decode()})
    assert answer == Answer(200, (("A", "1"), ("Set-Cookie", "x=1")), b"\xff")


# --- serving -------------------------------------------------------------------------------------


def test_the_api_is_called_for_whoever_is_chosen(server, api):
    status, headers, body = call(server, "GET", "/api/tasks")
    assert (status, json.loads(body)) == (201, {"person": ALICE})
    assert headers.get_all("Set-Cookie") == ["a=1", "b=2"]
    assert headers["Server"] == "stepsmith"
    call(server, "GET", "/tasks/1?t=x", Cookie="stepsmith-as=bob%2Bx@example.com")
    call(server, "GET", "/api/runs", Cookie="stepsmith-as=-")
    call(server, "POST", "/api/webhooks/x", b"{}", Content_Type="application/json")
    assert [claims(event) for event in api.events] == [ALICE, "bob+x@example.com", None, None]


def test_only_the_names_of_this_machine_are_answered(server, api):
    """A page that made its own name lead here (DNS rebinding) reads nothing."""
    port = server.url.rpartition(":")[2]
    for host in (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}"):
        assert call(server, "GET", "/api/tasks", host=host)[0] == 421
        assert call(server, "GET", "/", host=host)[0] == 421
    assert api.events == []
    assert call(server, "GET", "/api/tasks", host=f"localhost:{port}")[0] == 201


def test_pages_of_other_sites_change_nothing(server, api):
    body = b"{}"
    assert call(server, "POST", "/api/events", body, Origin="https://evil.example")[0] == 403
    assert call(server, "POST", "/api/events", body, Origin="null")[0] == 403
    assert api.events == []
    assert call(server, "POST", "/api/events", body, Origin=server.url)[0] == 201


def test_a_task_s_form_is_taken_which_no_browser_names_the_origin_of(server, api):
    """Its page sends no referrer, so the form's origin is `null`; it has a token of its own."""
    form = {"Origin": "null", "Content_Type": "application/x-www-form-urlencoded"}
    assert call(server, "POST", "/tasks/1", b"csrf=x", **form)[0] == 201
    assert len(api.events) == 1
    for path in ("/api/tasks/1/status", "/tasks", "/dev/login", "/api/callbacks/x", "/x/tasks/1"):
        assert call(server, "POST", path, b"csrf=x", **form)[0] == 403
    assert call(server, "POST", "/tasks/1", b"", Origin="https://evil.example")[0] == 403
    assert len(api.events) == 1


def test_files_of_the_console_are_served_and_no_others(server):
    status, headers, body = call(server, "GET", "/app/main.js")
    assert (status, body) == (200, b"export {}")
    assert headers["Content-Type"].startswith("text/javascript")
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert b"console" in call(server, "GET", "/")[2]
    for other in ("/app/other.js", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt"):
        status, _, body = call(server, "GET", other)
        assert (status, b"secret" in body) == (404, False)
    assert call(server, "POST", "/", b"")[0] == 405


def test_without_a_console_the_api_is_there(api):
    with Server() as server:
        server.serve(Site(api))
        assert call(server, "GET", "/")[0] == 404
        assert json.loads(call(server, "GET", "/api/runs")[2]) == {"person": None}


def test_one_may_be_somebody_else_by_a_small_page(server):
    status, headers, body = call(server, "GET", "/dev/login")
    assert (status, f'value="{BOB}"' in body.decode()) == (200, True)
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    status, headers, _ = call(server, "GET", "/dev/login?as=bob%40example.com")
    assert (status, headers["Location"]) == (303, "/")
    assert headers["Set-Cookie"].startswith("stepsmith-as=bob@example.com; ")
    assert "HttpOnly" in headers["Set-Cookie"]
    hostile = "/dev/login?as=%3Cscript%3E@x%0d%0aSet-Cookie:%20x=1"
    status, headers, body = call(server, "GET", hostile)
    assert (status, headers["Set-Cookie"]) == (200, None)
    cookie = "stepsmith-as=%3Cscript%3E@example.com"
    assert b"<script>" not in call(server, "GET", "/dev/login", Cookie=cookie)[2]


def test_head_has_the_length_and_no_body(server):
    status, headers, body = call(server, "HEAD", "/app/main.js")
    assert (status, headers["Content-Length"], body) == (200, "9", b"")


def test_what_is_too_large_or_has_no_length_is_refused(server, api):
    port = int(server.url.rpartition(":")[2])
    for head, status in (
        (f"Content-Length: {MOST_BYTES + 1}", b"413"),
        ("Transfer-Encoding: chunked", b"411"),
        ("Content-Length: -1", b"411"),
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            text = f"POST /api/events HTTP/1.1\r\nHost: localhost:{port}\r\n{head}\r\n\r\n"
            connection.sendall(text.encode())
            assert connection.recv(64).split()[1] == status
    assert api.events == []


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/x\r\n\r\n",
        b"BREW /api/runs HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\xff\xfe",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost:PORT\r\nno colon\r\n\r\n",
        b"GET //[ HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n",
        b"GET /%ff%00?%ff=%00&& HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: =;;\xff=\xff\r\n\r\n",
        b"POST /api/events HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: \xb2\r\n\r\n",
        b"POST /api/events HTTP/1.1\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n",
        b"POST /api/events HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc",
        b"POST /api/events HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 1_0\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_in_silence(sent, api, tmp_path, capfd):
    """No traceback, no fault of ours, and whoever comes next is answered."""
    faults: list[str] = []
    with Server() as server:
        server.serve(Site(api, tmp_path, ALICE, fault=faults.append))
        port = int(server.url.rpartition(":")[2])
        for linger in (False, True):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                if not linger:  # hangs up at once, with a reset
                    reset = struct.pack("ii", 1, 0)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                connection.sendall(sent.replace(b"PORT", str(port).encode()))
                if linger:
                    connection.shutdown(socket.SHUT_WR)
                    with contextlib.suppress(ConnectionResetError):
                        while connection.recv(65_536):
                            pass

        assert call(server, "GET", "/api/runs")[0] == 201

    assert faults == []
    assert capfd.readouterr().err == ""


def test_a_fault_behind_an_answer_is_told_in_a_line(capfd):
    """Whatever serves, here what forwards to a stage on AWS."""
    faults: list[str] = []

    def broken(_request, _person):
        raise RuntimeError("no idea")

    with Server() as server:
        server.serve(Site(None, forward=broken, fault=faults.append))
        with pytest.raises(http.client.RemoteDisconnected):
            call(server, "GET", "/api/runs")

    assert faults == ["RuntimeError: no idea"]
    assert capfd.readouterr().err == ""


def test_who_asks_before_it_is_up_waits(api):
    with Server() as server:
        found = []
        asks = threading.Thread(target=lambda: found.append(call(server, "GET", "/api/runs")[0]))
        asks.start()
        asks.join(0.2)
        assert found == []
        server.serve(Site(api))
        asks.join(20)
        assert found == [201]


def test_the_next_free_port_is_taken_unless_one_is_named():
    with Server() as first:
        port = int(first.url.rpartition(":")[2])
        with Server(port, tries=20) as second:
            assert port < int(second.url.rpartition(":")[2]) < port + 20
        with pytest.raises(PortTaken):
            Server(port)


def test_a_stage_that_is_being_stopped_says_so():
    def closed(_event):
        raise SystemExit

    with Server() as server:
        server.serve(Site(closed))
        assert call(server, "GET", "/api/runs")[0] == 503
