"""A form, whatever its schema, becomes fields; and what is sent becomes JSON again."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.http.fields import fields
from functions.http.form_values import PREFIX, filled
from functions.http.html import Html, linked, tag
from tests.functions.http.site import form_in, words_in
from tests.functions.http.test_pages import link_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYWORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "number", "integer", "boolean", "array", "object", 7,
                                 ["string", "null"], ["integer", "null"], []]),
        "enum": st.lists(JSON, max_size=6),
        "const": JSON,
        "default": JSON,
        "items": st.fixed_dictionaries({}, optional={"enum": st.lists(JSON, max_size=3),
                                                     "type": st.just("string")}) | JSON,
        "format": st.sampled_from(["date", "email", "uri", "time", "date-time", "textarea", "x"]),
        "title": JSON, "description": JSON, "minimum": JSON, "maxLength": JSON,
    },
)  # fmt: skip
SCHEMAS = st.fixed_dictionaries(
    {"properties": st.dictionaries(st.text(max_size=8), KEYWORDS | JSON, max_size=3) | JSON},
    optional={"required": st.lists(st.text(max_size=8)) | JSON},
)


def one(schema, text, *more, required=()):
    sent = {f"{PREFIX}x": [text, *more]} if text is not None else {}
    done = filled({"properties": {"x": schema}, "required": list(required)}, sent)
    return done.problems.get("x") or done.form.get("x", "nothing")


@pytest.mark.parametrize(
    ("schema", "texts", "value"),
    [
        ({"type": "string"}, [" a "], "a"),
        ({"type": "string"}, [""], "nothing"),
        ({"type": "string", "maxLength": 4000}, ["a\r\n b "], "a\n b "),
        ({"type": "integer"}, ["7"], 7),
        ({"type": "integer"}, ["7.5"], "Please write a number."),
        ({"type": "number"}, ["7.5"], 7.5),
        ({"type": "number"}, ["7"], 7),
        ({"type": "number"}, ["inf"], "Please write a number."),
        ({"type": "number"}, ["nan"], "Please write a number."),
        ({"type": "boolean"}, ["true"], True),
        ({"type": "boolean"}, [None], False),
        ({"enum": ["a", 1, None, True]}, ["1"], 1),
        ({"enum": ["a", 1, None, True]}, ["true"], True),
        ({"enum": ["a", 1]}, ["b"], "Please choose one of these."),
        ({"const": "yes"}, ["yes"], "yes"),
        ({"type": ["string", "null"]}, ["a"], "a"),
        ({"type": ["null", "integer"]}, ["7"], 7),
        ({"type": ["integer", "null"]}, [""], "nothing"),
        ({"type": ["integer", "string"]}, ["a"], "Please write JSON."),
        ({"type": "string", "format": "date-time"}, ["2026-12-01T10:00"], "2026-12-01T10:00:00Z"),
        (
            {"type": "string", "format": "date-time"},
            ["2026-12-01T10:00:07"],
            "2026-12-01T10:00:07Z",
        ),
        (
            {"type": "string", "format": "date-time"},
            ["2026-12-01T10:00:00+09:00"],
            "2026-12-01T10:00:00+09:00",
        ),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["a", "b"], ["a", "b"]),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["c"], "Please choose from these."),
        ({"type": "array", "items": {"type": "string"}}, ["a\r\n\r\nb"], ["a", "b"]),
        ({"type": "object"}, ['{"a": 1}'], {"a": 1}),
        ({"type": "object"}, ["{"], "Please write JSON."),
        ({}, ["[NaN]"], "Please write JSON."),
        ({}, ["[1e999]"], "Please write JSON."),
        ({}, ["[" * 100_000], "Please write JSON."),
        # What Python reads, and nothing behind the page can store or hand on.
        ({"type": "object"}, ['{"a": 1e999}'], "Please write JSON."),
        ({"type": "object"}, ['{"a": "\\ud800"}'], "Please write JSON."),
        ({"type": "object"}, ['{"\\udfff": 1}'], "Please write JSON."),
        ({"type": "array"}, ["[" * 101 + "]" * 101], "Please write JSON."),
        ({"type": "array"}, ["[" * 50_000 + "]" * 50_000], "Please write JSON."),
    ],
)
def test_what_is_sent_is_of_the_schema_s_kind(schema, texts, value):
    assert one(schema, *texts) == value


@pytest.mark.parametrize(
    ("schema", "said"),
    [({"type": "object"}, "As JSON"),
     ({"type": "array", "items": {"type": "string"}}, "One a line"),
     ({"type": "string", "format": "date-time"}, "In UTC")],
)  # fmt: skip
def test_how_a_field_is_written_is_told_with_it(schema, said):
    (field,) = fields({"properties": {"x": schema}}, {}, {})
    read = Read(field)
    described = next(given["aria-describedby"] for _, given in read.elements if given.get("name"))
    assert said in words_in(field)
    assert described in [given.get("id") for _, given in read.elements]


@pytest.mark.parametrize(
    ("default", "kind", "value"),
    [("2026-12-01T10:00:00Z", "datetime-local", "2026-12-01T10:00:00"),
     ("2026-12-01T10:00:00+09:00", "text", "2026-12-01T10:00:00+09:00"), ("soon", "text", "soon")],
)  # fmt: skip
def test_a_date_with_its_time_is_shown_as_a_browser_can_show_it(default, kind, value):
    schema = {"type": "string", "format": "date-time", "default": default}
    (field,) = fields({"properties": {"x": schema}}, {}, {})
    given = dict(Read(field).elements)["input"]
    assert (given["type"], given["value"]) == (kind, value)


def test_what_was_not_ticked_is_not_ticked_again_by_its_default():
    schema: Any = {
        "properties": {
            "sure": {"type": "boolean", "default": True},
            "where": {"type": "array", "items": {"enum": ["eu"]}, "default": ["eu"]},
            "why": {"type": "string"},
        }
    }
    shown = "".join(fields(schema, {f"{PREFIX}why": ["x"]}, {"why": "too short"}))
    assert [given for name, given in Read(shown).elements if "checked" in given] == []
    assert "checked" in "".join(fields(schema, {}, {}))


def test_the_first_field_that_is_wrong_has_the_focus():
    names: Any = {"a": {"type": "string"}, "b": {"enum": [1, 2]}, "c": {"type": "boolean"}}
    wrong = {"b": "Please choose.", "c": "Please choose."}
    shown = Read("".join(fields({"properties": names}, {f"{PREFIX}a": ["x"]}, wrong)))
    assert [given["name"] for _, given in shown.elements if "autofocus" in given] == [f"{PREFIX}b"]


def test_what_is_required_is_asked_for():
    assert one({"type": "string"}, "", required=["x"]) == "Please fill this in."
    assert one({"type": "boolean"}, None, required=["x"]) is False
    assert one({"type": "array", "items": {"enum": ["a"]}}, None, required=["x"]) == []


def test_a_name_with_spaces_has_an_id_without():
    schema = {"properties": {"my field": {"type": "string", "description": "about"}}}
    (field,) = fields(schema, {}, {})
    attributes = dict(Read(field).elements)["input"]
    assert attributes["name"] == "form.my field"
    assert attributes["id"] == "form.my%20field"
    assert attributes["aria-describedby"] == "form.my%20field:about"


@given(schema=SCHEMAS, texts=st.lists(st.text(max_size=8), max_size=2), problem=st.text(max_size=5))
def test_whatever_the_schema_there_are_fields_and_no_fault(schema, texts, problem):
    properties = schema["properties"] if isinstance(schema["properties"], dict) else {}
    names = {PREFIX + name: texts for name in properties}
    problems = dict.fromkeys(properties, problem)
    for sent in ({}, names):
        made = fields(schema, sent, problems)
        assert len(made) == len(properties)
        assert all(isinstance(part, Html) for part in made)
    filled(schema, names)


class Read(HTMLParser):
    """What a browser makes of markup: its elements with their attributes, and its text."""

    def __init__(self, markup):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


# Null is no text of HTML, and a line's end is one character in it.
@given(text=st.text(st.characters(exclude_characters="\r\0")) | st.from_regex(r"https?://.{1,20}"))
def test_no_text_becomes_markup(text):
    shown = Read(tag("p", text, title=text))
    assert shown.elements == [("p", {"title": text})]
    assert shown.text == text
    followed = Read(linked(text))
    assert {name for name, _ in followed.elements} <= {"a"}
    assert all(given["href"].startswith("http") for _, given in followed.elements)
    assert followed.text == text


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    body=st.binary(max_size=60)
    | st.text(alphabet="a=&%+;formstaucrp.0", max_size=60).map(str.encode)
)
def test_whatever_is_sent_to_a_page_it_has_an_answer(site, body):
    site.scene.open(form={"type": "object", "properties": {"a": {"type": "integer"}}})
    form = form_in(site.call("GET", link_of(site.scene)).text)
    token = "&".join(f"{key}={value}" for key, value in form.fields.items())
    headers = {"content-type": "application/x-www-form-urlencoded"}
    for start in ("", f"{token}&"):
        text = start + body.decode("latin-1")
        answer = site.call("POST", f"/tasks/{site.scene.id}", text, headers=headers)
        assert answer.status < 500
    assert site.log.faults == []
