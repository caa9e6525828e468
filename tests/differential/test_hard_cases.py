"""Where JSONata surprises: each expression on each event, on both engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from compiler.expressions.types import BOOLEAN, TEXT, UNKNOWN, ListOf, Record, optional
from protocol.evaluate import Json
from tests.compiler.expressions.reading import expression
from tests.differential.agreement import check
from tests.differential.engines import Local
from tests.differential.strategies import Document

MISSING = "nothing at all"

EVENTS: list[Json] = [
    MISSING,
    None,
    True,
    0,
    "",
    "false",
    "text",
    [],
    {},
    [None],
    ["text"],
    [{"a": 1}],
    [{"a": {"b": 1}}, {"a": {"b": 2}}],
    [[5]],
    [[]],
    {"a": 1},
    {"a": None, "b": []},
    {"a": {"b": 1}, "b": [{"b": 1}]},
    {"a": [{"b": 1}]},
    {"a": [{"b": 1}, {"b": [2]}], "b": {"b": 1}},
    {"a": {"b": [1]}, "b": 0},
    {"a": {"b": {}}, "b": {}},
    {"a": "text", "b": "t"},
    {"a": ["text"], "b": "text"},
    {"a": [[1]], "b": [1]},
    {"a": [1, True, None], "b": True},
    {"constructor": 1, "a": {"toString": []}},
    {"image-tag": "v1", "a": {"and": "x", "": "y", "`": "z"}},
]

EXPRESSIONS = [
    "event",
    "event.a",
    "event.a.b",
    "event.a.b.c",
    "event[0]",
    "event[0].a",
    "event.a[0].b",
    "event.a[0][0]",
    "event[event.b]",
    "event.a[event.b]",
    "event.image-tag",
    "event.a.and",
    "event.a['']",
    "event.a['`']",
    "event.constructor",
    "event.a.toString",
    "event.a == event.b",
    "event.a.b == 1",
    "event.a.b != 1",
    "event.a == null",
    "event.a.b != null",
    "event.a < event.b",
    "event.a.b >= 1",
    "!event",
    "!event.a.b",
    "!item.maybe",
    "!!item.maybe",
    "item.maybe || event.a",
    "item.maybe && event.a.b",
    "event.a || event.b",
    "event && event.a.b",
    "(event.a || event).b",
    "(item.maybe && event.a[event.b]) || event.b",
    "coalesce(event.a[event.b], event.b, item.text)",
    "contains(event.a, event.b)",
    "contains(event, event.a.b)",
    "contains(event.b, event.a[0])",
    "contains(item.texts, event.a)",
    "startsWith(event.a, event.b)",
    "endsWith(event.a, event.b)",
    "endsWith(event.a, '')",
    "format('{0}|{1}', event, event.a.b)",
    "join(event)",
    "join(event.a, event.b)",
    "join(item.texts, ',')",
    "toJSON(event)",
    "toJSON(event.a.b)",
    "fromJSON(toJSON(event))",
    "fromJSON(toJSON(event)).a[0].b",
    "fromJSON(event)",
    "length(event)",
    "length(event.a)",
    "keys(event)",
    "keys(event.a)[0]",
    "failure() && event.a || success()",
]


def documents() -> Iterator[Document]:
    """Each event, and beside it an item of which something is known."""
    items: list[Json] = [{"text": "t", "texts": []}, {"text": "", "texts": ["text"], "maybe": True}]
    item_type = Record({"text": TEXT, "texts": ListOf(TEXT), "maybe": optional(BOOLEAN)})
    for event in EVENTS:
        for item in items:
            values = {"item": item} if event == MISSING else {"item": item, "event": event}
            statuses = {"success": True, "failure": False, "always": True, "cancelled": False}
            yield Document({"item": item_type, "event": UNKNOWN}, values, statuses)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_on_every_event(node, text):
    """Missing is null, lists stay lists, and no mismatch fails."""
    expr = expression(text)
    for document in documents():
        check(expr, document, node)
        check(expr, document, Local())
