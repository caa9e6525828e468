"""Outputs at the limit and to both sides of it, in characters of one to four bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.domain import errors
from functions.usecases.carry_out import carry_out
from tests.functions.usecases.test_carry_out import Blobs, action, around, call

LIMIT = 1_000


def text_of(size: int, character: str) -> str:
    """Return a text that is so many bytes of JSON in an object under the name `v`."""
    width = len(character.encode())
    frame = len(json.dumps({"v": ""}))
    text = character * ((size - frame) // width)
    text += "x" * (size - frame - len(text.encode()))
    assert len(json.dumps({"v": text}, ensure_ascii=False).encode()) == size
    return text


@pytest.mark.parametrize("character", ["x", "é", "€", "😀"])
@pytest.mark.parametrize(
    ("size", "travels"), [(LIMIT - 1, True), (LIMIT, True), (LIMIT + 1, False)]
)
def test_an_output_travels_up_to_the_limit_and_goes_by_reference_above(size, travels, character):
    blobs, text = Blobs(), text_of(size, character)
    envelope = carry_out(call(inputs={"v": text}, limit=LIMIT), action(), around(blobs=blobs))
    assert envelope["outputs"] == ({"v": text} if travels else {})
    assert blobs.kept == ({} if travels else {"v": text})


@pytest.mark.parametrize("inline", [["v"], ["*"]])
@pytest.mark.parametrize("character", ["x", "€"])
def test_an_output_that_the_machine_reads_fails_its_step_above_the_limit(character, inline):
    for size in (LIMIT - 1, LIMIT):
        fits = call(inputs={"v": text_of(size, character)}, limit=LIMIT, inline=inline)
        assert "refs" not in carry_out(fits, action(), around())
    request = call(inputs={"v": text_of(LIMIT + 1, character)}, limit=LIMIT, inline=inline)
    with pytest.raises(errors.OutputTooLarge, match="'v'"):
        carry_out(request, action(), around())


@given(
    st.dictionaries(st.text(max_size=9), st.text(max_size=60), max_size=9),
    st.integers(2, 300),
    st.data(),
)
def test_what_travels_fits_and_nothing_is_lost(outputs, limit, data):
    kept = data.draw(st.lists(st.sampled_from(sorted(outputs)), unique=True)) if outputs else []
    blobs = Blobs()
    request = call(inputs=outputs, limit=limit, inline=kept)
    try:
        envelope = carry_out(request, action(), around(blobs=blobs))
    except errors.OutputTooLarge:
        read = {name: outputs[name] for name in kept}
        assert len(json.dumps(read, ensure_ascii=False).encode()) > limit
        return
    travelling = envelope["outputs"]
    assert travelling | blobs.kept == outputs
    assert set(kept) <= set(travelling)
    assert len(json.dumps(travelling, ensure_ascii=False).encode()) <= limit
