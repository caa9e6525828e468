"""Templates of mails: placeholders, what is escaped, and where the subject comes from."""

from __future__ import annotations

import pytest

from functions.domain.errors import ValidationError
from functions.domain.templates import rendered, titled
from protocol.payloads import Json


def test_values_in_a_page_are_escaped_and_in_a_text_are_not():
    data = {"name": "<b>'&"}
    assert rendered("Hi {{ name }}", data, is_html=True) == "Hi &lt;b&gt;&#x27;&amp;"
    assert rendered("Hi {{name}}", data, is_html=False) == "Hi <b>'&"


def test_a_placeholder_may_reach_into_a_value():
    data: dict[str, Json] = {"order": {"items": [{"n": 2}]}, "none": None}
    template = "{{ order.items.0.n }}{{ none }}|{{ order }}"
    assert rendered(template, data, is_html=False) == '2|{"items": [{"n": 2}]}'


def test_a_value_that_looks_like_a_placeholder_stays_text():
    assert rendered("{{ a }}", {"a": "{{ b }}", "b": "no"}, is_html=False) == "{{ b }}"


def test_all_placeholders_without_a_value_are_named():
    with pytest.raises(ValidationError, match=r"'\{\{ a \}\}', '\{\{ b.c \}\}'") as raised:
        rendered("{{ a }} {{ b.c }} {{ a }}", {"b": {}}, is_html=True)
    assert raised.value.details == [{"placeholder": "a"}, {"placeholder": "b.c"}]


@pytest.mark.parametrize(
    ("text", "is_html", "expected"),
    [
        ("<title>Tom &amp;\n Co</title>x", True, "Tom & Co"),
        ("Subject: Hello  there\n\nBody", False, "Hello there"),
        ("no title", True, None),
        ("Body", False, None),
    ],
)
def test_a_template_may_name_its_subject(text, is_html, expected):
    subject, body = titled(text, is_html=is_html)
    assert subject == expected
    assert body == (text if is_html else "Body")
