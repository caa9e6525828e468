"""A mapping's keys: text, each once, and `<<` merges."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from compiler.diagnostics import Diagnostics
from compiler.document.nodes import Lost, Mapping, Node, Scalar, Sequence, Style
from compiler.document.offsets import place
from compiler.source import Span

MERGE = "<<"


def mapping_of(children: list[Node], span: Span, diagnostics: Diagnostics) -> Mapping | Scalar:
    """Return the mapping of keys and values in turn.

    Reports keys that are no text, that stand twice, and merges of something else than mappings;
    the first of equal keys stays. Of `{{ x }}`, which was meant to be an expression, nothing is
    left.
    """
    pairs = tuple(zip(children[::2], children[1::2], strict=True))
    try:
        keys = {key.text for key, _ in pairs}  # type: ignore[union-attr]
    except AttributeError:  # a list or mapping as a key
        keys = set()
    if len(keys) == len(pairs) and MERGE not in keys and "".join(keys).isascii():
        return Mapping(pairs, span)  # type: ignore[arg-type]
    source = diagnostics.source
    if source.text.startswith("{{", span.start) and not isinstance(pairs[0][0], Scalar):
        _report_braces(span, diagnostics)
        written = source.text[span.start : span.end]
        return Scalar(Lost(written), written, Style.PLAIN, span, source)
    return Mapping(tuple(_careful(pairs, diagnostics)), span)


def _careful(
    pairs: tuple[tuple[Node, Node], ...], diagnostics: Diagnostics
) -> Iterator[tuple[Scalar, Node]]:
    written: dict[str, Scalar] = {}
    kept: list[tuple[Scalar, Node]] = []
    for key, value in pairs:
        if not isinstance(key, Scalar):
            _report_key(key, diagnostics)
            continue
        name = unicodedata.normalize("NFC", key.text)
        _check_blanks(key, diagnostics)
        if name in written:
            _report_duplicate(written[name], key, diagnostics)
            continue
        written[name] = key
        kept.append((key, value))
    seen = set(written)
    for key, value in kept:
        if key.text == MERGE and key.style is Style.PLAIN:
            yield from _merged(value, seen, diagnostics)
        else:
            yield key, value


def _merged(value: Node, seen: set[str], diagnostics: Diagnostics) -> Iterator[tuple[Scalar, Node]]:
    """Yield what a `<<` adds: keys not written here, of earlier mappings before later ones."""
    for source in value.items if isinstance(value, Sequence) else (value,):
        if isinstance(source, Scalar) and isinstance(source.value, Lost):
            continue
        if not isinstance(source, Mapping):
            diagnostics.error(
                "merge-not-mapping",
                source.span,
                "`<<` merges mappings, and this is none",
                help="write an alias of a mapping (`<<: *name`) or a list of them",
            )
            continue
        for key, item in source.entries:
            name = unicodedata.normalize("NFC", key.text)
            if name not in seen:
                seen.add(name)
                yield key, item


def _report_duplicate(first: Scalar, again: Scalar, diagnostics: Diagnostics) -> None:
    line, column = diagnostics.source.line_column(first.span.start)
    help_text = "keep one of the two"
    if again.text == MERGE:
        help_text = "merge several with one list: `<<: [*first, *second]`"
    elif first.text != again.text:
        help_text += "; they look alike, but are written with different characters"
    diagnostics.error(
        "duplicate-key",
        again.span,
        f"`{again.text}` stands twice in this mapping, first at {line}:{column}",
        help=help_text,
        labels=(diagnostics.label(first.span, "first here"),),
    )


def _report_braces(span: Span, diagnostics: Diagnostics) -> None:
    text = diagnostics.source.text
    inner = " ".join(text[span.start : span.end].strip("{} \t\r\n").split())
    is_key = text[span.end : span.end + 2].strip(" ").startswith(":")
    diagnostics.error(
        "key-not-text",
        span,
        "`{{` opens a mapping inside a mapping; an expression starts with `${{`",
        help="write a fixed name: a key cannot be an expression"
        if is_key
        else f"write ${{{{ {inner} }}}}",
    )


def _report_key(key: Node, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "key-not-text",
        key.span,
        "a key is a list or a mapping here, and keys are text",
        help="put the key in quotes if it is text",
    )


def _check_blanks(key: Scalar, diagnostics: Diagnostics) -> None:
    odd = next((c for c in key.text if c != " " and (c.isspace() or c in "\u200b\u2060")), None)
    if odd is not None and key.style is Style.PLAIN:
        at = key.text.index(odd)
        diagnostics.error(
            "unreadable-character",
            place(key, at, at + 1),
            f"the key `{key.text.strip()}` holds U+{ord(odd):04X} "
            f"({unicodedata.name(odd, 'a control character').lower()}), which looks like a space",
            help="type the spaces again; they often come with text copied from a web page",
        )
