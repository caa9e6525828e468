"""Every character of every scalar is found again in the source, however it was written."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from compiler.diagnostics import Diagnostics
from compiler.document import Mapping, Scalar, Style, place, read, walk
from compiler.source import Source, Span


def scalars(text: str) -> list[Scalar]:
    source = Source("flow.yaml", text)
    found = Diagnostics(source)
    documents = read(source, found)
    assert not found.has_errors, [d.message for d in found]
    nodes = [node for document in documents for node in walk(document.root)]
    keys = [key for node in nodes if isinstance(node, Mapping) for key, _ in node.entries]
    return keys + [node for node in nodes if isinstance(node, Scalar)]


def assert_exact(scalar: Scalar) -> None:
    source = scalar.source.text
    last = scalar.span.start
    for at, character in enumerate(scalar.text):
        span = place(scalar, at, at + 1)
        written = source[span.start : span.end]
        assert span.start >= last, "places go forward"
        last = span.end
        if scalar.style is Style.DOUBLE and written.startswith("\\"):
            assert yaml.safe_load(f'"{written}"') == character
        elif scalar.style is Style.SINGLE and written == "''":
            assert character == "'"
        elif "\n" in written or "\r" in written:
            assert not written.strip() or written.startswith("\\")
            assert character in " \n"
        else:
            assert written == character
    whole = place(scalar, 0, len(scalar.text))
    assert whole.start == place(scalar, 0, 0).start
    assert whole.end == last or not scalar.text


CASES = {
    "plain": "a: some text\n",
    "plain over lines": "a: one\n  two\n\n\n  three   \n    four # comment\nb: 1\n",
    "plain, wide characters": "ключ: 'é' 𝒳 end\n".replace("'", "’"),
    "plain with anchor": "a: &x   text here\nb: *x\n",
    "anchor on a line of its own": "a: &x # comment\n   # more\n  text here\n",
    "plain with a tag": "a: !!str 12 34\n",
    "single": "a: 'it''s ''quoted'''\n",
    "single over lines": "a: 'one\n\n  two''s \t\n   three'\n",
    "double": 'a: "x\\ty \\u00e9\\x41\\U0001F600 \\\\ \\" z"\n',
    "double over lines": 'a: "one \\\n   \\ two\n\n\n  three\t\n  four\\\n\n  five"\n',
    "literal": "a: |\n  one\n    two\n\n  three\n\nb: 1\n",
    "literal, kept": "a: |+\n  one\n\n\nb: 1\n",
    "literal, stripped": "a: |- # why\n  one\n  two\n",
    "literal with an indicator": "a: |2\n    two more\n  one\nb:\n  - |1-\n     x\n",
    "literal of spaces": "a: |2\n     \n  one\n",
    "literal without end of line": "a: |\n  one",
    "literal, blank lines first": "a: |\n\n \n  one\n",
    "literal with tabs": "a: |\n  \tone\n  two\t\n",
    "literal with anchor": "a: &x |\n  one\nb: *x\n",
    "folded": "a: >\n  one\n  two\n\n  three\n    more\n    still\n\n  four\n\n\n  five\n\nb: 1\n",
    "folded, kept": "a: >+\n\n  one\n  two\n\n\n",
    "folded, stripped with an indicator": "a: >2-\n   one\n  two\n  three\n",
    "folded, more indented first": "a: >1\n   one\n two\n three\n",
    "blocks in lists": "- |\n one\n two\n- - >\n   three\n   four\n  - x\n",
    "windows line ends": "a: |\r\n  one\r\n  two\r\nb: 'x\r\n  y'\r\nc: >\r\n  f\r\n  g\r\n",
    "byte order mark": "\ufeffa: text\nb: |\n  é\n",
    "empty block": "a: |\nb: >-\nc: |+\n\nd: ''\ne: \"\"\nf:\n",
    "flow": "{a: b c, 'd e': \"f\", g: [h i, 'j']}\n",
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_every_character_is_found(text: str) -> None:
    for scalar in scalars(text):
        assert_exact(scalar)


_LINE = st.text(alphabet="ab é😀\t'\"\\#:-", max_size=6)
_BLOCK_INDENT = st.integers(1, 4)


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """Return a block scalar with any indicators, between other keys."""
    indent = draw(_BLOCK_INDENT)
    explicit = draw(st.booleans())
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = draw(st.lists(_LINE, max_size=6))
    first = next((line for line in lines if line.strip(" ")), "")
    blank_before = any(len(line) > 0 for line in lines[: lines.index(first)]) if first else True
    if not explicit and (first[:1] in " \t" or blank_before):
        explicit = True
    indicators = [str(indent) if explicit else "", draw(st.sampled_from(["", "+", "-"]))]
    header = draw(st.sampled_from("|>")) + "".join(draw(st.permutations(indicators)))
    body = [" " * indent + line if line else "" for line in lines]
    return end.join(["a: " + header, *body, "b: end", ""])


@given(blocks())
def test_every_character_of_any_block_is_found(text: str) -> None:
    for scalar in scalars(text):
        assert_exact(scalar)


@given(
    st.text(alphabet="ab é😀\n\t'\"\\#:- \r", max_size=40),
    st.sampled_from(["'", '"', "|", ">", None]),
    st.integers(20, 60),
    st.booleans(),
)
def test_every_character_of_what_an_emitter_writes_is_found(value, style, width, unicode) -> None:
    text = yaml.dump(
        {"key": [value, "x"]},
        default_style=style,
        width=width,
        allow_unicode=unicode,
    )
    found = scalars(text)
    assert value in [scalar.text for scalar in found]
    for scalar in found:
        assert_exact(scalar)


def test_offsets_outside_the_text_are_moved_to_its_ends() -> None:
    scalar = scalars("a: 'b''c'\n")[1]
    assert place(scalar, -5, 99) == Span(4, 8)
    assert place(scalar, 3, 3) == Span(8, 8)


def test_a_block_ends_with_its_last_line_of_text() -> None:
    scalar = scalars("a: |\n  one\n\n\nb: 1\n")[2]
    assert (scalar.span.start, scalar.span.end) == (3, 10)
