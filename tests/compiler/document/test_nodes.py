"""Located nodes: what is found under a key."""

from __future__ import annotations

import pytest

from compiler.document.nodes import Mapping, Scalar, Style
from compiler.source import Source, Span

SOURCE = Source("nodes.yaml", "")
SPAN = Span(0, 0)


@pytest.mark.parametrize("entries", [3, 300])
def test_a_mapping_of_any_size_gives_the_first_of_equal_keys(entries: int):
    names = [f"k{at}" for at in range(entries)] + ["k1"]
    keys = [Scalar(name, name, Style.PLAIN, SPAN, SOURCE) for name in names]
    values = [Scalar(at, str(at), Style.PLAIN, SPAN, SOURCE) for at in range(len(names))]
    mapping = Mapping(tuple(zip(keys, values, strict=True)), SPAN)

    assert mapping.get("k1") is values[1]
    assert mapping.key("k1") is keys[1]
    assert mapping.get(f"k{entries - 1}") is values[entries - 1]
    assert mapping.get("nothing") is None
    assert mapping.key("nothing") is None
