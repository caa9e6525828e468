"""Callbacks: an outside system ends a step by its URL."""

from __future__ import annotations

import pytest


@pytest.fixture
def path(site):
    """The path of a callback that is waited for."""
    url = site.scene.call("open_callback", waits=False, timeout=3600)["url"]
    site.token = site.scene.call("await_callback", timeout=3600)
    return url.removeprefix(site.scene.signer.base)


def test_outputs_end_the_step(site, path):
    assert site.call("POST", path, {"outputs": {"id": 7}}).json == {"status": "succeeded"}
    site.scene.stream.read()
    assert site.scene.executions.taken == {site.token: {"outputs": {"id": 7}}}
    assert site.call("POST", path, {"outputs": {"id": 8}}).status == 200
    assert site.call("POST", path, {"failure": {"type": "X"}}).status == 409


def test_a_failure_fails_it(site, path):
    body = {"failure": {"type": "ScanFailed", "message": "3 findings"}}
    assert site.call("POST", path, body).json == {"status": "failed"}
    site.scene.stream.read()
    assert site.scene.executions.taken == {site.token: ("ScanFailed", "3 findings")}


def test_after_the_end_it_is_gone(site, path):
    site.scene.stop()
    assert site.call("POST", path, {"outputs": {}}).status == 410


@pytest.mark.parametrize(
    "body", [{}, {"outputs": {}, "failure": {"type": "x"}}, {"outputs": []}, {"output": {}},
             {"failure": {"type": ""}}, {"failure": {}}, {"outputs": {"x": "y" * 40_000}}],
)  # fmt: skip
def test_what_is_no_answer_is_refused(site, path, body):
    assert site.call("POST", path, body).status == 400
    site.scene.stream.read()
    assert site.scene.executions.taken == {}


def test_a_token_that_is_wrong_is_unknown(site, path):
    identifier = path.rsplit("/", 1)[1].partition(".")[0]
    for token in ("x", f"{identifier}.", f"{identifier}.x", f"{'0' * 32}.x", f"{path[-43:]}"):
        answer = site.call("POST", f"/api/callbacks/{token}", {"outputs": {}})
        assert answer.status == 404
        assert answer.json["detail"] == "there is nothing here"
    site.scene.open()
    link = site.scene.signer.token(site.scene.task, "alice@example.com")
    assert (
        site.call("POST", f"/api/callbacks/{site.scene.id}.{link}", {"outputs": {}}).status == 404
    )
