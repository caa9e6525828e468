"""Whatever a file holds, decoding ends in diagnostics, never in an exception."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from compiler.diagnostics import Diagnostics
from compiler.document import read, to_plain
from compiler.source import Source
from compiler.spec import decode
from compiler.spec.written import root, steps, triggers
from compiler.spec.written.parts import Written
from tests.compiler.spec.reading import document
from tests.fuzzing import fuzz

ARTICLES = sorted((Path(__file__).parent / "articles").glob("*.yaml"))
MODELS: list[type[Written]] = [
    root.Root, steps.Job, *steps.KINDS.values(), *triggers.TYPES.values(),
]  # fmt: skip
KEYS = sorted({name.rstrip("_") for model in MODELS for name in model.model_fields})
WORDS = ["a", "30s", "72", "${{ x }}", "manual", "wait", "parallel", "string", "aws:x", "👍", ""]

scalars = st.none() | st.booleans() | st.integers(-2, 5) | st.sampled_from(WORDS)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, "if", "zzz"]), inner, max_size=5)
    ),
    max_leaves=25,
)


def check(text: str) -> None:
    source = Source("a.yaml", text)
    diagnostics = Diagnostics(source)
    for found in read(source, diagnostics):
        workflow = decode(found, diagnostics)
        assert workflow is not None or diagnostics.has_errors
    for diagnostic in diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert diagnostic.message
        assert not diagnostic.message.endswith(".")
        for word in ("Input should", "validation error", "dict", "NoneType", "str "):
            assert word not in diagnostic.message


@fuzz
@given(values)
def test_any_value_in_any_key(value):
    check(json.dumps(value))


@fuzz
@given(st.sampled_from(ARTICLES), st.data())
def test_an_example_with_one_value_replaced(file, data):
    plain = to_plain(document(file.read_text())[0].root)
    holder, key = data.draw(st.sampled_from(places(plain)))
    holder[key] = data.draw(values)
    check(json.dumps(plain))


def places(node):
    found = []
    items = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, value in items:
        found.append((node, key))
        found.extend(places(value))
    return found


def test_a_thousand_steps_take_a_fraction_of_a_second():
    step = (
        "  - {{id: s{0}, action: x, inputs: {{a: 1}}, depends_on: [s0], condition: success(),"
        " retry: {{max_attempts: 5, backoff: {{base_delay: 10s}}}}, timeout: 15m}}\n"
    )
    found, diagnostics = document("steps:\n" + "".join(step.format(i) for i in range(1000)))
    times = []
    for _ in range(3):
        start = process_time()
        decode(found, diagnostics)
        times.append(process_time() - start)
    assert len(diagnostics) == 0
    assert min(times) < 0.5  # 0.05 s on a quiet machine
