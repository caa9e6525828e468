"""One HTTP request: what is sent, what comes back, and what a lost answer means."""

from __future__ import annotations

import socket

import pytest

from functions.actions import web
from functions.actions.http_request import ACTION, repeats
from functions.domain import errors
from tests.functions.actions.kit import Reply, context, serving


def call(folder, **inputs):
    return ACTION.call(inputs, context(folder))


def test_json_comes_back_as_a_value_and_text_as_text(tmp_path):
    with serving(lambda c: Reply(body={"n": [1]} if c.path == "/json" else "näh")) as (url, _):
        assert call(tmp_path, url=f"{url}/json")["body"] == {"n": [1]}
        answer = call(tmp_path, url=f"{url}/text")
    assert (answer["status_code"], answer["body"]) == (200, "näh")
    assert answer["headers"]["content-length"] == "4"


def test_a_body_that_is_no_text_goes_as_json_with_the_key_of_the_step(tmp_path):
    with serving(lambda _call: Reply()) as (url, calls):
        call(tmp_path, url=url, method="POST", body={"a": "é"}, query={"q": [1, "x y"], "n": None})
    (sent,) = calls
    assert (sent.json(), sent.path) == ({"a": "é"}, "/?q=1&q=x+y")
    assert sent.headers["content-type"] == "application/json"
    assert sent.headers["idempotency-key"] == "run-1/s"


URL = "https://us.example.com/api/callbacks/token"


def test_a_service_is_told_where_to_answer_to_and_the_address_is_no_output(tmp_path):
    with serving(lambda c: Reply(body={"echo": c.headers["stepsmith-callback"]})) as (url, calls):
        given = context(tmp_path, callback=URL)
        answer = ACTION.call({"url": url}, given)
    assert calls[0].headers["stepsmith-callback"] == URL
    assert URL not in str(given.masks.value(answer["body"]))


@pytest.mark.parametrize(
    ("body", "sent"),
    [({"image": "app"}, {"image": "app", "tell": URL}), (None, {"tell": URL})],
)
def test_a_field_of_the_body_may_take_the_address_too(tmp_path, body, sent):
    inputs = {"method": "POST", "body": body, "callback_field": "tell"}
    with serving(lambda _call: Reply()) as (url, calls):
        ACTION.call({"url": url, **inputs}, context(tmp_path, callback=URL))
    assert calls[0].json() == sent


def test_a_body_that_is_no_object_takes_no_address(tmp_path):
    inputs = {"url": "http://127.0.0.1:9", "body": "text", "callback_field": "tell"}
    with pytest.raises(errors.ValidationError, match="no object"):
        ACTION.call(inputs, context(tmp_path, callback=URL))


def test_without_a_callback_nothing_is_told(tmp_path):
    with serving(lambda _call: Reply()) as (url, calls):
        call(tmp_path, url=url, method="POST", body={}, callback_field="tell")
    assert "stepsmith-callback" not in calls[0].headers
    assert calls[0].json() == {}


def test_a_redirect_to_another_host_does_not_take_the_address_along(tmp_path):
    with serving(lambda _call: Reply()) as (other, calls):
        away = other.replace("127.0.0.1", "localhost")
        with serving(lambda _call: Reply(302, headers={"Location": away})) as (url, _):
            ACTION.call({"url": url}, context(tmp_path, callback=URL))
    assert "stepsmith-callback" not in calls[0].headers


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (404, web.HttpError),
        (429, errors.Throttled),
        (500, errors.ServiceUnavailable),
        (503, errors.ServiceUnavailable),
        (504, errors.TimeoutError),
    ],
)
def test_a_status_that_is_not_expected_is_an_error_of_its_category(tmp_path, status, error):
    reply = Reply(status, "because", {"Retry-After": "7"})
    with serving(lambda _call: reply) as (url, _), pytest.raises(error) as raised:
        call(tmp_path, url=f"{url}/a?token=hunter2")
    assert type(raised.value) is error
    assert raised.value.status_code == status
    assert f"(status_code={status}): because" in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert raised.value.details == [{"retry_after": "7"}]


def test_a_status_may_be_expected(tmp_path):
    with serving(lambda _call: Reply(404)) as (url, _):
        assert call(tmp_path, url=url, expect=[200, 404])["status_code"] == 404
        with pytest.raises(web.HttpError):
            call(tmp_path, url=url, expect=201)


def test_a_request_that_may_have_arrived_is_in_doubt_unless_it_may_be_repeated(tmp_path):
    with serving(lambda _call: Reply(drop=True)) as (url, calls):
        with pytest.raises(errors.StepInDoubt, match="NetworkError"):
            call(tmp_path, url=url, method="POST")
        with pytest.raises(errors.NetworkError):
            call(tmp_path, url=url)
        with pytest.raises(errors.NetworkError):
            call(tmp_path, url=url, method="POST", repeatable=True)
    assert len(calls) == 3  # nothing was sent twice


def test_an_answer_that_takes_too_long_is_a_timeout(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(errors.TimeoutError):
            call(tmp_path, url=url, timeout=0.05)
        with pytest.raises(errors.StepInDoubt, match="TimeoutError"):
            call(tmp_path, url=url, method="PATCH", timeout=0.05)


def test_a_connection_that_was_never_made_is_no_doubt(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(errors.NetworkError):
        call(tmp_path, url=url, method="POST")


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.com", "example.com", "http://", "http://a:b/"]
)
def test_only_http_and_https_are_asked(tmp_path, url):
    with pytest.raises(errors.ValidationError):
        call(tmp_path, url=url)


def test_a_redirect_to_another_scheme_is_not_followed(tmp_path):
    reply = Reply(302, headers={"Location": "file:///etc/passwd"})
    with serving(lambda _call: reply) as (url, _), pytest.raises(errors.ValidationError):
        call(tmp_path, url=url)


def test_redirects_are_followed_a_few_times(tmp_path):
    def answer(request):
        left = int(request.path[1:])
        return Reply(302, headers={"Location": f"/{left - 1}"}) if left else Reply(body="here")

    with serving(answer) as (url, _):
        assert call(tmp_path, url=f"{url}/5")["body"] == "here"
        with pytest.raises(web.HttpError, match="redirects"):
            call(tmp_path, url=f"{url}/6")


def test_credentials_do_not_follow_to_another_host(tmp_path):
    with serving(lambda _call: Reply()) as (other, calls):
        elsewhere = other.replace("127.0.0.1", "localhost")
        reply = Reply(302, headers={"Location": elsewhere})
        with serving(lambda _call: reply) as (url, _):
            call(tmp_path, url=url, headers={"Authorization": "Bearer hunter2"})
    assert "authorization" not in calls[0].headers


def test_an_answer_above_the_limit_fails_the_step(tmp_path, monkeypatch):
    monkeypatch.setattr(web, "MOST_BYTES", 4)
    with serving(lambda c: Reply(body=c.path[1:])) as (url, _):
        assert call(tmp_path, url=f"{url}/four")["body"] == "four"
        with pytest.raises(errors.OutputTooLarge):
            call(tmp_path, url=f"{url}/fiver")


def test_a_line_break_in_a_header_is_refused(tmp_path):
    with pytest.raises(errors.ValidationError, match="line break"):
        call(tmp_path, url="http://localhost", headers={"X": "a\r\nY: b"})


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({}, True),
        ({"method": "PUT"}, True),
        ({"method": "POST"}, False),
        ({"method": "PATCH"}, False),
        ({"method": "POST", "repeatable": True}, True),
        ({"method": "GET", "repeatable": False}, False),
    ],
)
def test_whether_a_request_may_be_repeated_is_said_by_its_method_or_by_the_author(raw, expected):
    assert repeats(raw) is expected
