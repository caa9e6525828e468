"""Parser events to located nodes, without recursion; the hot path of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from compiler.diagnostics import Diagnostics
from compiler.document import limits, tags
from compiler.document.mappings import MERGE, mapping_of
from compiler.document.nodes import Lost, Node, Scalar, Sequence, Style
from compiler.document.parser import ALIAS, MAPPING_START, SCALAR, SEQUENCE_START, Event
from compiler.document.resolve import MAY_RESOLVE, NotFinite, resolve
from compiler.source import Span

_STYLES: Final[dict[str | None, Style]] = {
    None: Style.PLAIN,
    "": Style.PLAIN,
    "'": Style.SINGLE,
    '"': Style.DOUBLE,
    "|": Style.LITERAL,
    ">": Style.FOLDED,
}


class Refused(Exception):
    """Reading ends here; the reason is reported."""


class _Open:
    """A list or mapping whose end has not come yet."""

    __slots__ = ("anchor", "before", "children", "height", "is_mapping", "start")

    def __init__(self, *, is_mapping: bool, start: int, anchor: str | None, before: int) -> None:
        self.is_mapping = is_mapping
        self.start = start
        self.anchor = anchor
        self.before = before  # nodes counted when it was opened
        self.children: list[Node] = []
        self.height = 0  # of the highest child


class _Anchor:
    """What an anchor names, with everything that its own aliases stand for."""

    __slots__ = ("height", "node", "size")

    def __init__(self, node: Node, size: int, height: int) -> None:
        self.node = node
        self.size = size
        self.height = height


class Composer:
    """Builds the root node of one document after the other from the parser's events."""

    def __init__(self, next_event: Callable[[], Event], diagnostics: Diagnostics) -> None:
        self._next_event = next_event
        self._diagnostics = diagnostics
        self._source = diagnostics.source
        self._text = diagnostics.source.text
        # An expression with a comment sign in it; looked for once, not in every scalar.
        self._may_be_cut = tags.CUT_EXPRESSION.search(self._text) is not None
        self._anchors: dict[str, _Anchor | None] = {}  # None: still open
        self._stack: list[_Open] = []
        self._nodes = 0
        self._aliases = 0
        self._aliased_nodes = 0

    def document(self) -> Node:
        """Return the root of the document whose start event was taken last.

        Raises:
            Refused: where a limit is passed.
            yaml.YAMLError: from the parser.
        """
        self._anchors.clear()
        next_event = self._next_event
        source, may_be_cut, stack = self._source, self._may_be_cut, self._stack
        scalar_event, plain, styles = SCALAR, Style.PLAIN, _STYLES
        max_nodes = limits.MAX_NODES
        top: list[Node] = []
        value: None | bool | int | float | str
        children = top  # of the innermost open collection
        in_mapping = False
        while True:
            event = next_event()
            if type(event) is not scalar_event:
                children, in_mapping = self._other(event, top)
            else:
                text = event.value
                start = event.start_mark.index
                self._nodes += 1
                if (
                    (style := styles[event.style]) is plain
                    and event.anchor is None
                    and event.tag is None
                    and not may_be_cut
                ):
                    # A key is always text.
                    if (text and text[0] not in MAY_RESOLVE) or (
                        in_mapping and not len(children) & 1
                    ):
                        value = text
                    else:
                        value = self._resolve(text, start, event.end_mark.index)
                    span = Span(start, event.end_mark.index)
                    children.append(Scalar(value, text, style, span, source))
                else:
                    is_key = in_mapping and not len(children) & 1
                    children.append(self._scalar(event, style, is_key=is_key))
                if self._nodes > max_nodes:
                    self._refuse_nodes(start)
            if not stack:
                return top[0]

    def _other(self, event: Event, top: list[Node]) -> tuple[list[Node], bool]:
        """Take an alias, or the start or end of a collection; return what is innermost then."""
        stack = self._stack
        kind = type(event)
        if kind is MAPPING_START or kind is SEQUENCE_START:
            self._nodes += 1
            opened = self._open(event, is_mapping=kind is MAPPING_START)
            stack.append(opened)
            return opened.children, opened.is_mapping
        if kind is ALIAS:
            node, height = self._alias(event)
        else:
            done = stack.pop()
            node = self._close(done, event.start_mark.index, event.end_mark.index)
            height = done.height + 1
        if not stack:
            top.append(node)
            return top, False
        parent = stack[-1]
        parent.height = max(parent.height, height)
        parent.children.append(node)
        return parent.children, parent.is_mapping

    # Collections

    def _open(self, event: Event, *, is_mapping: bool) -> _Open:
        start = event.start_mark.index
        if len(self._stack) >= limits.MAX_DEPTH:
            self._refuse_depth(Span(start, event.end_mark.index))
        if event.tag is not None:
            tags.check_collection(event, self._diagnostics)
        anchor = event.anchor
        if anchor is not None or event.tag is not None:
            start = tags.value_start(self._text, start, len(self._text))
        if anchor is not None:
            self._anchors[anchor] = None
        before = self._nodes + self._aliased_nodes
        return _Open(is_mapping=is_mapping, start=start, anchor=anchor, before=before)

    def _close(self, done: _Open, start: int, end: int) -> Node:
        children = done.children
        if start == end:  # a block collection ends with its last child, not before the next token
            end = children[-1].span.end if children else done.start
        span = Span(done.start, max(end, done.start))
        node: Node
        if done.is_mapping:
            node = mapping_of(children, span, self._diagnostics)
        else:
            node = Sequence(tuple(children), span)
        if done.anchor is not None:
            size = self._nodes + self._aliased_nodes - done.before + 1
            self._anchors[done.anchor] = _Anchor(node, size, done.height + 1)
        return node

    # Scalars

    def _scalar(self, event: Event, style: Style, *, is_key: bool) -> Scalar:
        """Return the node of a scalar that is not just plain text."""
        text, tag = event.value, event.tag
        start, end = event.start_mark.index, event.end_mark.index
        if event.anchor is not None or tag is not None:
            start = tags.value_start(self._text, start, end)
        if style is Style.LITERAL or style is Style.FOLDED:
            end = max(start, start + len(self._text[start:end].rstrip()))
        value: None | bool | int | float | str = text
        if tag is not None:
            whole = Span(event.start_mark.index, end)
            value, text, span = tags.tagged(
                event, style, whole, Span(start, end), self._diagnostics
            )
        else:
            span = Span(start, end)
            if style is Style.PLAIN:
                if self._may_be_cut and "${{" in text:
                    text, span = tags.uncut(text, span, self._diagnostics)
                    value = text
                value = self._resolve(text, start, end)
        if is_key:
            value = text
        node = Scalar(value, text, style, span, self._source)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchor(node, 1, 0)
        return node

    def _resolve(self, text: str, start: int, end: int) -> None | bool | int | float | str:
        try:
            value = resolve(text)
            if value is text and text[0] == "-":
                return self._dash(text, start)
            return value
        except NotFinite:
            self._diagnostics.error(
                "number-not-finite",
                Span(start, end),
                f"`{text[:40]}` is a number that JSON cannot hold",
                help="write a finite number, or put it in quotes if it is text",
            )
            return Lost(text)

    def _dash(self, text: str, start: int) -> str:
        """Report `-item` on the line below a key, where `- item` was meant."""
        line = max(self._text.rfind("\n", 0, start), self._text.rfind("\r", 0, start)) + 1
        if self._text[line:start].strip(" ") or not (text[1:2].isalpha() and self._in_mapping()):
            return text
        item = text[1:].split(" -", maxsplit=1)[0]
        self._diagnostics.error(
            "missing-space",
            Span(start, start + 1 + len(item)),
            f"`-{item}` has no space after the dash, so it is no item of a list",
            help=f"write `- {item}`",
        )
        return Lost(text)

    def _in_mapping(self) -> bool:
        return bool(self._stack) and self._stack[-1].is_mapping

    # Aliases

    def _alias(self, event: Event) -> tuple[Node, int]:
        name = event.anchor or ""
        span = Span(event.start_mark.index, event.end_mark.index)
        self._aliases += 1
        if self._aliases > limits.MAX_ALIASES:
            self._refuse(span, f"more than {limits.MAX_ALIASES:,} uses of anchors in one file")
        anchor = self._anchors.get(name)
        if anchor is None:
            if name in self._anchors:
                self._diagnostics.error(
                    "recursive-alias",
                    span,
                    f"`*{name}` stands inside `&{name}`, so it would contain itself",
                    help="move the part that is used again out of it, and give that an anchor",
                )
            else:
                self._unknown_alias(name, span)
            text = f"*{name}"
            return Scalar(Lost(text), text, Style.PLAIN, span, self._source), 0
        self._aliased_nodes += anchor.size
        if self._aliased_nodes > limits.MAX_ALIASED_NODES:
            self._refuse(
                span,
                f"with `*{name}` the uses of anchors stand for more than "
                f"{limits.MAX_ALIASED_NODES:,} keys and values",
            )
        node, height = anchor.node, anchor.height
        if self._expects_key():
            if isinstance(node, Scalar):
                node = Scalar(node.text, node.text, node.style, node.span, node.source)
        elif self._is_merged():
            height -= 1  # its entries become those of the mapping around it
        if len(self._stack) + height > limits.MAX_DEPTH:
            self._refuse_depth(span)
        return node, height

    def _expects_key(self) -> bool:
        return self._in_mapping() and not len(self._stack[-1].children) & 1

    def _is_merged(self) -> bool:
        if not self._in_mapping():
            return False
        key = self._stack[-1].children[-1]
        return isinstance(key, Scalar) and key.text == MERGE

    def _unknown_alias(self, name: str, span: Span) -> None:
        known = ", ".join(f"`&{anchor}`" for anchor in list(self._anchors)[:5])
        self._diagnostics.error(
            "unknown-alias",
            span,
            f"`*{name}` uses an anchor, and no `&{name}` stands before it",
            help=(f"anchors so far: {known}; " if known else "")
            + f'if it is text, put it in quotes: "*{name}"',
        )

    # Limits

    def _refuse_nodes(self, start: int) -> NoReturn:
        self._refuse(
            Span(start, start + 1), f"more than {limits.MAX_NODES:,} keys and values in one file"
        )

    def _refuse(self, span: Span, message: str) -> NoReturn:
        self._diagnostics.error(
            "document-too-large",
            span,
            message,
            help="split the workflow: move steps to a sub-workflow of its own file",
        )
        raise Refused

    def _refuse_depth(self, span: Span) -> NoReturn:
        message, advice = limits.TOO_DEEP
        self._diagnostics.error("document-too-deep", span, message, help=advice)
        raise Refused
