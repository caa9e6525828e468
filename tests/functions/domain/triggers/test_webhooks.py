"""Signatures of webhooks, over the bytes that came, and what the bytes say."""

from __future__ import annotations

import hashlib
import hmac
import json
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.domain.triggers.webhooks import is_genuine, is_signed, posted, secrets_in

SECRET = "It's a Secret to Everybody"
BODY = b"Hello, World!"
SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
"""https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries"""


def signed(secret: str, body: bytes) -> str:
    """Return what a sender says of a body."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_github_s_own_example_is_genuine():
    assert is_signed([SECRET], BODY, SIGNATURE)


@given(st.binary(max_size=60), st.data())
def test_any_other_byte_is_no_longer_signed(body, data):
    signature = signed(SECRET, body)
    place = data.draw(st.integers(0, len(body)))
    other = data.draw(st.binary(min_size=1, max_size=1))
    assert not is_signed([SECRET], body[:place] + other + body[place:], signature)
    if body:
        assert not is_signed([SECRET], body[:-1], signature)


@pytest.mark.parametrize(
    "body",
    [b'{"a":  1}', rb'{"a": "\u00e9"}', b'{"b": 1.0, "a": 1}', '{"a": "é"}'.encode(), b"\xff"],
)
def test_bytes_are_signed_and_not_what_they_mean(body):
    assert is_signed([SECRET], body, signed(SECRET, body))
    if body != b"\xff":
        again = json.dumps(json.loads(body), separators=(",", ":")).encode()
        assert not is_signed([SECRET], again, signed(SECRET, body))


@pytest.mark.parametrize(
    "signature",
    [None, "", "sha256=", SIGNATURE.removeprefix("sha256="), SIGNATURE.replace("sha256", "sha1"),
     SIGNATURE.upper(), SIGNATURE[:-1], SIGNATURE + "0", "sha256=é"],
)  # fmt: skip
def test_what_is_no_signature_is_refused(signature):
    assert not is_signed([SECRET], BODY, signature)


def test_while_secrets_are_exchanged_both_are_right():
    stored = "\n  the new one  \n\nthe old one\n"
    assert secrets_in(stored) == ("the new one", "the old one")
    for secret in secrets_in(stored):
        assert is_signed(secrets_in(stored), BODY, signed(secret, BODY))
    assert not is_signed(secrets_in(stored), BODY, signed("an older one", BODY))


@pytest.mark.parametrize("stored", ["", "  ", "\n \n"])
def test_without_a_secret_nothing_is_genuine(stored):
    secrets = secrets_in(stored)
    assert not is_genuine("git-push", secrets, BODY, {"x-hub-signature-256": signed("", BODY)})
    assert not is_genuine("git-push", [""], BODY, {"x-hub-signature-256": signed("", BODY)})
    for said in ("Bearer ", "Bearer", "Bearer x"):
        assert not is_genuine("http", secrets, BODY, {"authorization": said})
        assert not is_genuine("http", [""], BODY, {"authorization": said})


def test_github_has_to_sign():
    assert is_genuine("git-push", [SECRET], BODY, {"X-Hub-Signature-256": SIGNATURE})
    assert not is_genuine("git-push", [SECRET], BODY, {"Authorization": f"Bearer {SECRET}"})
    assert not is_genuine("git-push", [SECRET], BODY, {})


@pytest.mark.parametrize(
    ("headers", "is_right"),
    [
        ({"X-Stepsmith-Signature-256": SIGNATURE}, True),
        ({"x-hub-signature-256": SIGNATURE}, True),
        ({"authorization": f"bearer {SECRET}"}, True),
        ({"Authorization": f"Bearer  {SECRET} "}, True),
        ({"Authorization": f"Basic {SECRET}"}, False),
        ({"Authorization": "Bearer é"}, False),
        ({}, False),
        # A wrong signature is not made good by anything else.
        ({"x-stepsmith-signature-256": SIGNATURE[:-1] + "0",
          "authorization": f"Bearer {SECRET}"}, False),
    ],
)  # fmt: skip
def test_other_senders_sign_or_bear_the_secret(headers, is_right):
    assert is_genuine("http", ["another", SECRET], BODY, headers) is is_right


def test_json_is_read_as_it_is_and_out_of_a_form():
    value = {"a": "é &=", "b": [1, None]}
    text = json.dumps(value)
    assert posted(text.encode(), "application/json; charset=utf-8") == value
    assert posted(text.encode(), None) == value
    form = urlencode({"payload": text}).encode()
    assert posted(form, "application/x-www-form-urlencoded") == value


@pytest.mark.parametrize(
    ("body", "kind", "told"),
    [
        (b"", None, "no JSON"),
        (b"{", "application/json", "no JSON"),
        (b'{"a": NaN}', None, "NaN"),
        (b'{"a": 1e999}', None, "too large"),
        (b"\xff\xfe", None, "UTF-8"),
        (b"[" * 100_000, None, "deep"),
        (b"a=1", "application/x-www-form-urlencoded", "`payload`"),
        (b"payload=%7B", "application/x-www-form-urlencoded", "no JSON"),
    ],
)
def test_what_cannot_be_read_says_why(body, kind, told):
    with pytest.raises(ValueError, match=told):
        posted(body, kind)
