"""Secrets are taken out of texts and values, in every form in which they usually show up."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.domain.masking import Masks

SECRET = 'p"ss wörd/+'


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        quote(SECRET, safe=""),
        base64.b64encode(SECRET.encode()).decode(),
    ],
)
def test_a_secret_is_masked_however_it_is_written(form):
    assert Masks([SECRET]).text(f"<{form}>") == "<***>"


def test_each_line_of_a_key_is_masked():
    assert Masks(["first line\nsecond line\n"]).text("x second line") == "x ***"


def test_of_two_secrets_the_longer_goes_first():
    assert Masks(["abc", "abcdef"]).text("abcdef abc") == "*** ***"


def test_values_are_masked_to_their_depth():
    masks = Masks(["hunter2"])
    assert masks.value({"a hunter2": ["x hunter2", 1, None]}) == {"a ***": ["x ***", 1, None]}


def test_an_empty_secret_or_a_letter_masks_nothing():
    assert Masks(["", " ", "e"]).text("here") == "here"


@given(st.lists(st.text(min_size=4), min_size=1, max_size=4), st.text())
def test_no_secret_is_left_in_a_text(secrets, around):
    masked = Masks(secrets).text(around + around.join(secrets))
    assert not any(secret.strip() in masked for secret in secrets if len(secret.strip()) >= 4)
